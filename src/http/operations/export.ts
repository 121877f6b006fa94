/**
 * GET /plants/export: all plants of one snapshot, as NDJSON or CSV. send-stream.ts sends them. Few
 * have a place, since each holds a snapshot, and a slow client gives its own up.
 */
import { ServiceError } from '../../domain/errors.ts';
import type { StoredPlant } from '../../domain/schemas.ts';
import type { Store } from '../../domain/store.ts';
import { Semaphore } from '../../limits/semaphore.ts';
import { csvHeader, toCsvLine } from '../../rows/csv-write.ts';
import { type Reply, securityHeaders } from '../wire/reply.ts';
import type { ContentStream } from '../wire/send-stream.ts';
import type { Call, Client } from './call.ts';
import { toStoredPlantJson } from './plants.ts';

/** Length of the chunks to send, in UTF-16 units. */
const chunkLength = 65_536;

interface Format {
  readonly contentType: string;
  readonly header: string;
  readonly toLine: (plant: StoredPlant) => string;
}

const ndjson: Format = {
  contentType: 'application/x-ndjson',
  header: '',
  toLine: (plant) => `${toStoredPlantJson(plant)}\n`,
};
const csv: Format = { contentType: 'text/csv; charset=utf-8', header: csvHeader, toLine: toCsvLine };
const markedCsv: Format = { ...csv, header: `\uFEFF${csvHeader}` };

/** GET /plants/export @throws ServiceError `store_busy` if there is no place. */
export function exportPlants(call: Call<'exportPlants'>, store: Store, places: ExportPlaces): Promise<Reply> {
  return places.run(call, () => toExport(call, store));
}

async function toExport(call: Call<'exportPlants'>, { plants }: Store): Promise<Reply> {
  const { parameters, mediaType, client } = call;
  const { byteOrderMark, ...filter } = parameters;
  const format = mediaType !== 'text/csv' ? ndjson : byteOrderMark ? markedCsv : csv;
  const headers = { ...securityHeaders, 'content-type': format.contentType, vary: 'Accept' };
  if (client.isHead) return { status: 200, headers };
  const chunks = plants.snapshot(filter)[Symbol.asyncIterator]();
  // Read before the head is sent, to be able to report a busy store.
  const first = await chunks.next();
  return {
    status: 200,
    headers: { ...headers, trailer: 'Plants-Exported' },
    stream: toContent(first, chunks, format, client),
  };
}

async function* toContent(
  first: IteratorResult<readonly StoredPlant[]>,
  chunks: AsyncIterator<readonly StoredPlant[]>,
  { header, toLine }: Format,
  client: Client,
): ContentStream {
  let count = 0;
  let text = header;
  try {
    for (let next = first; next.done !== true; next = await chunks.next()) {
      // A client that reads slowly may take hours, in which its token can be revoked.
      if (!(await client.isAllowed())) throw new ServiceError('token_invalid');
      count += next.value.length;
      for (const plant of next.value) {
        text += toLine(plant);
        if (text.length >= chunkLength) {
          yield text;
          text = '';
        }
      }
    }
    if (text !== '') yield text;
    return { 'plants-exported': String(count) };
  } finally {
    await chunks.return?.();
  }
}

/** Equals the number of snapshots that a store can have open. */
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
  readonly #places: Semaphore;
  readonly #running = new Set<Running>();

  /**
   * @param now milliseconds of a monotonic clock.
   * @param max maximum number of concurrent exports.
   */
  constructor(now: () => number, max = usualExportsMax) {
    this.#now = now;
    this.#places = new Semaphore(max);
  }

  /**
   * Begins an export that has a place until its reply is sent.
   * @throws ServiceError `store_busy` if there is none; exports of slow clients are cut then,
   * so that the next try has one.
   */
  async run({ client, principal }: Call<'exportPlants'>, begin: () => Promise<Reply>): Promise<Reply> {
    if (client.isHead) return begin();
    try {
      client.onGone(this.#places.take(principal.limitKey));
    } catch (error) {
      this.#cutSlow();
      throw error;
    }
    const reply = await begin();
    if (reply.stream === undefined) return reply;
    const running: Running = { end: new AbortController(), givenAt: undefined, lastMs: 0 };
    this.#running.add(running);
    client.onGone(() => this.#running.delete(running));
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
