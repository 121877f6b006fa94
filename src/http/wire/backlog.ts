/** Memory that slow readers make the service hold: replies that are not sent yet, and pipelined requests that wait. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { cut } from './linger.ts';

/** Most bytes for all connections together. Eight of the largest pages; 256 MiB of heap have room for them. */
const bytesMax = 67_108_864;

/** Beyond its bound it resets the connection that has been slow for longest, and goes on until there is room. */
export class Backlog {
  #bytes = 0;
  /** In the order in which the connections became slow. */
  readonly #ofSocket = new Map<Socket, number>();
  readonly #connections: ReadonlySet<Socket>;

  /** @param connections all that are open. */
  constructor(connections: ReadonlySet<Socket>) {
    this.#connections = connections;
  }

  /** Counts what the connection has not taken yet of a reply. */
  holdReply(response: ServerResponse): void {
    const { socket, writableLength } = response;
    if (socket === null || writableLength === 0) return;
    this.hold(socket, writableLength);
    response.once('close', () => this.release(socket, writableLength));
  }

  hold(socket: Socket, bytes: number): void {
    if (socket.destroyed) return;
    const held = this.#ofSocket.get(socket);
    if (held === undefined) socket.once('close', () => this.#forget(socket));
    this.#ofSocket.set(socket, (held ?? 0) + bytes);
    this.#bytes += bytes;
    if (this.#bytes <= bytesMax) return;
    for (const [slowest] of this.#ofSocket) {
      this.#forget(slowest);
      cut(slowest);
      if (this.#bytes <= bytesMax) break;
    }
    this.#pauseAll();
  }

  /** Reads from nobody until the connections that were cut have released their memory, in the last phase of this turn of the event loop. */
  #pauseAll(): void {
    const paused = [...this.#connections].filter((socket) => !socket.isPaused());
    for (const socket of paused) socket.pause();
    setImmediate(() =>
      setImmediate(() => {
        for (const socket of paused) socket.resume();
      }),
    );
  }

  release(socket: Socket, bytes: number): void {
    const held = this.#ofSocket.get(socket);
    if (held === undefined) return;
    if (held <= bytes) this.#forget(socket);
    else {
      this.#ofSocket.set(socket, held - bytes);
      this.#bytes -= bytes;
    }
  }

  #forget(socket: Socket): void {
    this.#bytes -= this.#ofSocket.get(socket) ?? 0;
    this.#ofSocket.delete(socket);
  }
}
