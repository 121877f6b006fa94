/**
 * The thread that copies the WAL to the database while the writer appends to it. The writer's own
 * checkpoint, which lets SQLite restart the WAL, is short afterwards.
 */
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { openForWriting } from '../connection.ts';
import { toErrorCode, toReason } from '../error-code.ts';
import { requireOurs } from '../migrations.ts';
import { serveRequests } from './thread.ts';

/** Why the checkpoint failed permanently: the database is damaged, or its state on disk unknown. */
export type CheckpointFailure = string | undefined;

export interface CheckpointData {
  readonly path: string;
  /** 1 while the checkpoint runs; set by the writer, cleared and notified here. */
  readonly isCheckpointing: Int32Array<SharedArrayBuffer>;
}

const { path, isCheckpointing } = workerData as CheckpointData;
const db = openForWriting(path, requireOurs);
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const file = openSync(path, 'r+');

serveRequests<'checkpoint', CheckpointFailure>({
  answer: () => {
    try {
      checkpoint.get();
      return syncFile();
    } catch (error) {
      if (toErrorCode(error) !== 'store_failed') throw error;
      // Not thrown: the writer could not tell it from a thread that has died.
      return toReason(error);
    } finally {
      Atomics.store(isCheckpointing, 0, 0);
      Atomics.notify(isCheckpointing, 0);
    }
  },
  close: () => {
    db.close();
    // Last: closing any descriptor of a file drops all locks of the process on it (fcntl(2)).
    closeSync(file);
  },
});

/** SQLite syncs only a complete checkpoint, and commits continue during this one. */
function syncFile(): CheckpointFailure {
  try {
    fdatasyncSync(file);
    return undefined;
  } catch (error) {
    return toReason(error);
  }
}
