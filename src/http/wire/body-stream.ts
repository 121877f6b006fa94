/** A body of any length, piece by piece and no faster than it is used: the client may take as long as it wants, but must not fall silent (408). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../../domain/errors.ts';
import { askForBody, ClientGoneError } from './body.ts';

/** Connections whose request has no time in which it must be whole. */
const streaming = new WeakSet<Socket>();

/** Whether a body is being streamed, so that the time-out for whole requests does not apply. */
export function isStreaming(socket: Socket): boolean {
  return streaming.has(socket);
}

/**
 * The pieces as they come; asks for them first when the client waits for that (Expect: 100-continue).
 * @param silenceMs longest time that is waited for a piece.
 * @throws ServiceError `request_timeout`; ClientGoneError.
 */
export async function* readPieces(
  request: IncomingMessage,
  response: ServerResponse,
  silenceMs: number,
): AsyncGenerator<Buffer, void> {
  askForBody(request, response);
  const { socket } = request;
  streaming.add(socket);
  // Not destroyed with the loop: the answer needs the connection.
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncGenerator<Buffer, undefined>;
  try {
    for (;;) {
      const { value, done } = await within(silenceMs, pieces.next());
      if (done === true) return;
      yield value;
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ClientGoneError('The client went away', { cause });
  } finally {
    streaming.delete(socket);
    // Whatever is left is dropped; how much of it, linger.ts says. Not awaited: a silent client would be waited for here again.
    pieces.return(undefined).catch(() => undefined);
    request.resume();
  }
}

async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new ServiceError('request_timeout')), limitMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
