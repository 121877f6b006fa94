/**
 * The thread that holds the one writing connection. Takes a batch by message, commits it, answers by message; knows no HTTP and no promise.
 * After a failure that leaves the disk's state unknown it answers once more and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Outcome, Write } from '../write.ts';
import { prepareCommitter, toErrorCode } from './commit-batch.ts';
import { openForWriting } from './connection.ts';
import { migrate } from './migrations.ts';

/** To the thread: a batch to commit, or the wish to close. */
export type ToWriter = readonly Write[] | 'close';

/** From the thread. `ready` comes once, first. */
export type FromWriter = { readonly ready: true } | { readonly outcomes: readonly Outcome[] } | WriterFailure;

/** Why a batch, or the start, failed; the text is for the log. */
export interface WriterFailure {
  readonly failed: ErrorCode;
  readonly reason: string;
}

const port = parentPort;
if (port === null) throw new Error('writer-thread.ts runs as a worker thread only');
const answer = (message: FromWriter): void => port.postMessage(message);

try {
  const db = openForWriting(String(workerData));
  migrate(db);
  const committer = prepareCommitter(db);
  port.on('message', (message: ToWriter) => {
    if (message === 'close') {
      db.close();
      port.close();
      return;
    }
    try {
      committer.requireRoom();
      answer({ outcomes: committer.commit(message) });
    } catch (error) {
      const failure = toFailure(error);
      answer(failure);
      // The kernel may have dropped what an fsync could not write: another try could succeed without the data being there.
      if (failure.failed === 'store_failed') port.close();
      return;
    }
    try {
      committer.checkpointIfLong();
    } catch (error) {
      // The log keeps what the checkpoint could not copy; a full disk is tried again at the next batch, any other failure ends the thread.
      if (toErrorCode(error) === 'store_failed') throw error;
    }
  });
  answer({ ready: true });
} catch (error) {
  answer(toFailure(error));
}

function toFailure(error: unknown): WriterFailure {
  return { failed: toErrorCode(error), reason: error instanceof Error ? error.message : String(error) };
}
