/** Work on a store from outside the service: backup, restore, check. Chooses the adapter, as open-store.ts does. */
import { toSystemReason } from '../observe/system-reason.ts';
import { backupDatabase, restoreDatabase } from './sqlite/maintenance/backup.ts';
import { checkServedDatabase, type StoreReport } from './sqlite/maintenance/check.ts';
import { requireDatabase } from './sqlite/data-folder.ts';

export type { StoreReport };

/** Copies the store of the folder to a file, also while it is served. @throws Error with one clear line; an earlier file is then kept. */
export async function backupStore(folder: string, file: string): Promise<StoreReport> {
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
  folder: string,
  file: string,
  { isForced, suffix }: { readonly isForced: boolean; readonly suffix: string },
): { readonly report: StoreReport; readonly keptAs: string | undefined } {
  try {
    return restoreDatabase(folder, file, isForced, suffix);
  } catch (cause) {
    throw failure(`Cannot restore ${file} to ${folder}`, cause);
  }
}

/** Checks the store, also while it is served; needs the space of a copy beside it. @throws Error when there is none. */
export async function checkStore(folder: string): Promise<StoreReport> {
  try {
    return await checkServedDatabase(requireDatabase(folder));
  } catch (cause) {
    throw failure(`Cannot check ${folder}`, cause);
  }
}

function failure(what: string, cause: unknown): Error {
  return new Error(`${what}: ${toSystemReason(cause)}`, { cause });
}
