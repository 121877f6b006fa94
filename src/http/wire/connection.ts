/**
 * One connection: its requests, one at a time, and its end. A pipelined request starts after the
 * reply before it is sent: a slow reader costs the service one reply, not a hundred. Node closes a
 * connection as soon as its last bytes are handed over; a client that still sends would see a reset
 * and could lose its reply. So the service ends connections itself.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Backlog, Holder } from './backlog.ts';
import { contentLengthOf } from './content.ts';

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
/** Time for a client to read its last reply and close, in milliseconds. */
const lingerMs = 1_000;
/** Maximum bytes to discard from a refused client: what is typically in transit. */
const dropBytesMax = 1_048_576;
/** Maximum rest of a body to read to keep its connection, in bytes: the default body limit. */
const keepBytesMax = 65_536;

/** A pipelined request that arrived before the reply to the previous one was sent. */
interface Waiting {
  readonly previous: ServerResponse;
  /** The bytes of this request proved malformed before its reply began. */
  isReplaced: boolean;
}

const connections = new WeakMap<Socket, Connection>();

/** Returns the connection of a socket, always the same. */
export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const connection = new Connection(socket);
  connections.set(socket, connection);
  return connection;
}

export class Connection implements Holder {
  readonly socket: Socket;
  /** Whether a body is being streamed, so that the request time-out does not apply. */
  isStreaming = false;
  /** Bytes moved for which the rate limiter has charged. */
  chargedBytes = 0;
  /** See `Backlog`. */
  heldBytes = 0;
  isWatched = false;
  /** The latest request, until its reply is sent. */
  #request: IncomingMessage | undefined;
  #response: ServerResponse | undefined;
  /** What the latest request waits for; undefined if it did not have to wait. */
  #wait: Waiting | undefined;
  #waiting = 0;
  #isEnding = false;
  #isDropping = false;
  /** Has its reply; the rest of its body is discarded. */
  #answered: IncomingMessage | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /**
   * Calls `serve` once earlier replies are sent; never if the connection closes first. Resets a
   * connection on which too many requests wait.
   */
  enter(request: IncomingMessage, response: ServerResponse, serve: RequestListener, backlog: Backlog): void {
    const previous = this.#response === undefined || isOut(this.#response) ? undefined : this.#response;
    this.#request = request;
    this.#response = response;
    this.#wait = undefined;
    response.once('close', this.#forgetSent);
    if (previous === undefined) serve(request, response);
    else this.#serveLater(previous, backlog, () => serve(request, response));
  }

  #serveLater(previous: ServerResponse, backlog: Backlog, serve: () => void): void {
    if (this.#waiting >= waitingMax || this.#request === undefined) {
      this.cut();
      return;
    }
    const wait = { previous, isReplaced: false };
    const bytes = toBytes(this.#request);
    this.#wait = wait;
    this.#waiting += 1;
    backlog.hold(this, bytes);
    previous.once('close', () => {
      this.#waiting -= 1;
      backlog.release(this, bytes);
      // In the next event loop turn, to be fair to other connections.
      setImmediate(() => {
        if (!this.socket.destroyed && !this.#isEnding && !wait.isReplaced) serve();
      });
    });
  }

  /** An idle connection keeps nothing of its last request. */
  readonly #forgetSent = (): void => {
    if (this.#response === undefined || !isOut(this.#response)) return;
    this.#request = undefined;
    this.#response = undefined;
    this.#wait = undefined;
  };

  /** Whether a reply has begun or is pending. */
  get isBusy(): boolean {
    return this.#response !== undefined && !isOut(this.#response);
  }

  /**
   * Whether the client waits for us: it has sent its request, or more of it than is read yet, such
   * as an import for a slow store; and it has read all there is.
   */
  get isAwaited(): boolean {
    const request = this.#request;
    if (request === undefined || !this.isBusy || this.socket.writableLength > 0) return false;
    return request.complete || request.readableLength > 0;
  }

  /**
   * For malformed bytes: calls back once earlier replies are sent, to keep their order. Replaces
   * the reply of the request that the bytes belong to, if it has not begun.
   */
  afterReplies(callback: () => void): void {
    let awaited = this.#response;
    if (this.#request?.complete === false && awaited?.headersSent === false) {
      if (this.#wait !== undefined) this.#wait.isReplaced = true;
      awaited = this.#wait?.previous;
    }
    const call = (): void => {
      if (this.socket.writable) callback();
    };
    if (awaited === undefined || isOut(awaited)) call();
    else awaited.once('close', call);
  }

  /** Whether the last reply was sent: later input is no request (RFC 9112, section 9.6). */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Whether the input is the rest of an answered request, which gets no second reply. */
  get isAnswered(): boolean {
    return this.#answered?.complete === false;
  }

  /** Returns whether the connection can be reused, after discarding the rest of this request. */
  canStayOpen(request: IncomingMessage): boolean {
    if (request.complete) return true;
    const length = contentLengthOf(request) ?? 0;
    if (length === 0) return true;
    // A client that waits for 100 may send its body or omit it; only a new connection is unambiguous.
    if (request.headers.expect !== undefined || length > keepBytesMax) return false;
    this.#answered = request;
    return true;
  }

  /** Sends the content after a written head, as the last of its connection. */
  sendLast(response: ServerResponse, body: string | Uint8Array | undefined): void {
    this.#isEnding = true;
    // Not `response.end()`: Node would close the connection once the bytes are sent.
    response.flushHeaders();
    response.write(body ?? '', () => {
      if (response.socket === null) response.end();
      else this.endGently();
    });
  }

  /** Stops parsing the input. Returns false if that was done before. */
  dropInput(): boolean {
    if (this.#isDropping) return false;
    this.#isDropping = true;
    const { socket } = this;
    // Node detaches its parser when another listener reads the socket.
    socket.removeAllListeners('data');
    let bytesLeft = dropBytesMax;
    socket.on('data', (chunk: Buffer) => {
      bytesLeft -= chunk.length;
      // Unread bytes fill both sides' windows and make the client wait.
      if (bytesLeft < 0) socket.pause();
    });
    socket.resume();
    return true;
  }

  /** Closes after the written bytes: the client can still read its reply. */
  endGently(): void {
    const { socket } = this;
    this.dropInput();
    socket.end();
    const late = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(late));
  }

  /** Resets it, since its reply is incomplete: over HTTP/1.0 a close would look complete. */
  cut(): void {
    if (this.socket.destroyed || 'encrypted' in this.socket) this.socket.destroy();
    else this.socket.resetAndDestroy();
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
