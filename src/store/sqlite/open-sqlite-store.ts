/** The SQLite adapter of the store port: one writer thread behind a group commit, one reading connection on the caller's thread. */
import { ServiceError } from '../../domain/errors.ts';
import type { PlantFilter, PlantStore, Store, TokenStore } from '../../domain/store.ts';
import { GroupCommit, type QueueLimits } from '../group-commit.ts';
import { versionOf } from '../version-of.ts';
import type { Results, Write } from '../write.ts';
import { prepareCommitter } from './commit-batch.ts';
import { openForReading, openForWriting } from './connection.ts';
import { databasePath, lockDataFolder, makeDataFolder, requireDatabase } from './data-folder.ts';
import { requireCurrentSchema } from './migrations.ts';
import { type IndexTuning, indexTuning } from './tables/plant-indexes.ts';
import { type PlantReads, preparePlantReads } from './tables/plant-reads.ts';
import { Reader } from './threads/reader.ts';
import { prepareTokenReads, type TokenReads } from './tables/token-rows.ts';
import { Writer } from './threads/writer.ts';

/**
 * Opens the store in `folder` and holds its lock until `close`; makes what is missing.
 * @throws Error naming the folder when it is in use, not writable, of another program or of a newer version.
 */
export async function openSqliteStore(
  folder: string,
  limits: QueueLimits,
  tuning: IndexTuning = indexTuning,
): Promise<Store> {
  let unlock = (): void => undefined;
  let closeWriter = async (): Promise<void> => undefined;
  try {
    makeDataFolder(folder);
    unlock = lockDataFolder(folder);
    const path = databasePath(folder);
    const writer = new Writer({ path, tuning });
    closeWriter = () => writer.close();
    await writer.ready();
    const db = openForReading(path);
    const reader = new Reader(path);
    writer.onLogHeld(() => reader.cutSnapshots());
    const queue = new GroupCommit((writes) => writer.commit(writes), limits);
    let closed: Promise<void> | undefined;
    const isClosed = (): boolean => closed !== undefined;
    const reads = refuseOnceClosed(preparePlantReads(db), isClosed);
    return {
      plants: toPlantStore(queue, writer, reads, reader),
      tokens: toTokenStore(refuseOnceClosed(prepareTokenReads(db), isClosed), (write) => queue.submit(write)),
      isBusy: () => queue.isFull(),
      ping: async () => {
        reads.count();
      },
      failed: Promise.race([writer.failed, reader.failed]),
      close: () =>
        (closed ??= queue.close().then(async () => {
          try {
            await reader.close();
          } finally {
            // Whatever befell the reader: a writer thread that is left running would keep the process from ending.
            db.close();
            await closeWriter();
            unlock();
          }
        })),
    };
  } catch (cause) {
    await closeWriter();
    unlock();
    throw cannotOpen(folder, cause);
  }
}

/** The same reads, which throw `shutting_down` once the store is closed. */
function refuseOnceClosed<Reads extends object>(reads: Reads, isClosed: () => boolean): Reads {
  const guarded = Object.entries(reads).map(([name, read]: [string, (...args: unknown[]) => unknown]) => [
    name,
    (...args: unknown[]) => {
      if (isClosed()) throw new ServiceError('shutting_down');
      return read(...args);
    },
  ]);
  return Object.fromEntries(guarded) as Reads;
}

/** The port of plants on the queue, and on reads: short ones at once, long ones in their thread. */
function toPlantStore(queue: GroupCommit, writer: Writer, reads: PlantReads, reader: Reader): PlantStore {
  const isFiltered = ({ tag, namePrefix }: PlantFilter): boolean => tag !== undefined || namePrefix !== undefined;
  return {
    create: (plant) => queue.submit({ kind: 'create', plant }),
    put: (plant, condition) => queue.submit({ kind: 'put', plant, condition }),
    patch: (id, patch, condition) => queue.submit({ kind: 'patch', id, patch, condition }),
    delete: async (id, condition) => {
      await queue.submit({ kind: 'delete', id, condition });
    },
    import: (rows, options) => queue.submit({ kind: 'import', rows, options }),
    find: async (id) => reads.find(id),
    versionOf,
    // The lock of the folder keeps every other writer out.
    revision: () => queue.revision,
    list: async (page) => {
      if (isFiltered(page)) await writer.mergeIndexes();
      return page.namePrefix === undefined ? reads.list(page) : reader.list(page);
    },
    listTags: async (page) => reads.listTags(page),
    count: async () => reads.count(),
    async *snapshot(filter) {
      if (isFiltered(filter)) await writer.mergeIndexes();
      yield* reader.snapshot(filter);
    },
  };
}

/**
 * Opens only the tokens, beside a running server or without one.
 * @throws Error naming the folder when it holds no store, or one of another version.
 */
export async function openSqliteTokens(folder: string): Promise<{ tokens: TokenStore; close(): Promise<void> }> {
  try {
    const db = openForWriting(requireDatabase(folder), requireCurrentSchema);
    try {
      const { commit } = prepareCommitter(db, indexTuning);
      return {
        tokens: toTokenStore(
          prepareTokenReads(db),
          // One write in, its own kind of result out; a token write is never refused.
          async <Kind extends Write>(write: Kind) => commit([write])[0] as Results[Kind['kind']],
        ),
        close: async () => db.close(),
      };
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (cause) {
    throw cannotOpen(folder, cause);
  }
}

/** The token port on prepared reads and a way to commit one write. */
function toTokenStore(
  reads: TokenReads,
  submit: <Kind extends Write>(write: Kind) => Promise<Results[Kind['kind']]>,
): TokenStore {
  return {
    insert: async (token) => {
      await submit({ kind: 'insert-token', token, onlyFirst: false });
    },
    insertFirst: (token) => submit({ kind: 'insert-token', token, onlyFirst: true }),
    findByHash: async (hash) => reads.findByHash(hash),
    list: async () => reads.list(),
    revoke: (id, revokedAt) => submit({ kind: 'revoke-token', id, revokedAt }),
    touch: async (id, usedAt) => {
      await submit({ kind: 'touch-token', id, usedAt });
    },
  };
}

function cannotOpen(folder: string, cause: unknown): Error {
  return new Error(`Cannot open the data folder ${folder}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
