/** The SQLite adapter: a writer thread, a reader thread for long reads, short reads here. */
import type { Store, TokenStore } from '../../domain/store.ts';
import { openQueuedStore, type QueuedStoreOptions, toTokenStore } from '../queued-store.ts';
import { isRefusal, type Result, toServiceError, type Write } from '../write.ts';
import { ServiceError } from '../../domain/errors.ts';
import { hasWords } from '../search-terms.ts';
import { prepareCommit } from './commit.ts';
import { openForReading, openForWriting, orClose } from './connection.ts';
import {
  databasePath,
  discardWalIndex,
  lockDataFolder,
  makeDatabase,
  openPresenceCheck,
  releaseSpace,
  removeAddress,
  reserveSpace,
} from './data-folder.ts';
import { findRefusedAccess, makeDataFolder } from './folder-access.ts';
import { toErrorCode, toReason } from './error-code.ts';
import { guardReads } from './guard-reads.ts';
import { isOnReadOnlyDisk, openStored } from './maintenance/database-file.ts';
import { requireCurrentSchema } from './migrations.ts';
import { requireDatabase, requireNotLost } from './store-presence.ts';
import { prepareChangeReads } from './tables/change-reads.ts';
import { preparePlantReads } from './tables/plant-reads.ts';
import { prepareTokenReads } from './tables/token-rows.ts';
import { prepareWebhookReads } from './tables/webhook-rows.ts';
import { Reader } from './threads/reader.ts';
import { Thread } from './threads/thread.ts';
import { listInTurns, Turns } from './turns.ts';
import type { FromWriter, ToWriter, WriterData, WriterNotice } from './threads/writer-thread.ts';

export interface SqliteOptions extends QueuedStoreOptions {
  /** Called with the progress of a rebuild of the search index. */
  readonly onNotice?: ((message: string, level: 'info') => void) | undefined;
}

/**
 * Opens the store in `folder` and locks it until `close`; creates what is missing.
 * @throws Error naming the folder if it is in use, not writable, or of another program or a newer
 * version.
 */
export async function openSqliteStore(folder: string, options: SqliteOptions): Promise<Store> {
  const cleanUps: (() => void | Promise<void>)[] = [];
  const cleanUp = (): Promise<void> => runInReverse(cleanUps.splice(0));
  try {
    makeDataFolder(folder);
    cleanUps.push(lockDataFolder(folder));
    requireNotLost(folder);
    cleanUps.push(() => removeAddress(folder));
    removeAddress(folder);
    makeDatabase(folder);
    // A first start that fails leaves nothing of a store.
    let isStore = releaseSpace(folder);
    cleanUps.push(() => {
      if (isStore) reserveSpace(folder);
    });
    const path = databasePath(folder);
    discardWalIndex(path);
    const requirePresence = openPresenceCheck(folder);
    const abortCount = new Int32Array(new SharedArrayBuffer(4));
    const revision = new Int32Array(new SharedArrayBuffer(4));
    const longReads = new Reader({ path, abortCount });
    const data: WriterData = { folder, abortCount, revision };
    const writer = new Thread<ToWriter, FromWriter, WriterNotice>('writer-thread', data, (notice) => {
      if ('indexed' in notice)
        options.onNotice?.(`Rebuilding the search index: ${notice.indexed} plants so far`, 'info');
      else if (notice.wal === 'blocked') longReads.abortSnapshots();
      else options.observer?.onLogFull();
    });
    cleanUps.push(() => writer.close());
    await writer.call('open');
    isStore = true;
    const db = openForReading(path);
    cleanUps.push(() => db.close());
    cleanUps.push(() => longReads.close());
    const plants = preparePlantReads(db);
    const changes = prepareChangeReads(db);
    const turns = new Turns();
    cleanUps.push(() => turns.close());
    const { read, damaged } = guardReads(options.observer, requirePresence);
    return openQueuedStore(
      {
        commit: (writes) => writer.call({ writes }),
        commitsMax: 1,
        read,
        // Short reads are done on this thread.
        plants: {
          ...plants,
          list: (query) => (hasWords(query) ? longReads.list(query) : listInTurns(plants.list, query, turns)),
          revision: () => loadRevision(revision),
          snapshot: (filter) => longReads.snapshot(filter),
        },
        tokens: prepareTokenReads(db),
        changes: { ...changes, read: (page) => turns.take(() => changes.read(page)) },
        webhooks: prepareWebhookReads(db),
        trimChanges: async (options) => (await writer.call({ trim: options }))[0] === true,
        ping: () => {
          requirePresence();
          plants.count();
        },
        failed: Promise.race([writer.failed, longReads.failed, damaged]),
        close: cleanUp,
      },
      options,
    );
  } catch (cause) {
    await cleanUp();
    throw cannotOpen(folder, cause);
  }
}

/** See `WriterData.revision`. */
function loadRevision(revision: Int32Array): number | undefined {
  const value = Atomics.load(revision, 0);
  return (value & 1) === 0 ? value : undefined;
}

/** Runs all clean-ups even if some fail: a thread that still runs keeps the process alive. */
async function runInReverse(cleanUps: readonly (() => void | Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const each of cleanUps.toReversed()) {
    try {
      await each();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/**
 * Opens only the tokens, with or without a running server.
 * @throws Error naming the folder if it has no store, or one of another version.
 */
export async function openSqliteTokens(folder: string): Promise<{ tokens: TokenStore; close(): Promise<void> }> {
  try {
    const path = requireDatabase(folder);
    const isReadOnly = isOnReadOnlyDisk(path);
    return orClose(isReadOnly ? openStored(path) : openForWriting(path, requireCurrentSchema), (db) => {
      if (isReadOnly) requireCurrentSchema(db);
      const commit = isReadOnly ? refuseWrites : prepareCommit(db);
      const submit = async <Kind extends Write>(write: Kind): Promise<Result<Kind>> => {
        const [result] = commit([write]);
        if (result === undefined) throw new ServiceError('internal');
        if (isRefusal(result)) throw toServiceError(result);
        // The committer returns the result type of each write's kind.
        return result as Result<Kind>;
      };
      return {
        tokens: toTokenStore(prepareTokenReads(db), submit, async (work) => work()),
        close: async () => db.close(),
      };
    });
  } catch (cause) {
    throw cannotOpen(folder, cause);
  }
}

function refuseWrites(): never {
  throw new Error('Cannot change the tokens: the file system of the data folder is read-only');
}

function cannotOpen(folder: string, cause: unknown): Error {
  // An error of a thread has the SQLite error as its cause.
  const hasReason = cause instanceof ServiceError && cause.cause instanceof Error;
  const code = hasReason ? cause.code : toErrorCode(cause);
  const reason = findRefusedAccess(folder, cause) ?? toReason(hasReason ? cause.cause : cause);
  const hint = code === 'store_full' ? '; the disk is full, or a file may not grow' : '';
  return new Error(`Cannot open the data folder ${folder}: ${reason}${hint}`, { cause });
}
