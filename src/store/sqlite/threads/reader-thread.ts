/**
 * The thread for reads that can take long: searches, and snapshots, each on a connection of its own. Rows leave it as columns, which cross
 * threads at a third of the cost of objects. How many there may be is not decided here.
 */
import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage } from '../../../domain/store.ts';
import { openForReading } from '../connection.ts';
import { type PlantReads, preparePlantReads } from '../tables/plant-reads.ts';
import { type PlantColumns, toColumns } from './plant-columns.ts';
import { serveRequests } from './serve-requests.ts';

export interface ReaderData {
  readonly path: string;
  /** As `WriterData.askedReaders`. */
  readonly askedReaders: Int32Array<SharedArrayBuffer>;
}

export type ToReader =
  | { readonly list: PlantPage }
  | { readonly open: number; readonly filter: PlantFilter }
  | { readonly next: number }
  | { readonly end: number }
  | 'abort-snapshots';
/** Rows; none where there are none to come, or none were asked for. */
export type FromReader = PlantColumns;

/** Rows of one batch of a snapshot. */
const batchRows = 1_000;

interface Snapshot {
  readonly db: DatabaseSync;
  /** How often readers had been asked to end when it was opened. */
  readonly asked: number;
  /** The next batch; an empty one is the end. */
  readonly next: () => readonly StoredPlant[];
}

const { path, askedReaders } = workerData as ReaderData;
const db = openForReading(path);
const reads = preparePlantReads(db);
const snapshots = new Map<number, Snapshot>();

serveRequests<ToReader, FromReader>({
  answer: (request) => toColumns(answer(request)),
  close: () => {
    for (const id of snapshots.keys()) end(id);
    db.close();
  },
});

function answer(request: ToReader): readonly StoredPlant[] {
  if (request === 'abort-snapshots') abortSnapshots();
  else if ('list' in request) return list(request.list);
  else if ('open' in request) open(request.open, request.filter);
  else if ('next' in request) return take(request.next);
  else end(request.end);
  return [];
}

/** In one transaction, so that all that the search reads is of one moment. */
function list(page: PlantPage): readonly StoredPlant[] {
  db.exec('BEGIN');
  try {
    return reads.list(page);
  } finally {
    db.exec('COMMIT');
  }
}

function open(id: number, filter: PlantFilter): void {
  const connection = openForReading(path);
  try {
    connection.exec('BEGIN');
    const snapshot = preparePlantReads(connection);
    // A transaction sees the moment of its first read.
    snapshot.count();
    const next = filter.name === undefined ? toPages(snapshot, filter) : toBatches(snapshot.scan(filter));
    snapshots.set(id, { db: connection, asked: Atomics.load(askedReaders, 0), next });
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Those that were open when readers were asked to end; a later one holds none of the log that was meant. */
function abortSnapshots(): void {
  const asked = Atomics.load(askedReaders, 0);
  for (const [id, snapshot] of snapshots) if (snapshot.asked < asked) end(id);
}

/** Page after page: a page is read in half the time of its rows one by one. */
function toPages({ list: readPage }: PlantReads, filter: PlantFilter): Snapshot['next'] {
  let after: bigint | undefined;
  return () => {
    const rows = readPage({ ...filter, ...(after === undefined ? {} : { after }), limit: batchRows });
    after = rows.at(-1)?.id ?? after;
    return rows;
  };
}

/** Row by row: a search is put once. */
function toBatches(plants: Iterable<StoredPlant>): Snapshot['next'] {
  const rows = plants[Symbol.iterator]();
  return () => {
    const batch: StoredPlant[] = [];
    while (batch.length < batchRows) {
      const next = rows.next();
      if (next.done === true) break;
      batch.push(next.value);
    }
    return batch;
  };
}

function take(id: number): readonly StoredPlant[] {
  const snapshot = snapshots.get(id);
  if (snapshot === undefined)
    throw new Error('The snapshot was aborted: it kept the store from reusing its log for too long');
  return snapshot.next();
}

function end(id: number): void {
  const snapshot = snapshots.get(id);
  snapshots.delete(id);
  snapshot?.db.close();
}
