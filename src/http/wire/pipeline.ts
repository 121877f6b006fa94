/**
 * Serves one request at a time per connection: a pipelined one starts after the previous reply is
 * sent. So a slow reader costs the service one reply, not a hundred.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Backlog } from './backlog.ts';
import { cut } from './linger.ts';

/** Approximate memory of a waiting request beside its head, in bytes (measured: 6 kB). */
const waitingBytes = 8_192;
/** Each name and value is a text with this overhead, in bytes, of which Node keeps two copies. */
const fieldTextBytes = 24;
const fieldCopies = 2;
/**
 * Maximum number of requests that wait on one connection. Node parses a whole packet at once: 64 kB
 * hold more than a thousand, and a few such connections would keep all others waiting.
 */
const waitingMax = 200;

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The previous reply, if not yet sent when this request arrived. */
  readonly previous: ServerResponse | undefined;
  /** Its own bytes proved malformed before its reply began. */
  isReplaced: boolean;
}

export class Pipeline {
  readonly #backlog: Backlog;
  /** The latest turn of a connection, until its reply is sent. */
  readonly #last = new WeakMap<Socket, Turn>();
  readonly #waiting = new WeakMap<Socket, number>();

  constructor(backlog: Backlog) {
    this.#backlog = backlog;
  }

  /**
   * Calls `start` once earlier replies are sent; never if the connection closes first. Resets a
   * connection on which too many requests wait.
   */
  enter(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    const { socket } = request;
    const last = this.#last.get(socket)?.response;
    const previous = last === undefined || isOut(last) ? undefined : last;
    const turn = { request, response, previous, isReplaced: false };
    this.#last.set(socket, turn);
    // An idle connection keeps nothing of its last request.
    response.once('close', () => {
      if (this.#last.get(socket) === turn) this.#last.delete(socket);
    });
    if (previous === undefined) {
      start();
      return;
    }
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    if (waiting > waitingMax) {
      cut(socket);
      return;
    }
    this.#waiting.set(socket, waiting);
    const bytes = toBytes(request);
    this.#backlog.hold(socket, bytes);
    previous.once('close', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      this.#backlog.release(socket, bytes);
      // In the next event loop turn, to be fair to other connections.
      setImmediate(() => {
        if (!socket.destroyed && !turn.isReplaced) start();
      });
    });
  }

  /** Returns whether a reply has begun or is pending. */
  isBusy(socket: Socket): boolean {
    const last = this.#last.get(socket);
    return last !== undefined && !isOut(last.response);
  }

  /**
   * Returns whether the client waits for us: it has sent its request, or more of it than is read yet,
   * such as an import for a slow store; and it has read all there is.
   */
  isAwaited(socket: Socket): boolean {
    const request = this.#last.get(socket)?.request;
    if (request === undefined || !this.isBusy(socket) || socket.writableLength > 0) return false;
    return request.complete || request.readableLength > 0;
  }

  /**
   * For malformed bytes: calls back once earlier replies are sent, to keep their order. Replaces
   * the reply of the request that the bytes belong to, if it has not begun.
   */
  afterReplies(socket: Socket, callback: () => void): void {
    const last = this.#last.get(socket);
    let awaited = last?.response;
    if (last !== undefined && !last.request.complete && !last.response.headersSent) {
      last.isReplaced = true;
      awaited = last.previous;
    }
    const call = (): void => {
      if (socket.writable) callback();
    };
    if (awaited === undefined || isOut(awaited)) call();
    else awaited.once('close', call);
  }
}

/** Returns the approximate memory of a waiting request, in bytes. */
function toBytes({ url = '', rawHeaders }: IncomingMessage): number {
  const others = waitingBytes + url.length;
  return rawHeaders.reduce((bytes, text) => bytes + fieldCopies * (text.length + fieldTextBytes), others);
}

function isOut(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}
