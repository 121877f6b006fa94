/**
 * The thread that holds the one writing connection: takes a batch by message, commits it, answers by message; knows no HTTP and no promise.
 * After a failure that leaves the disk's state unknown it answers once more and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Refusal, Result } from '../../write.ts';
import { Checkpointer } from './checkpointer.ts';
import { prepareCommitter } from '../commit-batch.ts';
import { openForWriting } from '../connection.ts';
import { toErrorCode } from '../error-code.ts';
import { migrate, requireOurs } from '../migrations.ts';
import type { IndexTuning } from '../tables/plant-indexes.ts';
import { type PackedWrites, unpackWrites } from './packed-writes.ts';
import type { FromThread } from './thread.ts';

export interface WriterData {
  readonly path: string;
  readonly tuning: IndexTuning;
}

/** To the thread: a batch to commit, the wish to find every plant in the indexes, or to close. */
export type ToWriter = PackedWrites | 'merge' | 'close';
/** The first answer says that the thread is ready. */
export interface FromWriter {
  /** One a write, in order. */
  readonly outcomes: readonly (Result | Refusal)[];
  /** True: from now on a new plant is in the indexes only once a merge was asked for. */
  readonly mustMerge: boolean;
}

const port = parentPort;
if (port === null) throw new Error('writer-thread.ts runs as a worker thread only');
const send = (message: FromThread<FromWriter>): void => port.postMessage(message);
let checkpointer: Checkpointer | undefined;

try {
  const { path, tuning } = workerData as WriterData;
  const db = openForWriting(path, requireOurs);
  migrate(db);
  const committer = prepareCommitter(db, tuning);
  const log = new Checkpointer(db, path, fail);
  checkpointer = log;
  const answer = (outcomes: FromWriter['outcomes']): void =>
    send({ answer: { outcomes, mustMerge: committer.mustMerge() } });
  const checkpoint = (): void => {
    try {
      if (!log.advance()) send({ notice: 'log-held' });
    } catch (error) {
      // The log keeps what was not copied; a full disk is tried again at the next batch, any other failure ends the thread.
      if (toErrorCode(error) === 'store_failed') throw error;
    }
  };
  const mergeAll = (): void => {
    while (committer.isBehind()) {
      log.requireRoom();
      committer.mergeSome();
      checkpoint();
    }
  };
  port.on('message', (message: ToWriter) => {
    if (message === 'close') {
      try {
        // So that the next start finds nothing that waits.
        mergeAll();
      } catch {
        // It goes on to wait, in the log.
      }
      db.close();
      end();
      return;
    }
    try {
      if (message === 'merge') {
        mergeAll();
        answer([]);
      } else {
        log.requireRoom();
        answer(committer.commit(unpackWrites(message)));
      }
    } catch (error) {
      fail(error);
      return;
    }
    checkpoint();
  });
  answer([]);
} catch (error) {
  fail(error);
}

function fail(error: unknown): void {
  const code = toErrorCode(error);
  // The kernel may have dropped what an fsync could not write: another try could succeed without the data being there.
  const isFatal = code === 'store_failed';
  send({ failed: error instanceof Error ? error.message : String(error), code, isFatal });
  if (isFatal) end();
}

function end(): void {
  port?.close();
  void checkpointer?.close();
}
