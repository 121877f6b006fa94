/** Work on a store from outside the service: backup, restore, check, migrate. Chooses the adapter, as open-store.ts does. */
import { toSystemReason } from '../observe/system-reason.ts';
import { backupDatabase, restoreDatabase } from './sqlite/maintenance/backup.ts';
import { checkServedDatabase, type StoreReport as SqliteReport } from './sqlite/maintenance/check.ts';
import { requireDatabase } from './sqlite/data-folder.ts';
import type { StoreLocation } from './store-location.ts';

/** What a check found. The numbers are null when a file is damaged, so that they cannot be counted. */
export interface StoreReport {
  readonly plants: number | null;
  readonly tags: number | null;
  readonly tokens: number | null;
  readonly schemaVersion: number;
  /** Size of the database without its log. */
  readonly bytes: number;
  /** One sentence each; none when all is well. */
  readonly faults: readonly string[];
  readonly sqliteVersion?: string;
  readonly journalMode?: string;
  readonly postgresVersion?: string;
}

/** A step of a migration. */
export interface MigrationStep {
  readonly number: number;
  readonly sql: string;
}

/** Copies the store of the folder to a file, also while it is served. @throws Error with one clear line; an earlier file is then kept. */
export async function backupStore(location: StoreLocation, file: string): Promise<SqliteReport> {
  const folder = requireFolder(location, 'back up', 'pg_dump, or pgBackRest for backups that lose nothing');
  try {
    return await backupDatabase(folder, file);
  } catch (cause) {
    throw failure(`Cannot back up ${folder} to ${file}`, cause);
  }
}

/**
 * Puts a backup into the folder; a store that is there is kept as `<its name>.<suffix>`.
 * @throws Error with one clear line; the folder is then as it was.
 */
export function restoreStore(
  location: StoreLocation,
  file: string,
  { isForced, suffix }: { readonly isForced: boolean; readonly suffix: string },
): { readonly report: SqliteReport; readonly keptAs: string | undefined; readonly folder: string } {
  const folder = requireFolder(location, 'restore', 'pg_restore, or pgBackRest');
  try {
    return { ...restoreDatabase(folder, file, isForced, suffix), folder };
  } catch (cause) {
    throw failure(`Cannot restore ${file} to ${folder}`, cause);
  }
}

/** Checks the store, also while it is served; in a folder it needs the space of a copy. @throws Error when there is none. */
export async function checkStore(location: StoreLocation): Promise<StoreReport> {
  if ('url' in location) {
    const { withDatabase } = await import('./postgres/with-database.ts');
    const { checkDatabase } = await import('./postgres/maintenance/check.ts');
    return withDatabase(location, 'check', checkDatabase);
  }
  const { folder } = location;
  try {
    return await checkServedDatabase(requireDatabase(folder));
  } catch (cause) {
    throw failure(`Cannot check ${folder}`, cause);
  }
}

/**
 * Brings the schema of a database up to date, also while services run. Resolves to the steps that were taken, or with `isDryRun` to those
 * that would be. @throws Error with one clear line when it cannot be reached, or has the schema of a newer version.
 */
export async function migrateStore(
  location: StoreLocation,
  isDryRun: boolean,
): Promise<{ readonly steps: readonly MigrationStep[]; readonly schema: number }> {
  if ('folder' in location)
    throw new Error('Cannot migrate a data folder with this command: "plant-store serve" brings it up to date itself');
  const { withDatabase } = await import('./postgres/with-database.ts');
  const { migrate, readSchema, stepsAfter } = await import('./postgres/migrations.ts');
  return withDatabase(location, 'migrate', async (connection) => {
    const schema = await readSchema(connection);
    const steps = stepsAfter(schema);
    if (isDryRun) return { steps, schema };
    const taken = await migrate(connection);
    return { steps: steps.filter(({ number }) => taken.includes(number)), schema: await readSchema(connection) };
  });
}

/** @throws Error when the store is a database, naming the tool that does it. */
function requireFolder(location: StoreLocation, aim: string, tool: string): string {
  if ('folder' in location) return location.folder;
  throw new Error(`Cannot ${aim} a PostgreSQL database with this command: use ${tool}`);
}

function failure(what: string, cause: unknown): Error {
  return new Error(`${what}: ${toSystemReason(cause)}`, { cause });
}
