/** The sending of content as it is made, no faster than the client takes it. Only one that is whole is ever ended. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canStayOpen } from './linger.ts';

/** Texts one after the other, and at the end the fields of the trailer section. */
export type ContentStream = AsyncGenerator<string, Readonly<Record<string, string>>>;

/**
 * Sends the head and the stream; resolves when there is nothing more to do, also when the client went away.
 * @throws what the stream throws; the connection is cut then, so that no client takes the content for whole.
 */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  stream: ContentStream,
): Promise<void> {
  const connection = headers['connection'] ?? (canStayOpen(request) ? undefined : 'close');
  const { trailer, ...others } = headers;
  response.writeHead(status, {
    ...others,
    ...(connection === undefined ? {} : { connection }),
    // HTTP/1.0 has no chunks, hence no trailers: the end of the connection ends the content there.
    ...(trailer === undefined || request.httpVersion === '1.0' ? {} : { trailer }),
  });
  try {
    for (;;) {
      const { value, done } = await stream.next();
      if (response.destroyed) return;
      if (done === true) {
        response.addTrailers(value);
        response.end();
        return;
      }
      if (!response.write(value)) await drained(response);
    }
  } catch (error) {
    cut(request);
    throw error;
  } finally {
    // Frees what the stream holds when it did not come to its end.
    await stream.return({});
  }
}

/** Resolves when there is room again, or nobody left to fill it for. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
    if (response.destroyed) done();
  });
}

/** A reset, where the transport has one: a connection that merely ends is how HTTP/1.0 says that all is well. */
function cut({ socket }: IncomingMessage): void {
  if (socket.destroyed || 'encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
