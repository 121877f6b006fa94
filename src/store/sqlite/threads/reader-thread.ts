/**
 * The thread for reads that take long: lists by name, and snapshots, each on a connection of its own. Rows leave it as columns, which cross
 * threads at a third of the cost of objects. How many snapshots there may be is not decided here.
 */
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage } from '../../../domain/store.ts';
import { openForReading } from '../connection.ts';
import { type PlantReads, preparePlantReads } from '../tables/plant-reads.ts';
import { type PlantColumns, toColumns } from './plant-columns.ts';
import type { FromThread } from './thread.ts';

export type ToReader =
  | { readonly list: PlantPage }
  | { readonly open: number; readonly filter: PlantFilter }
  | { readonly next: number }
  | { readonly end: number }
  | 'cut'
  | 'close';
/** Rows; none where there are none to come, or none were asked for. */
export type FromReader = PlantColumns;

/** Rows of one batch of a snapshot. */
const batchRows = 1_000;

interface Snapshot {
  readonly db: DatabaseSync;
  /** The next batch; an empty one is the end. */
  readonly next: () => readonly StoredPlant[];
}

const port = parentPort;
if (port === null) throw new Error('reader-thread.ts runs as a worker thread only');
const path = String(workerData);
const db = openForReading(path);
const reads = preparePlantReads(db);
const snapshots = new Map<number, Snapshot>();

port.on('message', (request: ToReader) => {
  if (request === 'close') {
    for (const id of snapshots.keys()) end(id);
    db.close();
    port.close();
    return;
  }
  let message: FromThread<FromReader>;
  try {
    message = { answer: toColumns(answer(request)) };
  } catch (error) {
    message = { failed: error instanceof Error ? error.message : String(error), isFatal: false };
  }
  port.postMessage(message);
});

function answer(request: Exclude<ToReader, 'close'>): readonly StoredPlant[] {
  if (request === 'cut') for (const id of snapshots.keys()) end(id);
  else if ('list' in request) return reads.list(request.list);
  else if ('open' in request) open(request.open, request.filter);
  else if ('next' in request) return take(request.next);
  else end(request.end);
  return [];
}

function open(id: number, filter: PlantFilter): void {
  const connection = openForReading(path);
  connection.exec('BEGIN');
  const snapshot = preparePlantReads(connection);
  // A transaction sees the moment of its first read.
  snapshot.count();
  const isByName = filter.namePrefix !== undefined && filter.namePrefix !== '';
  const next = isByName ? toBatches(snapshot.scan(filter)) : toPages(snapshot, filter);
  snapshots.set(id, { db: connection, next });
}

/** Page after page: a page is read in half the time of its rows one by one. */
function toPages({ list }: PlantReads, filter: PlantFilter): Snapshot['next'] {
  let after: bigint | undefined;
  return () => {
    const rows = list({ ...filter, ...(after === undefined ? {} : { after }), limit: batchRows });
    after = rows.at(-1)?.id ?? after;
    return rows;
  };
}

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
    throw new Error('the snapshot was cut: it kept the store from reusing its log for too long');
  return snapshot.next();
}

function end(id: number): void {
  const snapshot = snapshots.get(id);
  snapshots.delete(id);
  snapshot?.db.close();
}
