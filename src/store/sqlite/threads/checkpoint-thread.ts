/**
 * The thread that copies the WAL to the database while the writer appends to it. The writer's own
 * checkpoint, which lets SQLite restart the WAL, is short afterwards.
 */
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { toReason } from '../error-code.ts';
import { openForWriting } from '../connection.ts';
import { toErrorCode } from '../error-code.ts';
import { requireOurs } from '../migrations.ts';
import { serveRequests } from './thread.ts';

/** Why the copy failed permanently: the database is damaged, or its state on disk unknown. */
export type CopyFailure = string | undefined;

export interface CheckpointData {
  readonly path: string;
  /** 1 while the copy runs; set by the writer, cleared and notified here. */
  readonly isCopying: Int32Array<SharedArrayBuffer>;
}

const { path, isCopying } = workerData as CheckpointData;
const db = openForWriting(path, requireOurs);
const copy = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const file = openSync(path, 'r+');

serveRequests<'copy', CopyFailure>({
  answer: () => {
    try {
      copy.get();
      return syncFile();
    } catch (error) {
      if (toErrorCode(error) !== 'store_failed') throw error;
      // Not thrown: the writer could not tell it from a thread that has died.
      return toReason(error);
    } finally {
      Atomics.store(isCopying, 0, 0);
      Atomics.notify(isCopying, 0);
    }
  },
  close: () => {
    db.close();
    // Last: closing any descriptor of a file drops all locks of the process on it (fcntl(2)).
    closeSync(file);
  },
});

/** SQLite syncs only a complete checkpoint, and commits continue during this one. */
function syncFile(): CopyFailure {
  try {
    fdatasyncSync(file);
    return undefined;
  } catch (error) {
    return toReason(error);
  }
}
