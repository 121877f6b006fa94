/** Places of exports, each of which holds a snapshot: few, and a slow client gives its own up. */
import type { Reply } from '../wire/reply.ts';
import type { ContentStream } from '../wire/send-stream.ts';
import type { Call } from './call.ts';
import { Places } from '../steps/places.ts';

/** As many snapshots as a store has. */
const usualExportsMax = 4;
/** A client is slow if it takes longer for one chunk of 64 KiB, in milliseconds: about 13 kB/s. */
const chunkMsMax = 5_000;

interface Running {
  readonly end: AbortController;
  /** When the client was given the chunk that it has not read yet. */
  givenAt: number | undefined;
  lastMs: number;
}

export class ExportPlaces {
  readonly #now: () => number;
  readonly #places: Places;
  readonly #running = new Set<Running>();

  /**
   * @param now milliseconds of a monotonic clock.
   * @param max maximum number of concurrent exports.
   */
  constructor(now: () => number, max = usualExportsMax) {
    this.#now = now;
    this.#places = new Places(max);
  }

  /**
   * Begins an export that has a place until its reply is sent.
   * @throws ServiceError `store_busy` if there is none; exports of slow clients are cut then,
   * so that the next try has one.
   */
  async run(call: Call<'exportPlants'>, begin: () => Promise<Reply>): Promise<Reply> {
    if (call.isHead) return begin();
    try {
      call.onGone(this.#places.take(call.principal.limitKey));
    } catch (error) {
      this.#cutSlow();
      throw error;
    }
    const reply = await begin();
    if (reply.stream === undefined) return reply;
    const running: Running = { end: new AbortController(), givenAt: undefined, lastMs: 0 };
    this.#running.add(running);
    call.onGone(() => this.#running.delete(running));
    return { ...reply, stream: this.#watch(reply.stream, running), end: running.end.signal };
  }

  async *#watch(stream: ContentStream, running: Running): ContentStream {
    try {
      for (;;) {
        const { value, done } = await stream.next();
        if (done === true) return value;
        running.givenAt = this.#now();
        yield value;
        running.lastMs = this.#now() - running.givenAt;
        running.givenAt = undefined;
      }
    } finally {
      await stream.return({});
    }
  }

  #cutSlow(): void {
    const now = this.#now();
    for (const { end, givenAt = now, lastMs } of this.#running)
      if (Math.max(lastMs, now - givenAt) > chunkMsMax) end.abort();
  }
}
