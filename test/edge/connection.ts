/** Connections under full control of a test: send in parts, read late, close early. For ordinary requests use test/support/request.ts. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { AnswerReader } from '../support/answer-reader.ts';
import { type Reply, toReply } from '../support/reply.ts';
import type { Target } from '../support/request.ts';

/** How the service closed a connection. */
export type Ending = 'ended' | 'reset';

export class Connection {
  readonly #socket: Socket;
  readonly #target: Target;
  readonly #reader = new AnswerReader();
  #wake = Promise.withResolvers<undefined>();
  /** Nothing more comes. */
  isOver = false;
  /** Resolves once the connection is closed. */
  readonly closed: Promise<Ending>;

  private constructor(target: Target, socket: Socket) {
    this.#target = target;
    this.#socket = socket;
    let ending: Ending = 'ended';
    socket.on('error', () => (ending = 'reset'));
    socket.on('data', (bytes: Buffer) => {
      this.#reader.push(bytes);
      this.#notify();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.isOver = true;
        this.#reader.end();
        this.#notify();
        resolve(ending);
      });
    });
  }

  /**
   * @param goesOn keeps this side open after the service has closed its own.
   * @throws Error if nobody listens.
   */
  static async open(target: Target, goesOn = false): Promise<Connection> {
    const where = { host: '127.0.0.1', port: target.port, noDelay: true, allowHalfOpen: goesOn };
    const { ca } = target;
    const socket = ca === undefined ? connect(where) : connectSecurely({ ...where, ca });
    const connection = new Connection(target, socket);
    await once(socket, ca === undefined ? 'connect' : 'secureConnect');
    return connection;
  }

  /** Resolves to whether the bytes were passed to the system; false once the connection is closed. */
  async send(bytes: string | Uint8Array): Promise<boolean> {
    if (!this.#socket.writable) return false;
    return new Promise((resolve) => {
      this.#socket.write(bytes, (error) => resolve(error === undefined || error === null));
    });
  }

  /** Resolves to the next checked response, interim ones included; undefined if there is none. */
  async answer(method = 'POST', path = '/plants'): Promise<Reply | undefined> {
    for (;;) {
      const answer = this.#reader.take(method);
      if (answer !== undefined) {
        const asked = { method, path, basePath: this.#target.basePath };
        return toReply(asked, answer.status, answer.fields, answer.body);
      }
      if (this.isOver) return undefined;
      await this.#wake.promise;
    }
  }

  /** Received bytes that are not part of a returned response. */
  get left(): string {
    return this.#reader.left.toString('latin1');
  }

  /** Bytes sent that the service has received or that are in transit. */
  get bytesSent(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  /** Stops reading, so that responses pile up at the service. */
  stall(): void {
    this.#socket.pause();
  }

  /** Continues reading. */
  resume(): void {
    this.#socket.resume();
  }

  /** Closes the sending side; continues reading. */
  halfClose(): void {
    this.#socket.end();
  }

  /** Closes the connection. */
  leave(): void {
    this.#socket.destroy();
  }

  /** Resets the connection. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #notify(): void {
    this.#wake.resolve(undefined);
    this.#wake = Promise.withResolvers();
  }
}

export interface RawOptions {
  /** The requests in the bytes, in order; by default the first request line. The last one applies to all further responses. */
  readonly requests?: readonly { readonly method: string; readonly path: string }[];
  /** Number of final responses to wait for, by default one per request; Infinity waits until the service closes the connection. */
  readonly answers?: number;
  /** Closes the sending side after the last byte. */
  readonly halfClose?: boolean;
}

type RawBytes = string | Uint8Array;

/**
 * Sends raw bytes and resolves to all responses, interim ones included; checks each final one.
 * Resolves early if the service closes the connection.
 *
 * @param bytes an array is sent one packet per element; functions in it are awaited.
 */
export async function sendRaw(
  target: Target,
  bytes: RawBytes | readonly (RawBytes | (() => Promise<void>))[],
  options: RawOptions = {},
): Promise<Reply[]> {
  const parts = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes;
  const requests = options.requests ?? [readRequestLine(parts[0])];
  const { answers = requests.length, halfClose = false } = options;
  const connection = await Connection.open(target);
  const replies: Reply[] = [];
  const receive = async (): Promise<void> => {
    for (let finals = 0; finals < answers;) {
      const { method, path } = requests[Math.min(finals, requests.length - 1)] ?? { method: 'GET', path: '/' };
      const reply = await connection.answer(method, path);
      if (reply === undefined) break;
      replies.push(reply);
      if (reply.status >= 200) finals += 1;
    }
  };
  try {
    const received = receive();
    // This side may still be sending when it fails.
    received.catch(() => undefined);
    for (const part of parts) await (typeof part === 'function' ? part() : connection.send(part));
    if (halfClose) connection.halfClose();
    await received;
    if (connection.isOver) assert.equal(connection.left, '', 'half an answer');
  } finally {
    connection.leave();
  }
  return replies;
}

/** Sends bytes, closes the sending side, and reads until the service closes. */
export async function exchange({ port }: Pick<Target, 'port'>, bytes: string | Uint8Array): Promise<Buffer> {
  const connection = await Connection.open({ port, url: '', basePath: '', token: '' }, true);
  await connection.send(bytes);
  connection.halfClose();
  await connection.closed;
  return Buffer.from(connection.left, 'latin1');
}

/** The first request in bytes. */
export function readRequestLine(part: unknown): { method: string; path: string } {
  const text = typeof part === 'string' ? part : part instanceof Uint8Array ? Buffer.from(part).toString('latin1') : '';
  const [method = '', path = ''] = (text.split(/\r?\n/, 1)[0] ?? '').split(' ');
  const inOriginForm = path.replace(/^https?:\/\/[^/?]*/i, '');
  return { method, path: /^(?:$|\?)/.test(inOriginForm) ? `/${inOriginForm}` : inOriginForm };
}
