/**
 * A store in memory: the tables of the SQLite adapter, on the caller's thread. It has no file and
 * no thread, so it is the cheapest one; what it holds ends with the process.
 */
import { setImmediate } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../domain/errors.ts';
import type { StoredPlant } from '../../domain/schemas.ts';
import type { ListFilter, PlantPage, PlantQuery, Store } from '../../domain/store.ts';
import { openQueuedStore, type QueuedStoreOptions } from '../queued-store.ts';
import { hasWords } from '../search-terms.ts';
import { listInLooks, limitSearches } from '../searches.ts';
import { isPlantWrite } from '../write.ts';
import { prepareCommit, prepareTrim } from './commit.ts';
import { orClose, readTogether } from './connection.ts';
import { toErrorCode } from './error-code.ts';
import { guardReads } from './guard-reads.ts';
import { migrate } from './migrations.ts';
import { prepareChangeReads } from './tables/change-reads.ts';
import { looksMax, type PreparedPlantReads, preparePlantReads } from './tables/plant-reads.ts';
import { refreshSearchIndex } from './tables/search-index.ts';
import { prepareTokenReads } from './tables/token-rows.ts';
import { prepareWebhookReads } from './tables/webhook-rows.ts';
import { listInTurns, Turns } from './turns.ts';

export interface MemoryStoreOptions extends QueuedStoreOptions {
  /** What `toImage` of another store returned. Absent: the store begins empty. */
  readonly image?: Uint8Array | undefined;
  /** Whether the image is copied: positions of its change log are unknown to the copy. */
  readonly isCopy?: boolean | undefined;
  /** Size from which writes are refused with `store_full`, in bytes. Absent: no limit. */
  readonly bytesMax?: number | undefined;
}

export interface MemoryStore extends Store {
  /** Returns what is committed, as a file of SQLite; also after `close`. */
  toImage(): Uint8Array;
}

/** Page size in bytes: small pages waste little of a small store. */
const pageBytes = 2_048;
/** The pages of an image are in memory already, so that a small cache suffices, in KiB. */
const cacheKib = 128;
/** Maximum number of open snapshots: each may hold a copy of the plants. */
const snapshotsMax = 4;
/** Rows per chunk of a snapshot. */
const chunkRows = 1_000;

/** @throws Error if the image is none, or of a newer version. */
export function openMemoryStore({ image, isCopy, bytesMax, ...options }: MemoryStoreOptions): MemoryStore {
  const db = openDatabase({ image, isCopy, bytesMax });
  const plants = preparePlantReads(db);
  const changes = prepareChangeReads(db);
  const commit = prepareCommit(db);
  const trim = prepareTrim(db);
  const snapshots = new Snapshots(plants);
  const searches = limitSearches();
  const turns = new Turns();
  const { read, damaged, onDamage } = guardReads(options.observer);
  let revision = 0;
  let lastImage: Uint8Array | undefined;
  const store = openQueuedStore(
    {
      commit: async (writes) => {
        // Between two commits, requests have their turn.
        await setImmediate();
        if (writes.some(isPlantWrite)) {
          snapshots.keep();
          revision += 1;
        }
        try {
          return commit(writes);
        } catch (cause) {
          const error = new ServiceError(toErrorCode(cause), { cause });
          if (error.code === 'store_failed') onDamage(error);
          throw error;
        }
      },
      commitsMax: 1,
      read,
      plants: {
        ...plants,
        list: (query) =>
          hasWords(query)
            ? searches.run(() =>
                listInLooks((rest) => turns.take(() => readTogether(db, () => plants.list(rest))), query, looksMax),
              )
            : listInTurns(plants.list, query, turns),
        revision: () => revision,
        snapshot: (filter) => snapshots.open(filter, turns),
      },
      tokens: prepareTokenReads(db),
      changes: { ...changes, read: (page) => turns.take(() => changes.read(page)) },
      webhooks: prepareWebhookReads(db),
      trimChanges: (options) => turns.take(() => trim(options)),
      ping: () => void plants.count(),
      failed: damaged,
      close: () => {
        turns.close();
        lastImage = db.serialize();
        db.close();
        return Promise.resolve();
      },
    },
    options,
  );
  return { ...store, toImage: () => lastImage ?? db.serialize() };
}

function openDatabase({
  image,
  isCopy = false,
  bytesMax = Infinity,
}: Omit<MemoryStoreOptions, 'limits'>): DatabaseSync {
  return orClose(new DatabaseSync(':memory:', { readBigInts: true }), (db) => {
    if (image === undefined) db.exec(`PRAGMA page_size = ${pageBytes}`);
    else db.deserialize(image);
    db.exec(`PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = ${-cacheKib}`);
    migrate(db);
    refreshSearchIndex(db, () => undefined);
    if (isCopy) db.exec('UPDATE change_log SET identity = lower(hex(randomblob(4)))');
    if (bytesMax !== Infinity) db.exec(`PRAGMA max_page_count = ${Math.floor(bytesMax / pageBytes)}`);
    return db;
  });
}

interface Snapshot {
  readonly filter: ListFilter;
  /** The last plant that was read. */
  after: bigint | undefined;
  /** All that follow it, once a write has come in between. */
  rest: StoredPlant[] | undefined;
}

/**
 * Snapshots on the one connection that also writes. They read pages, and the first write during a
 * snapshot copies the rest of it: without writes a snapshot costs a page, with them it costs the
 * plants once. An open transaction would keep the connection from committing.
 */
class Snapshots {
  readonly #list: PreparedPlantReads['list'];
  readonly #open = new Set<Snapshot>();

  constructor({ list }: PreparedPlantReads) {
    this.#list = list;
  }

  /** See `PlantStore.snapshot`. */
  async *open(filter: ListFilter, turns: Turns): AsyncGenerator<readonly StoredPlant[]> {
    if (this.#open.size >= snapshotsMax) throw new ServiceError('store_busy');
    const snapshot: Snapshot = { filter, after: undefined, rest: undefined };
    this.#open.add(snapshot);
    try {
      for (;;) {
        const chunk = await turns.take(() => this.#next(snapshot));
        if (chunk.length === 0) return;
        yield chunk;
      }
    } finally {
      this.#open.delete(snapshot);
    }
  }

  /** Call before each commit of plants. */
  keep(): void {
    for (const snapshot of this.#open) snapshot.rest ??= this.#read(snapshot, Number.MAX_SAFE_INTEGER);
  }

  #next(snapshot: Snapshot): StoredPlant[] {
    if (snapshot.rest !== undefined) return snapshot.rest.splice(0, chunkRows);
    const chunk = this.#read(snapshot, chunkRows);
    snapshot.after = chunk.at(-1)?.id ?? snapshot.after;
    return chunk;
  }

  #read({ filter, after }: Snapshot, limit: number): StoredPlant[] {
    const found: StoredPlant[] = [];
    for (let query: PlantQuery | undefined = { ...filter, after, limit }; query !== undefined;) {
      const { plants, next }: PlantPage = this.#list(query);
      found.push(...plants);
      query = next;
    }
    return found;
  }
}
