/** The SQLite adapter of the store port: one writer thread behind a group commit, one reading connection on the caller's thread. */
import { existsSync } from 'node:fs';
import type { Store, TokenStore } from '../../domain/store.ts';
import { GroupCommit, type QueueLimits } from '../group-commit.ts';
import type { Outcome, Write } from '../write.ts';
import { prepareCommitter } from './commit-batch.ts';
import { openForReading, openForWriting } from './connection.ts';
import { databasePath, lockDataFolder, makeDataFolder } from './data-folder.ts';
import { requireCurrentSchema } from './migrations.ts';
import { preparePlantReads } from './plant-rows.ts';
import { prepareTokenReads, type TokenReads } from './token-rows.ts';
import { startWriter } from './writer.ts';

/**
 * Opens the store in `folder` and holds its lock until `close`; makes what is missing.
 * @throws Error naming the folder when it is in use, not writable, of another program or of a newer version.
 */
export async function openSqliteStore(folder: string, limits: QueueLimits): Promise<Store> {
  let unlock = (): void => undefined;
  try {
    makeDataFolder(folder);
    unlock = lockDataFolder(folder);
    const writer = await startWriter(databasePath(folder));
    const db = openForReading(databasePath(folder));
    const queue = new GroupCommit(writer.commit, limits);
    const submit = (write: Write): Promise<Exclude<Outcome, object>> => queue.submit(write);
    const plants = preparePlantReads(db);
    let closed: Promise<void> | undefined;
    return {
      plants: {
        create: async (plant) => ((await submit({ kind: 'create', plant })) === 'created' ? 'created' : 'replayed'),
        find: async (id) => plants.find(id),
        count: async () => plants.count(),
      },
      tokens: toTokenStore(prepareTokenReads(db), submit),
      isBusy: () => queue.isFull(),
      ping: async () => {
        plants.find(0n);
      },
      failed: writer.failed,
      close: () =>
        (closed ??= queue.close().then(async () => {
          db.close();
          await writer.close();
          unlock();
        })),
    };
  } catch (cause) {
    unlock();
    throw cannotOpen(folder, cause);
  }
}

/**
 * Opens only the tokens, beside a running server or without one.
 * @throws Error naming the folder when it holds no store, or one of another version.
 */
export async function openSqliteTokens(folder: string): Promise<{ tokens: TokenStore; close(): Promise<void> }> {
  try {
    if (!existsSync(databasePath(folder))) throw new Error('it holds no store; start the service once to make one');
    const db = openForWriting(databasePath(folder));
    try {
      requireCurrentSchema(db);
      const { commit } = prepareCommitter(db);
      return {
        tokens: toTokenStore(prepareTokenReads(db), async (write) => commit([write])[0]),
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
function toTokenStore(reads: TokenReads, submit: (write: Write) => Promise<Outcome | undefined>): TokenStore {
  return {
    insert: async (token) => {
      await submit({ kind: 'insert-token', token, onlyFirst: false });
    },
    insertFirst: async (token) => (await submit({ kind: 'insert-token', token, onlyFirst: true })) === 'done',
    findByHash: async (hash) => reads.findByHash(hash),
    list: async () => reads.list(),
    revoke: async (id, revokedAt) => (await submit({ kind: 'revoke-token', id, revokedAt })) === 'done',
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
