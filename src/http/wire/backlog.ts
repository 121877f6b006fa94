/** Bounds the memory for slow readers: unsent replies, and waiting pipelined requests. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { cut } from './linger.ts';

/** Maximum bytes for all connections: eight of the largest pages, for a heap of 256 MiB. */
const bytesMax = 67_108_864;

/** Above its limit, resets the connections that hold the most: a slow reader holds little. */
export class Backlog {
  #bytes = 0;
  /** In the order in which the connections became slow. */
  readonly #ofSocket = new Map<Socket, number>();
  /** A connection may become slow many times; its end is awaited once. */
  readonly #watched = new WeakSet<Socket>();

  /** Counts the bytes of a reply that the connection has not taken yet. */
  holdReply(response: ServerResponse): void {
    const { socket, writableLength } = response;
    if (socket === null || writableLength === 0) return;
    this.hold(socket, writableLength);
    response.once('close', () => this.release(socket, writableLength));
  }

  hold(socket: Socket, bytes: number): void {
    if (socket.destroyed) return;
    if (!this.#watched.has(socket)) socket.once('close', () => this.#forget(socket));
    this.#watched.add(socket);
    this.#ofSocket.set(socket, (this.#ofSocket.get(socket) ?? 0) + bytes);
    this.#bytes += bytes;
    if (this.#bytes <= bytesMax) return;
    while (this.#bytes > bytesMax) {
      const largest = this.#findLargest();
      this.#forget(largest);
      cut(largest);
    }
    this.#pauseSlow();
  }

  /** Of several, the one that has been slow for longest. */
  #findLargest(): Socket {
    const [first, ...others] = this.#ofSocket;
    if (first === undefined) throw new Error('bytes are held, but by no connection');
    return others.reduce((largest, each) => (each[1] > largest[1] ? each : largest), first)[0];
  }

  /** Reads from no slow connection until reset ones have released their memory, after this turn. */
  #pauseSlow(): void {
    const paused = [...this.#ofSocket.keys()].filter((socket) => !socket.isPaused());
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
