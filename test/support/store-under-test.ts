/** The store that services of this test process use: a data folder, or with TEST_STORE=postgres or postgres-citus a database for each. */
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { NewPlant } from '../../src/domain/schemas.ts';
import type { Engine } from '../../src/store/postgres/buckets.ts';
import {
  createMigratedDatabase,
  type TemporaryDatabase,
  withConnection,
} from '../store/postgres/open-temporary-database.ts';
import type { ReadRequest } from '../store/postgres/reader-thread.ts';
import { findServer } from '../store/postgres/servers.ts';

const readWithinMs = 120_000;
const engines: Readonly<Record<string, Engine | undefined>> = { postgres: 'postgres', 'postgres-citus': 'citus' };
const engine = engines[process.env['TEST_STORE'] ?? ''];
/** By data folder, which names the store of a service in the tests also where the plants are elsewhere. */
const databases = new Map<string, TemporaryDatabase>();

/** The database that stands for a data folder; undefined when the folder itself is the store. */
export async function provideDatabase(dataDir: string): Promise<TemporaryDatabase | undefined> {
  if (engine === undefined) return undefined;
  const database = databases.get(dataDir) ?? (await createMigratedDatabase(await findServer(18), engine));
  databases.set(dataDir, database);
  return database;
}

let reader: Worker | undefined;

/**
 * The plants that the condition selects, of the database that stands for a data folder; undefined when there is none. Blocks this thread
 * while another one reads, because a file is read at once, too.
 */
export function readDatabase(dataDir: string, where: string): Map<bigint, NewPlant> | undefined {
  const database = databases.get(dataDir);
  if (database === undefined) return undefined;
  if (reader === undefined) {
    reader = new Worker(join(import.meta.dirname, '..', 'store', 'postgres', 'reader-thread.ts'));
    reader.unref();
  }
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const request: ReadRequest = { url: database.url, where, answer: port2, done };
  reader.postMessage(request, [port2]);
  Atomics.wait(done, 0, 0, readWithinMs);
  const answer = receiveMessageOnPort(port1)?.message as ReadAnswer | undefined;
  port1.close();
  if (answer?.rows === undefined) throw new Error(answer?.error ?? 'the database cannot be read in time');
  return new Map(answer.rows.map(([id, name, tag]) => [id, { id, name, ...(tag === null ? {} : { tag }) }]));
}

interface ReadAnswer {
  readonly rows?: readonly (readonly [id: bigint, name: string, tag: string | null])[];
  readonly error?: string;
}

/** Variables that let a command find the store of a service. */
export function environmentOf(dataDir: string): Record<string, string> {
  const database = databases.get(dataDir);
  return { PLANT_STORE_DATA_DIR: dataDir, ...(database === undefined ? {} : { DATABASE_URL: database.url }) };
}

/** Everything that the tables hold, as text. */
export async function dumpDatabase(dataDir: string): Promise<string> {
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

/** Removes the database that stands for a data folder. */
export async function removeDatabase(dataDir: string): Promise<void> {
  await databases.get(dataDir)?.remove();
  databases.delete(dataDir);
}
