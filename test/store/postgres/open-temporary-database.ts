/** A store in a database of its own on a shared server. What is tested on it is not known here. */
import { randomBytes } from 'node:crypto';
import type { ChangeLimits } from '../../../src/domain/change-log.ts';
import type { NewPlant } from '../../../src/domain/schemas.ts';
import type { Store } from '../../../src/domain/store.ts';
import type { QueueLimits } from '../../../src/store/write-queue.ts';
import type { Engine } from '../../../src/store/postgres/division.ts';
import { Connection, type Login } from '../../../src/store/postgres/connect/connection.ts';
import { type DatabaseAddress, parseDatabaseUrl } from '../../../src/store/postgres/connect/database-url.ts';
import type { ConnectionPool } from '../../../src/store/postgres/connect/connection-pool.ts';
import { Transactions } from '../../../src/store/postgres/connect/transactions.ts';
import { sqlStateOf } from '../../../src/store/postgres/connect/error-code.ts';
import { findProblems } from '../../../src/store/postgres/maintenance/check.ts';
import { migrate } from '../../../src/store/postgres/maintenance/migrations.ts';
import { plantColumns, toPlant } from '../../../src/store/postgres/read/values.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import type { OpenStore } from '../behaviour.ts';
import type { Major } from './server.ts';
import { findServer } from './servers.ts';
import { until } from '../../support/until.ts';

/** Longer than a service waits: what is tested is seldom that wait, and a busy machine may stop this process for seconds. */
const adminWithinMs = 60_000;
/** SQLSTATEs. Of two that give a database one name at once, the loser may get the violation of the index. */
const noSuchDatabase = '3D000';
const nameTaken = new Set<unknown>(['42P04', '23505']);
const roomyLimits: QueueLimits = { writesMax: 10_000, bytesMax: 64 * 1024 * 1024 };

export interface TemporaryDatabase {
  readonly name: string;
  readonly url: string;
  /** A connection of its own. */
  connect(): Promise<Connection>;
  /** Removes the database with everything that is connected to it. */
  remove(): Promise<void>;
}

/** Creates an empty database, or a copy of one that nobody is connected to. */
export async function createDatabase(server: string, template = 'template1'): Promise<TemporaryDatabase> {
  const name = `plants_${randomBytes(6).toString('hex')}`;
  await runAsAdmin(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = `${server}/${name}`;
  return {
    name,
    url,
    connect: () => connectTo(url),
    remove: () => runAsAdmin(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

export async function connectTo(url: string): Promise<Connection> {
  const { address, login } = toLogin(url);
  const [host] = address.hosts;
  if (host === undefined) throw new Error('the URL has no host');
  return Connection.open(host, login);
}

export function toLogin(url: string): { address: DatabaseAddress; login: Login } {
  const address = parseDatabaseUrl(url);
  const { user, database, password = '' } = address;
  const login = {
    user,
    database,
    readPassword: async () => password,
    tls: false,
    connectWithinMs: adminWithinMs,
  } as const;
  return { address, login };
}

/** Opens one more instance on the database, and waits until it has reached it: on a busy machine, the first answer may be late. */
export async function openOn(
  { url }: TemporaryDatabase,
  limits: QueueLimits = roomyLimits,
  changeLimits?: ChangeLimits,
): Promise<Store> {
  const { address, login } = toLogin(url);
  const store = await openPostgresStore(address, login, { limits, changeLimits, onEvent: () => undefined });
  await until(() => !store.isBusy(), 'the store reaches its database');
  return store;
}

/** A function that opens empty stores, all in one database: the next one empties it. */
export function storesOn(major: Major, engine?: Engine): OpenStore {
  const idle: TemporaryDatabase[] = [];
  return async (limits = roomyLimits, changeLimits) => {
    const database = idle.pop() ?? (await createMigratedDatabase(await findServer(major), engine));
    const open = (): Promise<Store> => openOn(database, limits, changeLimits);
    let store = await open();
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await open();
        return store;
      },
      findProblems: () => withConnection(database, findProblems),
      close: async () => {
        await store.close();
        await withConnection(database, empty);
        idle.push(database);
      },
    };
  };
}

/** Creates a database with the current schema: a copy of one that all tests of a server share. */
export async function createMigratedDatabase(server: string, engine: Engine = 'postgres'): Promise<TemporaryDatabase> {
  const template = `migrated_${engine}`;
  const database = await createDatabase(server, template).catch(async (error: unknown) => {
    if (sqlStateOf(error) !== noSuchDatabase) throw error;
    await makeTemplate(server, template, engine);
    return createDatabase(server, template);
  });
  // Each log has an identity of its own.
  const identity = randomBytes(4).toString('hex');
  await withConnection(database, (connection) =>
    connection.run('UPDATE change_log SET identity = $1', [identity], adminWithinMs),
  );
  return database;
}

/** Several may make it at once; one of them wins. */
async function makeTemplate(server: string, name: string, engine: Engine): Promise<void> {
  const made = await createDatabase(server);
  await withConnection(made, (connection) => migrate(connection, engine));
  await runAsAdmin(server, `ALTER DATABASE ${made.name} RENAME TO ${name}`).catch(async (error: unknown) => {
    if (!nameTaken.has(sqlStateOf(error))) throw error;
    await made.remove();
  });
}

async function empty(connection: Connection): Promise<void> {
  const tables = [
    'plants',
    'plant_counts',
    'tag_counts',
    'tokens',
    'guards',
    'change_batches',
    'changes',
    'change_ages',
    'change_groups',
    'webhooks',
  ];
  for (const table of tables) await connection.run(`DELETE FROM ${table}`, [], adminWithinMs);
  await connection.run('UPDATE change_log SET last = 0, trimmed = 0, moved = DEFAULT, served = 0', [], adminWithinMs);
  await connection.run(`UPDATE delivery_lease SET until = '-infinity'`, [], adminWithinMs);
}

/** Runs `use` on a connection of its own. */
export async function withConnection<Result>(
  database: Pick<TemporaryDatabase, 'connect'>,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await database.connect();
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

/** Transactions on one connection, without a pool. @param before called before each one. */
export function transactionsOn(connection: Connection, before = (): Promise<void> => Promise.resolve()): Transactions {
  const use: ConnectionPool['use'] = (work) => before().then(() => work(connection));
  const unused = undefined as never;
  return new Transactions({ use } as never, unused, unused);
}

/** Resolves to the plants that an SQL condition selects. */
export async function selectPlants(connection: Connection, where = 'true'): Promise<Map<bigint, NewPlant>> {
  const { rows } = await connection.run(
    `SELECT ${plantColumns} FROM plants WHERE ${where} ORDER BY id`,
    [],
    adminWithinMs,
  );
  return new Map(rows.map(toPlant).map((plant) => [plant.id, plant]));
}

/** Resolves once no other session uses the database: one that ends has reported what it has read. */
export async function untilAlone(connection: Connection): Promise<void> {
  const others = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
    AND pid <> pg_backend_pid()`;
  await until(async () => (await connection.run(others, [], adminWithinMs)).rows.length === 0, 'it is alone');
}

/** Runs one statement as the superuser, on the server itself. */
export async function runAsAdmin(server: string, sql: string): Promise<void> {
  const connection = await connectTo(`${server}/postgres`);
  try {
    await connection.run(sql, [], adminWithinMs);
  } finally {
    await connection.close();
  }
}
