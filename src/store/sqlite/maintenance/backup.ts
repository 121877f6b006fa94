/** Backup of the database file: a copy that is verified, then renamed. */
import { existsSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { openForReading, orClose, readValue } from '../connection.ts';
import { isOfDataFolder, isStoreName, lastBackupPath } from '../data-folder.ts';
import { giveToOwner, sync } from '../folder-access.ts';
import { requireTables } from '../migrations.ts';
import type { CheckResult } from '../../check-result.ts';
import { requireDatabase } from '../store-presence.ts';
import { requireSound } from './check.ts';
import { isFolder, openStored, putInPlace, toImmutable, withCopy } from './database-file.ts';

/** A store that has shrunk by more than this is suspect: an empty one in place of a lost one above all. */
const shrunkFactor = 2;

/**
 * Copies a consistent snapshot of the store, also one of an older version, even while a service
 * writes to it. Resolves once the copy is verified and on disk.
 * @throws Error if there is no store, the copy is damaged or cannot be written, or the existing
 * file has far more plants; keeps an existing file.
 */
export async function backupDatabase(folder: string, file: string): Promise<CheckResult> {
  const database = requireDatabase(folder);
  if (isFolder(file)) throw new Error('it is a folder; name a file in it');
  // A rename would replace it, /dev/null for example.
  if (existsSync(file) && !statSync(file).isFile()) throw new Error('it is not a regular file; choose another name');
  if (!isFolder(dirname(file))) throw new Error(`there is no folder ${dirname(file)}`);
  if (isOfStore(folder, file)) throw new Error('this is a file of the store itself; choose another name');
  if (existsSync(`${file}-shm`))
    throw new Error('this is a store that is open in another process; choose another name');
  // A rename would replace all that it holds.
  if (isOfDataFolder(file)) throw new Error('this is a file of another store; choose another name');
  // Copy through SQLite: a plain file copy would be torn and miss the WAL.
  const source = openStored(database);
  try {
    // A backup belongs before an upgrade, which the first start of a newer version is.
    requireTables(source);
    return await withCopy(source, dirname(file), 'choose another disk', (copy) => {
      const check = requireSound(copy, 'the copy', requireTables);
      if (hasFarMorePlants(file, check.plants))
        throw new Error(
          `it has more than twice as many plants as the store, which has ${check.plants}: plants may be lost. Choose another name, or remove the file if all is well`,
        );
      // Root may make it in a folder of the user of the store, who has to read it and to remove it.
      if (statSync(dirname(file)).uid === statSync(database).uid) giveToOwner(copy);
      sync(copy);
      putInPlace(copy, file);
      noteBackup(folder);
      return check;
    });
  } finally {
    source.close();
  }
}

/** The modification time of an empty file is the time of the last backup. */
function noteBackup(folder: string): void {
  const path = lastBackupPath(folder);
  try {
    writeFileSync(path, '', { mode: 0o600 });
    giveToOwner(path);
  } catch {
    // On a read-only disk the backup counts all the same; what watches its age says that it is old.
  }
}

/** Returns whether a service may have the path open, or needs the file. */
function isOfStore(folder: string, file: string): boolean {
  // A symbolic link may lead to the folder.
  const isInside = realpathSync(dirname(file)) === realpathSync(folder);
  return isInside && isStoreName(file);
}

/** Returns false if the file is no backup that this version can read. */
export function hasFarMorePlants(file: string, plants: number | null): boolean {
  try {
    return orClose(openForReading(toImmutable(file)), (db) => {
      requireTables(db);
      const backedUp = Number(readValue(db, 'SELECT plants FROM plant_count'));
      db.close();
      return backedUp > shrunkFactor * (plants ?? 0);
    });
  } catch {
    return false;
  }
}
