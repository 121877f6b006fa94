/**
 * The thread that copies the write-ahead log into the database while another one writes to it. SQLite syncs the database only when the whole log is
 * copied, which it never is then; so it is synced here, and what is left for the writer is short.
 */
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openForWriting } from '../connection.ts';
import { toErrorCode } from '../error-code.ts';
import { requireOurs } from '../migrations.ts';
import type { FromThread } from './thread.ts';

export interface CheckpointData {
  readonly path: string;
  /** Set to 0, and notified, when a copy is done. */
  readonly isCopying: Int32Array<SharedArrayBuffer>;
}

const port = parentPort;
if (port === null) throw new Error('checkpoint-thread.ts runs as a worker thread only');
const { path, isCopying } = workerData as CheckpointData;
const db = openForWriting(path, requireOurs);
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
// Closed last of all: with any file of a database that a process closes, the system drops the locks that the process has on it (fcntl(2)).
const file = openSync(path, 'r+');

port.on('message', (message: 'copy' | 'close') => {
  if (message === 'close') {
    db.close();
    closeSync(file);
    port.close();
    return;
  }
  let answer: FromThread<null> = { answer: null };
  try {
    checkpoint.get();
    fdatasyncSync(file);
  } catch (error) {
    // A disk that is full is the writer's matter, which meets it next.
    if (toErrorCode(error) === 'store_failed')
      answer = { failed: error instanceof Error ? error.message : String(error), isFatal: true };
  }
  Atomics.store(isCopying, 0, 0);
  Atomics.notify(isCopying, 0);
  port.postMessage(answer);
});
