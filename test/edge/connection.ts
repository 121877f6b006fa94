/** A connection under full control of a test: send in parts, read late, close early. For ordinary requests use test/support/request.ts. */
import type { Buffer } from 'node:buffer';
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
  #isOver = false;
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
        this.#isOver = true;
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
      if (this.#isOver) return undefined;
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
