/** From a database URL to a cluster or a store. */
import type { Store } from '../../domain/store.ts';
import type { DatabaseLocation } from '../store-location.ts';
import type { ClusterEvent } from './connect/cluster-event.ts';
import { Cluster } from './connect/cluster.ts';
import type { Connection } from './connect/connection.ts';
import { parseDatabaseUrl, toShownUrl } from './connect/database-url.ts';
import { toLogin } from './connect/login.ts';
import { openPostgresStore, type PostgresOptions } from './open-postgres-store.ts';

/** How long a command waits for a database that does not answer any more, in milliseconds. */
const giveUpAfterMs = 10_000;
/** How long it waits for a busy one to accept a connection, in milliseconds. */
const connectWithinMs = 5_000;

/** @throws Error with one clear line, as `openPostgresStore`. */
export async function openStoreAt({ url, passwordFile }: DatabaseLocation, options: PostgresOptions): Promise<Store> {
  const address = parseDatabaseUrl(url);
  return openPostgresStore(address, await toLogin(address, passwordFile), options);
}

/**
 * Runs `work` on one connection to the host that accepts writes, whatever its schema.
 * @param aim completes the sentence "Cannot ...".
 * @throws Error with one clear line when it cannot be reached, or when `work` fails.
 */
export async function withDatabase<Result>(
  { url, passwordFile }: DatabaseLocation,
  aim: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const address = parseDatabaseUrl(url);
  const login = { ...(await toLogin(address, passwordFile)), connectWithinMs };
  const silence = new Error('the database does not answer any more');
  let connection: Connection | undefined;
  let givingUp: NodeJS.Timeout | undefined;
  const onEvent = (event: ClusterEvent): void => {
    if (event.kind === 'lost') givingUp ??= setTimeout(() => connection?.destroy(silence), giveUpAfterMs).unref();
    else if (event.kind === 'found') {
      clearTimeout(givingUp);
      givingUp = undefined;
    }
  };
  const cluster = new Cluster(address.hosts, login, async () => undefined, onEvent);
  try {
    await cluster.start();
    if (cluster.primary === undefined) throw cluster.reason ?? new Error('no host accepts writes');
    connection = await cluster.connect();
    try {
      const result = await work(connection);
      await connection.close();
      return result;
    } finally {
      // If the work failed, an open connection would keep the process alive.
      connection.destroy(new Error('the work has ended'));
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot ${aim} ${toShownUrl(address)}: ${reason}`, { cause });
  } finally {
    clearTimeout(givingUp);
    await cluster.close();
  }
}
