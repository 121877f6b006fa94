/** The PostgreSQL adapter of the store port: a few connections behind a group commit. */
import { ServiceError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import { openQueuedStore, type QueuedStoreOptions } from '../queued-store.ts';
import { limitSearches } from '../searches.ts';
import type { ClusterEvent } from './connect/cluster-event.ts';
import { Cluster } from './connect/cluster.ts';
import { PostgresChangeLog } from './log/postgres-change-log.ts';
import { Committer, partsAtOnce } from './commit/committer.ts';
import { CountSweeper } from './commit/count-sweeper.ts';
import { ConnectionPool } from './connect/connection-pool.ts';
import type { Connection, Login } from './connect/connection.ts';
import { UnusableServerError } from './connect/server-state.ts';
import { type DatabaseAddress, toShownUrl } from './connect/database-url.ts';
import { type Division, undivided } from './division.ts';
import { migrate } from './maintenance/migrations.ts';
import { type OnConnection, readWithinMs } from './connect/statement.ts';
import { detectLostClient, runRead } from './connect/run-read.ts';
import { requireSchema } from './maintenance/require-schema.ts';
import { preparePlantReads } from './read/plant-reads.ts';
import { requireWritableTables } from './maintenance/require-writable-tables.ts';
import { prepareTokenReads, writeToken } from './tables/token-rows.ts';
import { prepareWebhookLease, prepareWebhookReads } from './tables/webhook-rows.ts';
import { Transactions } from './connect/transactions.ts';

/**
 * Maximum connections of one instance, by use. There are as many commits as `writers`. Each takes one
 * connection, with Citus up to `partsAtOnce`.
 */
const connections = { writers: 4, points: 2, lists: 4, snapshots: 4, changes: 2 } as const;
/**
 * Searches leave one connection to pages and to the change log, which need not wait for a search.
 */
const searchesAtOnce = connections.lists - 1;
/**
 * Settings of sessions that write. A transaction waits for its instance for milliseconds. One that
 * waits for longer has lost it, and others wait for its locks: of the change log, all others. A
 * COMMIT that waits for a standby does not count, and is never ended.
 */
const writing = { lock_timeout: '2s', idle_in_transaction_session_timeout: '10s' } as const;
/**
 * Settings of sessions that read, or write what may be lost: for a server that does not notice the
 * end of its client. The service waits for a second less. A COMMIT is not ended: PostgreSQL stops
 * this clock before it.
 */
const reading = { statement_timeout: `${readWithinMs + 1_000}ms` } as const;
/** Rows of a count. When there are more connections that write, they share rows; see `takeSlot`. */
const slots = 64;
/** "Plnt" in ASCII. */
const slotLocks = 0x506c6e74;

export interface PostgresOptions extends QueuedStoreOptions {
  /** Whether to take the steps of the schema that are missing, once the database is reached. */
  readonly migrate?: boolean | undefined;
  /** Called with what an operator should know. */
  readonly onEvent: (event: ClusterEvent) => void;
}

/**
 * Opens the store. Resolves also while the database cannot be reached: then requests are
 * refused with `store_unavailable` until it can.
 * @throws Error with one clear line when the database can never be used, or has no schema or an
 * old one.
 */
export async function openPostgresStore(
  address: DatabaseAddress,
  login: Login,
  { onEvent, migrate: isMigrating = false, ...options }: PostgresOptions,
): Promise<Store> {
  let found = undivided;
  const division = (): Division => found;
  let isReached = false;
  const adopt = async (connection: Connection): Promise<void> => {
    if (isMigrating && !isReached) await migrateTables(connection, onEvent);
    found = await requireSchema(connection, isReached);
    isReached = true;
  };
  const cluster = new Cluster(address.hosts, login, adopt, onEvent);
  try {
    await cluster.start();
  } catch (cause) {
    await cluster.close();
    throw new Error(`Cannot open ${toShownUrl(address)}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const slotOf = new WeakMap<Connection, number>();
  const pools = openPools(cluster, slotOf, division);
  const transactions = (pool: ConnectionPool): Transactions =>
    new Transactions(pool, cluster, (reason) => onEvent({ kind: 'in-doubt', reason }));
  const readPoint: OnConnection = (work) => runRead(cluster, pools.points, work);
  const readList: OnConnection = (work) => runRead(cluster, pools.lists, work);
  const changes = new PostgresChangeLog(readList, transactions(pools.changes));
  const sweeper = new CountSweeper(transactions(pools.changes), division);
  const committer = new Committer(transactions(pools.writers), (connection) => slotOf.get(connection) ?? 0, division);
  const findAbsence = (): ServiceError | undefined =>
    cluster.isWritable ? undefined : new ServiceError('store_unavailable', { cause: cluster.reason });
  return openQueuedStore(
    {
      commit: (writes) => committer.commit(writes),
      commitsMax: connections.writers,
      findAbsence,
      plants: preparePlantReads({
        ...{ readPoint, readList, division },
        snapshots: pools.snapshots,
        searches: limitSearches(searchesAtOnce),
      }),
      changes,
      trimChanges: async (options) => {
        await sweeper.sweep();
        return changes.trim(options);
      },
      tokens: prepareTokenReads(readPoint),
      webhooks: prepareWebhookReads(readPoint),
      otherInstances: { ...prepareWebhookLease(readPoint), subscribe: (listener) => changes.subscribe(listener) },
      // Apart from the commits: they must not wait for a row that another instance touches too.
      touch: async (id, usedAt) => {
        await readPoint((connection) => writeToken(connection, { kind: 'touch-token', id, usedAt }, readWithinMs));
      },
      ping: async () => {
        const absence = findAbsence();
        if (absence !== undefined) throw absence;
        for (const pool of [pools.writers, pools.points, pools.lists, pools.changes]) await pool.requireOne();
        await readPoint((connection) => requireWritableTables(connection, division()));
      },
      // Whatever happens to the database, another request may succeed.
      failed: new Promise(() => undefined),
      close: async () => {
        await Promise.all(Object.values(pools).map((pool) => pool.close()));
        await cluster.close();
      },
    },
    options,
  );
}

/** @param slotOf gets the slot of each connection that writes. */
function openPools(
  cluster: Cluster,
  slotOf: WeakMap<Connection, number>,
  division: () => Division,
): Record<keyof typeof connections, ConnectionPool> {
  return {
    writers: new ConnectionPool(cluster, {
      connectionsMax: connections.writers * partsAtOnce,
      parameters: writing,
      prepare: async (connection) => {
        slotOf.set(connection, await takeSlot(connection));
        const { servers } = division();
        if (servers !== undefined) await connection.run(servers.prepareWriter, [], readWithinMs);
      },
    }),
    // Also notes when a token was last used, which may be lost.
    points: new ConnectionPool(cluster, {
      connectionsMax: connections.points,
      parameters: { ...reading, synchronous_commit: 'off' },
      prepare: detectLostClient,
    }),
    // A generic plan of a list reads the whole table (measured: 660 ms a page).
    lists: new ConnectionPool(cluster, {
      connectionsMax: connections.lists,
      // Every list has an index in its order; a server without statistics might sort the table.
      parameters: { ...reading, plan_cache_mode: 'force_custom_plan', enable_seqscan: 'off', enable_sort: 'off' },
      prepare: detectLostClient,
    }),
    snapshots: new ConnectionPool(cluster, { connectionsMax: connections.snapshots }),
    // Moves changes to the log, and removes old ones. A scan of the changesets would read removed rows, too.
    changes: new ConnectionPool(cluster, {
      connectionsMax: connections.changes,
      parameters: { ...writing, enable_seqscan: 'off' },
    }),
  };
}

/** @throws UnusableServerError when a step fails, and not only the connection. */
async function migrateTables(connection: Connection, onEvent: PostgresOptions['onEvent']): Promise<void> {
  try {
    const schema = (await migrate(connection)).at(-1);
    if (schema !== undefined) onEvent({ kind: 'migrated', schema });
  } catch (error) {
    if (!connection.isUsable || !(error instanceof Error)) throw error;
    throw new UnusableServerError(`its tables cannot be brought up to date: ${error.message}`, { cause: error });
  }
}

/**
 * The row of each count that a connection adds to. A lock reserves it, so that no writer waits for
 * another; the lock ends with the session. When all are reserved, the connection shares one of them:
 * that is slower, and as right.
 */
async function takeSlot(connection: Connection): Promise<number> {
  const { rows } = await connection.run(
    `SELECT slot FROM generate_series(0, ${slots - 1}) AS slot WHERE pg_try_advisory_lock(${slotLocks}, slot) LIMIT 1`,
    [],
    readWithinMs,
  );
  return Number(rows[0]?.[0] ?? Math.floor(Math.random() * slots));
}
