/**
 * The thread of long reads: searches, and snapshots with a connection each. Sends rows as columns,
 * half of the cost of objects. Does not limit their number.
 */
import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantPage, ListFilter, PlantQuery } from '../../../domain/store.ts';
import { hasWords } from '../../search-terms.ts';
import { openForReading, orClose, readTogether } from '../connection.ts';
import { StoreError } from '../error-code.ts';
import { type PreparedPlantReads, preparePlantReads } from '../tables/plant-reads.ts';
import { type PlantColumns, toColumns } from './plant-columns.ts';
import { serveRequests } from './thread.ts';

export interface ReaderData {
  readonly path: string;
  /** See `WriterData.abortCount`. */
  readonly abortCount: Int32Array<SharedArrayBuffer>;
}

export type ToReader =
  | { readonly list: PlantQuery }
  | { readonly open: number; readonly filter: ListFilter }
  | { readonly next: number }
  | { readonly end: number }
  | 'abort-snapshots';
/** Rows; empty at the end, or if none were requested. `next`: what is left of a page. */
export type FromReader = PlantColumns & { readonly next?: PlantQuery | undefined };

/** Rows per chunk of a snapshot. */
const chunkRows = 1_000;
const noRows: PlantPage = { plants: [], next: undefined };

interface Snapshot {
  readonly db: DatabaseSync;
  /** `abortCount` when the snapshot was opened. */
  readonly openedAt: number;
  /** Returns the next chunk; an empty one is the end. */
  readonly next: () => readonly StoredPlant[];
}

const { path, abortCount } = workerData as ReaderData;
/** The connection of searches, opened by the first one, which alone fails if it cannot be. */
let searches: { readonly db: DatabaseSync; readonly reads: PreparedPlantReads } | undefined;
const snapshots = new Map<number, Snapshot>();

serveRequests<ToReader, FromReader>({
  answer: (request) => {
    const { plants, next } = answer(request);
    return { ...toColumns(plants), next };
  },
  close: () => {
    for (const id of snapshots.keys()) end(id);
    searches?.db.close();
  },
});

function answer(request: ToReader): PlantPage {
  // Before anything else: many searches may have been sent before the request for it.
  abortSnapshots();
  if (request === 'abort-snapshots') return noRows;
  if ('list' in request) return list(request.list);
  else if ('open' in request) open(request.open, request.filter);
  else if ('next' in request) return { plants: readChunk(request.next), next: undefined };
  else end(request.end);
  return noRows;
}

function list(query: PlantQuery): PlantPage {
  const { db, reads } = (searches ??= openSearchConnection());
  return readTogether(db, () => reads.list(query));
}

function openSearchConnection(): NonNullable<typeof searches> {
  return orClose(openForReading(path), (db) => ({ db, reads: preparePlantReads(db) }));
}

function open(id: number, filter: ListFilter): void {
  orClose(openForReading(path), (db) => {
    db.exec('BEGIN');
    const snapshot = preparePlantReads(db);
    // The first read of a transaction fixes what it sees.
    snapshot.count();
    const next = hasWords(filter) ? toChunks(snapshot.scan(filter)) : toPages(snapshot, filter);
    snapshots.set(id, { db, openedAt: Atomics.load(abortCount, 0), next });
  });
}

/** Aborts only snapshots opened before the abort; later ones do not block that part of the WAL. */
function abortSnapshots(): void {
  const abortedAt = Atomics.load(abortCount, 0);
  for (const [id, snapshot] of snapshots) if (snapshot.openedAt < abortedAt) end(id);
}

/** Reads page by page: half the time of row by row. */
function toPages({ list: readPage }: PreparedPlantReads, filter: ListFilter): Snapshot['next'] {
  let after: bigint | undefined;
  return () => {
    const { plants } = readPage({ ...filter, after, limit: chunkRows });
    after = plants.at(-1)?.id ?? after;
    return plants;
  };
}

/** Reads row by row, so that the search runs once. */
function toChunks(plants: Iterable<StoredPlant>): Snapshot['next'] {
  const rows = plants[Symbol.iterator]();
  return () => {
    const chunk: StoredPlant[] = [];
    while (chunk.length < chunkRows) {
      const next = rows.next();
      if (next.done === true) break;
      chunk.push(next.value);
    }
    return chunk;
  };
}

function readChunk(id: number): readonly StoredPlant[] {
  const snapshot = snapshots.get(id);
  if (snapshot === undefined)
    throw new StoreError('store_busy', 'The snapshot was aborted: it kept the store from reusing its log for too long');
  return snapshot.next();
}

function end(id: number): void {
  const snapshot = snapshots.get(id);
  snapshots.delete(id);
  snapshot?.db.close();
}
