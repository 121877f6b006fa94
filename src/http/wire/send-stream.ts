/** Streams a reply with backpressure. Ends it normally only if it is complete; otherwise resets the connection. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canStayOpen, cut } from './linger.ts';

/** Texts, and at the end the fields of the trailer section. */
export type ContentStream = AsyncGenerator<string, Readonly<Record<string, string>>>;

/**
 * Sends the head and the stream; resolves when there is nothing more to do, also when the client has left.
 * @throws what the stream throws, after it has reset the connection: no client must take the content for complete.
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
    cut(request.socket);
    throw error;
  } finally {
    // Frees the resources of a stream that did not reach its end.
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
