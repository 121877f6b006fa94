/** Reads a body of any length, with backpressure and an idle time-out (408), no total one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../domain/errors.ts';
import { askForBody, ClientGoneError } from './body.ts';
import { connectionOf } from './connection.ts';

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
  const connection = connectionOf(request.socket);
  connection.isStreaming = true;
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
    connection.isStreaming = false;
    // The connection drops a bounded part of the rest. Not awaited, since the client may be idle.
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
