/**
 * The thread that holds the one writing connection: takes a batch by message, commits it, answers by message; knows no HTTP and no promise.
 * After a failure that leaves the disk's state unknown it answers once more and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Refusal, Result } from '../write.ts';
import { prepareCommitter, toErrorCode } from './commit-batch.ts';
import { openForWriting } from './connection.ts';
import { migrate, requireOurs } from './migrations.ts';
import { type PackedWrites, unpackWrites } from './packed-writes.ts';
import type { FromThread } from './thread.ts';

/** To the thread: a batch to commit, or the wish to close. */
export type ToWriter = PackedWrites | 'close';
/** An outcome a write, in order; the first answer, an empty one, says that the thread is ready. */
export type FromWriter = readonly (Result | Refusal)[];

const port = parentPort;
if (port === null) throw new Error('writer-thread.ts runs as a worker thread only');
const send = (message: FromThread<FromWriter>): void => port.postMessage(message);

try {
  const db = openForWriting(String(workerData), requireOurs);
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
      send({ answer: committer.commit(unpackWrites(message)) });
    } catch (error) {
      fail(error);
      return;
    }
    try {
      if (!committer.checkpointIfLong()) send({ notice: 'log-held' });
    } catch (error) {
      // The log keeps what the checkpoint could not copy; a full disk is tried again at the next batch, any other failure ends the thread.
      if (toErrorCode(error) === 'store_failed') throw error;
    }
  });
  send({ answer: [] });
} catch (error) {
  fail(error);
}

function fail(error: unknown): void {
  const code = toErrorCode(error);
  // The kernel may have dropped what an fsync could not write: another try could succeed without the data being there.
  const isFatal = code === 'store_failed';
  send({ failed: error instanceof Error ? error.message : String(error), code, isFatal });
  if (isFatal) port?.close();
}
