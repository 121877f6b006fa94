/** One connection that a test holds in its hand: to send in parts, read late, leave early. For whole requests: test/support/request.ts. */
import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { AnswerReader } from '../support/answer-reader.ts';
import { type Reply, toReply } from '../support/reply.ts';
import type { Target } from '../support/request.ts';

/** How the service ended a connection. */
export type Ending = 'ended' | 'reset';

export class Connection {
  readonly #socket: Socket;
  readonly #target: Target;
  readonly #reader = new AnswerReader();
  #wake = Promise.withResolvers<undefined>();
  #isOver = false;
  /** Resolves when the connection is closed. */
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
        this.#isOver = true;
        this.#reader.end();
        this.#notify();
        resolve(ending);
      });
    });
  }

  /**
   * @param goesOn whether this side stays open when the service has closed the other.
   * @throws Error when nobody listens.
   */
  static async open(target: Target, goesOn = false): Promise<Connection> {
    const where = { host: '127.0.0.1', port: target.port, noDelay: true, allowHalfOpen: goesOn };
    const { ca } = target;
    const socket = ca === undefined ? connect(where) : connectSecurely({ ...where, ca });
    const connection = new Connection(target, socket);
    await once(socket, ca === undefined ? 'connect' : 'secureConnect');
    return connection;
  }

  /** Resolves to whether the bytes were handed to the system; false once the connection is closed. */
  async send(bytes: string | Uint8Array): Promise<boolean> {
    if (!this.#socket.writable) return false;
    return new Promise((resolve) => {
      this.#socket.write(bytes, (error) => resolve(error === undefined || error === null));
    });
  }

  /** Resolves to the next answer, interim ones too, once it is checked; undefined when the connection closes before. */
  async answer(method = 'POST', path = '/plants'): Promise<Reply | undefined> {
    for (;;) {
      const answer = this.#reader.take(method);
      if (answer !== undefined) {
        const asked = { method, path, basePath: this.#target.basePath };
        return toReply(asked, answer.status, answer.fields, answer.body);
      }
      if (this.#isOver) return undefined;
      await this.#wake.promise;
    }
  }

  /** Bytes that came and were not taken as an answer. */
  get left(): string {
    return this.#reader.left.toString('latin1');
  }

  /** Bytes that this side handed over, and that the other took or has on its way. */
  get bytesSent(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  /** Stops reading, so that what comes stays with the service. */
  stall(): void {
    this.#socket.pause();
  }

  /** Reads again. */
  resume(): void {
    this.#socket.resume();
  }

  /** Says all that is to be said, and still reads. */
  halfClose(): void {
    this.#socket.end();
  }

  /** Leaves without a word. */
  leave(): void {
    this.#socket.destroy();
  }

  /** Leaves with a reset. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #notify(): void {
    this.#wake.resolve(undefined);
    this.#wake = Promise.withResolvers();
  }
}
