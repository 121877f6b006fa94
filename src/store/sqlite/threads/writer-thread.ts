/**
 * The thread that holds the one writing connection: takes a batch by message, commits it, answers, then keeps the log short. Knows no HTTP
 * and no promise.
 */
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { bytesOf, type Write } from '../../write.ts';
import { type Commit, type Outcome, prepareCommit } from '../commit-batch.ts';
import { openForWriting } from '../connection.ts';
import { databasePath, openPresenceCheck } from '../data-folder.ts';
import { migrate, requireOurs } from '../migrations.ts';
import { refreshSearchIndex } from '../tables/search-index.ts';
import { Checkpointer } from './checkpointer.ts';
import { type PackedWrites, unpackWrites } from './packed-writes.ts';
import { serveRequests } from './serve-requests.ts';
import type { FromThread } from './thread.ts';

export interface WriterData {
  /** The data folder, which is locked. */
  readonly folder: string;
  /** Grows each time before readers are asked to end. */
  readonly askedReaders: Int32Array<SharedArrayBuffer>;
}

/** To the thread: open the database, which is the first request, or commit a batch. */
export type ToWriter = 'open' | PackedWrites;
/** One a write, in order; none for `open`. */
export type FromWriter = readonly Outcome[];
export type WriterNotice = { readonly indexed: number } | 'log-held';

const { folder, askedReaders } = workerData as WriterData;

interface Opened {
  readonly db: DatabaseSync;
  readonly commit: Commit;
  readonly checkpointer: Checkpointer;
  readonly requirePresence: () => void;
}

let opened: Opened | undefined;
/** The batch that was answered last, until the log was looked after. */
let written: readonly Write[] = [];

serveRequests<ToWriter, FromWriter>({
  answer: (request) => {
    if (request === 'open') {
      opened = open();
      return [];
    }
    if (opened === undefined) throw new Error('A batch came before the database was open');
    opened.requirePresence();
    opened.checkpointer.requireRoom();
    const writes = unpackWrites(request);
    const outcomes = opened.commit(writes);
    written = writes;
    return outcomes;
  },
  afterAnswer: () => {
    const writes = written;
    written = [];
    const rows = writes.reduce((sum, write) => sum + (write.kind === 'import' ? write.rows.length : 1), 0);
    const bytes = writes.reduce((sum, write) => sum + bytesOf(write), 0);
    opened?.checkpointer.advance(rows, bytes);
  },
  close: () => opened?.db.close(),
});

function open(): Opened {
  const path = databasePath(folder);
  const db = openForWriting(path, requireOurs);
  try {
    const checkpointer = new Checkpointer(db, path, () => {
      Atomics.add(askedReaders, 0, 1);
      notify('log-held');
    });
    migrate(db);
    refreshSearchIndex(db, (indexed, rows) => {
      notify({ indexed });
      checkpointer.advance(rows, 0);
    });
    return { db, commit: prepareCommit(db), checkpointer, requirePresence: openPresenceCheck(folder) };
  } catch (error) {
    db.close();
    throw error;
  }
}

function notify(notice: WriterNotice): void {
  parentPort?.postMessage({ notice } satisfies FromThread<FromWriter, WriterNotice>);
}
