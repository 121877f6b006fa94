/** The thread with the only connection that commits writes: commits, answers, then checkpoints. */
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { TrimOptions } from '../../change-trimmer.ts';
import { bytesOf, countRows, type Refusal, type Result, type Write } from '../../write.ts';
import { prepareCommit, prepareTrim } from '../commit.ts';
import { openForWriting, orClose } from '../connection.ts';
import { databasePath, openPresenceCheck } from '../data-folder.ts';
import { migrate, requireOurs } from '../migrations.ts';
import { refreshSearchIndex } from '../tables/search-index.ts';
import { Checkpointer, type WalNotice } from './checkpointer.ts';
import { type FromThread, serveRequests } from './thread.ts';

export interface WriterData {
  /** The locked data folder. */
  readonly folder: string;
  /** Incremented before each abort of snapshots. */
  readonly abortCount: Int32Array<SharedArrayBuffer>;
  /** Incremented before and after each commit: odd while readers may see either state. */
  readonly revision: Int32Array<SharedArrayBuffer>;
}

/** Opens the database (the first request), commits writes, or removes old changes. */
export type ToWriter = 'open' | { readonly writes: readonly Write[] } | { readonly trim: TrimOptions };
/** One result per write, in order; empty for `open`; for `trim`, whether there may be more. */
export type FromWriter = readonly (Result | Refusal)[];
export type WriterNotice = { readonly indexed: number } | { readonly wal: WalNotice };

const { folder, abortCount, revision } = workerData as WriterData;

interface Opened {
  readonly db: DatabaseSync;
  readonly commit: ReturnType<typeof prepareCommit>;
  readonly trim: ReturnType<typeof prepareTrim>;
  readonly checkpointer: Checkpointer;
  readonly requirePresence: () => void;
}

let opened: Opened | undefined;
/** The writes committed last; empty once the checkpointer has seen it. */
let written: readonly Write[] = [];

serveRequests<ToWriter, FromWriter>({
  answer: (request) => {
    if (request === 'open') {
      opened = open();
      return [];
    }
    if (opened === undefined) throw new Error('Writes came before the database was open');
    opened.requirePresence();
    opened.checkpointer.requireWalSpace();
    if ('trim' in request) return [opened.trim(request.trim)];
    const { writes } = request;
    Atomics.add(revision, 0, 1);
    try {
      const results = opened.commit(writes);
      written = writes;
      return results;
    } finally {
      Atomics.add(revision, 0, 1);
    }
  },
  afterAnswer: () => {
    const writes = written;
    written = [];
    const bytes = writes.reduce((sum, write) => sum + bytesOf(write), 0);
    opened?.checkpointer.advance(countRows(writes), bytes);
  },
  close: () => {
    opened?.db.close();
    void opened?.checkpointer.close();
  },
});

function open(): Opened {
  const path = databasePath(folder);
  return orClose(openForWriting(path, requireOurs), (db) => {
    const checkpointer = new Checkpointer(db, path, (wal) => {
      if (wal === 'blocked') Atomics.add(abortCount, 0, 1);
      notify({ wal });
    });
    migrate(db);
    refreshSearchIndex(db, (indexed, rows) => {
      notify({ indexed });
      checkpointer.advance(rows, 0);
    });
    return {
      db,
      commit: prepareCommit(db),
      trim: prepareTrim(db),
      checkpointer,
      requirePresence: openPresenceCheck(folder),
    };
  });
}

function notify(notice: WriterNotice): void {
  parentPort?.postMessage({ notice } satisfies FromThread<FromWriter, WriterNotice>);
}
