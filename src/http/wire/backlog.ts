/** Bounds the memory for slow readers: unsent replies, and waiting pipelined requests. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum bytes for all connections: eight of the largest pages, for a heap of 256 MiB. */
const bytesMax = 67_108_864;

/** A connection, as far as its memory is concerned. */
export interface Holder {
  readonly socket: Socket;
  /** Bytes that count for it now. */
  heldBytes: number;
  /** Whether its end is awaited: it may become slow many times. */
  isWatched: boolean;
  /** Resets it. */
  cut(): void;
}

/** Above its limit, resets the connections that hold the most: a slow reader holds little. */
export class Backlog {
  #bytes = 0;
  /** In the order in which the connections became slow. */
  readonly #holders = new Set<Holder>();

  /** Counts the bytes of a reply that the connection has not taken yet. */
  holdReply(holder: Holder, response: ServerResponse): void {
    const { writableLength } = response;
    if (writableLength === 0) return;
    this.hold(holder, writableLength);
    response.once('close', () => this.release(holder, writableLength));
  }

  hold(holder: Holder, bytes: number): void {
    const { socket } = holder;
    if (socket.destroyed) return;
    if (!holder.isWatched) socket.once('close', () => this.#forget(holder));
    holder.isWatched = true;
    holder.heldBytes += bytes;
    this.#holders.add(holder);
    this.#bytes += bytes;
    if (this.#bytes <= bytesMax) return;
    while (this.#bytes > bytesMax) {
      const largest = this.#findLargest();
      this.#forget(largest);
      largest.cut();
    }
    this.#pauseSlow();
  }

  /** If several have the same size, finds the one that has been slow for longest. */
  #findLargest(): Holder {
    const [first, ...others] = this.#holders;
    if (first === undefined) throw new Error('bytes are held, but by no connection');
    return others.reduce((largest, each) => (each.heldBytes > largest.heldBytes ? each : largest), first);
  }

  /** Reads from no slow connection until reset ones have released their memory, after this turn. */
  #pauseSlow(): void {
    const paused = [...this.#holders].map(({ socket }) => socket).filter((socket) => !socket.isPaused());
    for (const socket of paused) socket.pause();
    setImmediate(() =>
      setImmediate(() => {
        for (const socket of paused) socket.resume();
      }),
    );
  }

  release(holder: Holder, bytes: number): void {
    if (holder.heldBytes <= bytes) this.#forget(holder);
    else {
      holder.heldBytes -= bytes;
      this.#bytes -= bytes;
    }
  }

  #forget(holder: Holder): void {
    this.#bytes -= holder.heldBytes;
    holder.heldBytes = 0;
    this.#holders.delete(holder);
  }
}
