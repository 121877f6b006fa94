/** Reads a body of any length, with backpressure and an idle time-out (408), no total one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../../domain/errors.ts';
import { askForBody, ClientGoneError } from './body.ts';

/** Connections whose request has no total time limit. */
const streaming = new WeakSet<Socket>();

/** Returns whether a body is being streamed, so that the request time-out does not apply. */
export function isStreaming(socket: Socket): boolean {
  return streaming.has(socket);
}

/**
 * Yields chunks as they arrive; sends 100 first if the client waits for it.
 * @param silenceMs maximum wait for a chunk.
 * @throws ServiceError `request_timeout`; ClientGoneError.
 */
export async function* readChunks(
  request: IncomingMessage,
  response: ServerResponse,
  silenceMs: number,
): AsyncGenerator<Buffer, void> {
  askForBody(request, response);
  const { socket } = request;
  streaming.add(socket);
  // Not destroyed with the loop: the reply needs the connection.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncGenerator<Buffer, undefined>;
  try {
    for (;;) {
      const { value, done } = await withTimeout(silenceMs, chunks.next());
      if (done === true) return;
      yield value;
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ClientGoneError('The client went away', { cause });
  } finally {
    streaming.delete(socket);
    // linger.ts drops a bounded part of the rest. Not awaited, since the client may be idle.
    chunks.return(undefined).catch(() => undefined);
    request.resume();
  }
}

async function withTimeout<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new ServiceError('request_timeout')), limitMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
