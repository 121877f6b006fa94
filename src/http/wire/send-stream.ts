/** Streams a reply with backpressure. Resets the connection if it is incomplete. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Backlog } from './backlog.ts';
import { connectionOf } from './connection.ts';

/** Texts, then the fields of the trailer section. */
export type ContentStream = AsyncGenerator<string, Readonly<Record<string, string>>>;

interface Sent {
  readonly stream: ContentStream;
  readonly backlog: Backlog;
  /** Once aborted, a client that does not read is disconnected. */
  readonly end?: AbortSignal | undefined;
}

/**
 * Sends the head and the stream; resolves when done, or when the client has disconnected.
 * @throws what the stream throws, after resetting the connection, so that no client takes the
 * content for complete.
 */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  { stream, backlog, end }: Sent,
): Promise<void> {
  const connection = headers['connection'] ?? (connectionOf(request.socket).canStayOpen(request) ? undefined : 'close');
  const { trailer, ...others } = headers;
  const isTrailed = trailer !== undefined && takesTrailers(request);
  response.writeHead(status, {
    ...others,
    ...(connection === undefined ? {} : { connection }),
    ...(isTrailed ? { trailer } : {}),
  });
  try {
    for (;;) {
      const { value, done } = await stream.next();
      if (response.destroyed) return;
      if (done === true) {
        if (isTrailed) response.addTrailers(value);
        response.end();
        return;
      }
      if (!response.write(value)) await drained(response, backlog, end);
    }
  } catch (error) {
    connectionOf(request.socket).cut();
    throw error;
  } finally {
    // Releases the resources of an incomplete stream.
    await stream.return({});
  }
}

/**
 * Returns whether the client asks for trailer fields (RFC 9110, section 10.1.4). Others may
 * fail: Java's HTTP client refuses a response that has some. HTTP/1.0 has none.
 */
function takesTrailers({ headers, httpVersion }: IncomingMessage): boolean {
  const accepted = String(headers['te'] ?? '').split(',');
  return httpVersion !== '1.0' && accepted.some((each) => each.trim().toLowerCase() === 'trailers');
}

/** Resolves when there is space again, or the client has disconnected. */
function drained(response: ServerResponse, backlog: Backlog, end: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    let release = (): void => undefined;
    // A client that takes it at once is not slow.
    const late = setImmediate(() => {
      const { socket, writableLength } = response;
      if (socket === null) return;
      const connection = connectionOf(socket);
      backlog.hold(connection, writableLength);
      release = () => backlog.release(connection, writableLength);
      end?.addEventListener('abort', disconnect);
      if (end?.aborted === true) disconnect();
    });
    const disconnect = (): void => {
      if (response.socket !== null) connectionOf(response.socket).cut();
    };
    const done = (): void => {
      clearImmediate(late);
      release();
      end?.removeEventListener('abort', disconnect);
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
    if (response.destroyed) done();
  });
}
