/**
 * One request at a time on each connection: a pipelined request starts when the reply before it is out.
 * So a client that does not read makes the service hold one reply, not a hundred.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Backlog } from './backlog.ts';

/** Roughly what a request holds that waits, in bytes (measured: 6 kB with few header fields). */
const waitingBytes = 8_192;

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The reply before, if it was not out when this request came. */
  readonly previous: ServerResponse | undefined;
  /** Its own bytes turned out to be malformed before its reply began. */
  isReplaced: boolean;
}

export class Pipeline {
  readonly #backlog: Backlog;
  readonly #last = new WeakMap<Socket, Turn>();

  constructor(backlog: Backlog) {
    this.#backlog = backlog;
  }

  /** Calls `start` now, or when the replies to earlier requests are out; never, if the connection closes before. */
  enter(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    const { socket } = request;
    const last = this.#last.get(socket)?.response;
    const previous = last === undefined || isOut(last) ? undefined : last;
    const turn = { request, response, previous, isReplaced: false };
    this.#last.set(socket, turn);
    if (previous === undefined) {
      start();
      return;
    }
    this.#backlog.hold(socket, waitingBytes);
    previous.once('close', () => {
      this.#backlog.release(socket, waitingBytes);
      // In the next turn of the event loop: other connections have theirs, however many requests wait on this one.
      setImmediate(() => {
        if (!socket.destroyed && !turn.isReplaced) start();
      });
    });
  }

  /** Whether a reply has begun, or is awaited. */
  isBusy(socket: Socket): boolean {
    const last = this.#last.get(socket);
    return last !== undefined && !isOut(last.response);
  }

  /**
   * For bytes that are malformed: calls back once the replies to earlier requests are out, so that none is taken for another's.
   * If the bytes belong to a request whose reply has not begun, that reply is replaced.
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

function isOut(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}
