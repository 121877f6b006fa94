/** Backup, restore, check and migration, from outside the service. Chooses the adapter. */
import { toSystemReason } from '../system/system-error.ts';
import { backupDatabase } from './sqlite/maintenance/backup.ts';
import { checkServedDatabase } from './sqlite/maintenance/check.ts';
import { type Restored, restoreDatabase } from './sqlite/maintenance/restore.ts';
import type { Engine } from './postgres/division.ts';
import type { Step } from './postgres/maintenance/migrations.ts';
import { findRefusedAccess } from './sqlite/folder-access.ts';
import { requireDatabase } from './sqlite/store-presence.ts';
import type { DatabaseLocation, StoreLocation } from './store-location.ts';
import type { CheckResult } from './check-result.ts';

/**
 * Copies the store to a file, even while it is served.
 * @throws Error with one clear line; an existing file is kept then.
 */
export async function backupStore(location: StoreLocation, file: string): Promise<CheckResult> {
  const folder = requireFolder(location, 'back up', 'pg_dump, or pgBackRest for backups that lose nothing');
  try {
    return await backupDatabase(folder, file);
  } catch (cause) {
    throw failure(`Cannot back up ${folder} to ${file}`, folder, cause);
  }
}

export { hasFarMorePlants } from './sqlite/maintenance/backup.ts';

export interface RestoredStore extends Restored {
  readonly folder: string;
}

/**
 * Puts a backup into the folder; keeps an existing store as `<its name>.<suffix>`.
 * @throws Error with one clear line; the folder is unchanged then.
 */
export function restoreStore(
  location: StoreLocation,
  file: string,
  { isForced, suffix }: { readonly isForced: boolean; readonly suffix: string },
): RestoredStore {
  const folder = requireFolder(location, 'restore', 'pg_restore, or pgBackRest, then "plant-store migrate --restored"');
  try {
    return { ...restoreDatabase(folder, file, isForced, suffix), folder };
  } catch (cause) {
    throw failure(`Cannot restore ${file} to ${folder}`, folder, cause);
  }
}

/**
 * Checks the store, even while it is served; in a folder it needs disk space for a copy,
 * which is made in `copyFolder`, by default in the same folder.
 * @throws Error if there is no store.
 */
export async function checkStore(location: StoreLocation, copyFolder?: string): Promise<CheckResult> {
  if ('url' in location) {
    const { withDatabase } = await import('./postgres/with-database.ts');
    const { checkDatabase } = await import('./postgres/maintenance/check.ts');
    return withDatabase(location, 'check', checkDatabase);
  }
  const { folder } = location;
  try {
    return await checkServedDatabase(requireDatabase(folder), copyFolder);
  } catch (cause) {
    throw failure(`Cannot check ${folder}`, folder, cause);
  }
}

export interface MigrationOptions {
  readonly isDryRun?: boolean;
  /** Whether it is out of a backup: then its positions become new. */
  readonly isRestored?: boolean;
  /** What a new database is made for. Absent: plain PostgreSQL. */
  readonly engine?: Engine | undefined;
}

export interface Migrated {
  readonly steps: readonly Step[];
  readonly schema: number;
  /** Absent: the positions are the old ones. */
  readonly webhooks?: number;
}

/**
 * Migrates the schema of a database, even while services run. Resolves to the steps applied, or
 * with `isDryRun` to those pending, and with `isRestored` to the number of webhooks.
 * @throws Error with one clear line if it cannot be reached, was made for another engine, or has
 * the schema of a newer version; with `isRestored` also if it has no tables, or is served.
 */
export async function migrateStore(
  location: DatabaseLocation,
  { isDryRun = false, isRestored = false, engine }: MigrationOptions = {},
): Promise<Migrated> {
  const { withDatabase } = await import('./postgres/with-database.ts');
  const { findElsewhere, migrate, readSchema, scriptAfter, stepsAfter } =
    await import('./postgres/maintenance/migrations.ts');
  const { renewPositions } = await import('./postgres/maintenance/renew-positions.ts');
  return withDatabase(location, 'migrate', async (connection) => {
    const schema = await readSchema(connection);
    if (isRestored && (schema?.number ?? 0) === 0)
      throw new Error((await findElsewhere(connection, schema)) ?? 'it has no tables yet; restore the backup first');
    if (isDryRun) return { steps: scriptAfter(schema, engine), schema: schema?.number ?? 0 };
    const steps = stepsAfter(schema, engine);
    const taken = await migrate(connection, engine);
    const reached = await readSchema(connection);
    const webhooks = isRestored ? { webhooks: await renewPositions(connection) } : {};
    return { steps: steps.filter(({ number }) => taken.includes(number)), schema: reached?.number ?? 0, ...webhooks };
  });
}

/** @throws Error naming the tool to use, if the store is a database. */
function requireFolder(location: StoreLocation, aim: string, tool: string): string {
  if ('folder' in location) return location.folder;
  throw new Error(`Cannot ${aim} a PostgreSQL database with this command: use ${tool}`);
}

function failure(what: string, folder: string, cause: unknown): Error {
  return new Error(`${what}: ${findRefusedAccess(folder, cause) ?? toSystemReason(cause)}`, { cause });
}
