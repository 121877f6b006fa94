/**
 * The store of a service that a test starts: in memory, unless the test is about files; with
 * TEST_STORE=sqlite a data folder; with postgres or postgres-citus a database. A data folder names
 * the store in each case, also if it does not exist.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../src/domain/schemas.ts';
import type { TokenStore } from '../../src/domain/store.ts';
import { openTokenStore, type StoreOptions } from '../../src/store/open-store.ts';
import type { Engine } from '../../src/store/postgres/division.ts';
import { type MemoryStore, openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { plantColumns, prepareRows, toPlant } from '../../src/store/sqlite/tables/values.ts';
import {
  createMigratedDatabase,
  selectPlants,
  type TemporaryDatabase,
  withConnection,
} from '../store/postgres/open-temporary-database.ts';
import { findServer } from '../store/postgres/servers.ts';

const engines: Readonly<Record<string, Engine | undefined>> = { postgres: 'postgres', 'postgres-citus': 'citus' };
const engine = engines[process.env['TEST_STORE'] ?? ''];
/** Whether services have a store in memory, if their test does not need files. */
export const isInMemory = (process.env['TEST_STORE'] ?? 'memory') === 'memory';
/** By data folder. */
const databases = new Map<string, TemporaryDatabase>();
const memories = new Map<string, MemoryStore>();

/** Opens a store in memory that stands for a data folder. */
export function openMemory(dataDir: string, options: StoreOptions): MemoryStore {
  const store = openMemoryStore(options);
  memories.set(dataDir, store);
  return store;
}

/** The database that stands for a data folder; undefined when the folder itself is the store. */
export async function provideDatabase(dataDir: string): Promise<TemporaryDatabase | undefined> {
  if (engine === undefined) return undefined;
  const database = databases.get(dataDir) ?? (await createMigratedDatabase(await findServer(18), engine));
  databases.set(dataDir, database);
  return database;
}

/** Resolves to the plants that an SQL condition selects, committed so far. */
export async function readPlants(dataDir: string, where = 'true'): Promise<Map<bigint, NewPlant>> {
  const database = databases.get(dataDir);
  if (database !== undefined) return withConnection(database, (each) => selectPlants(each, where));
  const image = memories.get(dataDir)?.toImage();
  const db = new DatabaseSync(image === undefined ? join(dataDir, 'plants.db') : ':memory:', {
    readOnly: image === undefined,
    readBigInts: true,
    timeout: 5_000,
  });
  try {
    if (image !== undefined) db.deserialize(image);
    const plants = prepareRows(db, `SELECT ${plantColumns} FROM plants WHERE ${where}`).all().map(toPlant);
    return new Map(plants.map((plant) => [plant.id, plant]));
  } finally {
    db.close();
  }
}

/** Uses the tokens of the store that a data folder names; a service may be running on it. */
export async function withTokens<Result>(
  dataDir: string,
  use: (tokens: TokenStore) => Promise<Result>,
): Promise<Result> {
  const memory = memories.get(dataDir);
  if (memory !== undefined) return use(memory.tokens);
  const database = databases.get(dataDir);
  const store = await openTokenStore(database === undefined ? { folder: dataDir } : { url: database.url });
  try {
    return await use(store.tokens);
  } finally {
    await store.close();
  }
}

/** Returns everything that the store holds, as text; `''` if a folder holds it. */
export async function dumpStore(dataDir: string): Promise<string> {
  const memory = memories.get(dataDir);
  if (memory !== undefined) return Buffer.from(memory.toImage()).toString('latin1');
  const database = databases.get(dataDir);
  if (database === undefined) return '';
  return withConnection(database, async (connection) => {
    const dumps: string[] = [];
    for (const table of ['plants', 'tag_counts', 'tokens', 'guards', 'webhooks', 'webhook_deliveries']) {
      const { rows } = await connection.run(`SELECT r::text FROM ${table} AS r`, [], 60_000);
      dumps.push(rows.join('\n'));
    }
    return dumps.join('\n');
  });
}

/** Removes the store that stands for a data folder. */
export async function removeStore(dataDir: string): Promise<void> {
  memories.delete(dataDir);
  await databases.get(dataDir)?.remove();
  databases.delete(dataDir);
}
