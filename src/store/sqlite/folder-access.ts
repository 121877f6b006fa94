/** Who may access the data folder and its files: only the user of the folder. */
import { chmodSync, chownSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { isSystemError } from '../../system/system-error.ts';
import { toShellWord } from '../../system/to-shell-word.ts';

/**
 * Creates the folder if it is missing; makes it accessible to its owner only (mode 0700).
 * @throws Error if other users can access a folder that also has other files.
 */
export function makeDataFolder(folder: string): void {
  let first: string | undefined;
  try {
    first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    if (isSystemError(cause, 'EEXIST') || isSystemError(cause, 'ENOTDIR'))
      throw new Error('it is not a folder', { cause });
    // So says `recursive` on a read-only disk, too; this call says which it is.
    if (isSystemError(cause, 'ENOENT')) mkdirSync(folder, { mode: 0o700 });
    throw cause;
  }
  if (first !== undefined) syncNewFolders(folder, dirname(first));
  else makePrivate(folder);
}

/** Files of a store or of a fresh disk: safe if the folder's mode changes. */
const ownNames = /^(?:plants\.|initial-token|webhook-key|lost\+found$)/;

/** The set-group-id bit: the folder is of a group, as a volume of Kubernetes with `fsGroup`. */
const ofGroup = 0o2000;

/**
 * Removes the access of other users, and of the group unless the folder is made for one. A
 * folder of another user stays as it is: the files are private, so it is enough that others
 * cannot replace them.
 * @throws Error if other users can replace files, or the folder also has other files.
 */
function makePrivate(folder: string): void {
  const { mode } = statSync(folder);
  const wanted = (mode & ofGroup) === 0 ? 0o700 : mode & 0o7770;
  // Windows has no POSIX modes.
  if (platform() === 'win32' || (mode & 0o077) === 0 || (mode & 0o7777) === wanted) return;
  const shown = `(mode 0${(mode & 0o777).toString(8)})`;
  if (!readdirSync(folder).every((name) => ownNames.test(name))) {
    if (canChange(folder, mode & 0o7777))
      throw new Error(
        `other users can access it ${shown}, and it holds other files; use a folder of its own, or run: chmod 700 ${toShellWord(folder)}`,
      );
  } else if (canChange(folder, wanted)) return;
  if ((mode & 0o002) !== 0)
    throw new Error(
      `other users can write to it ${shown}, and it belongs to another user; use a folder in it, such as ${join(folder, 'plant-store')}`,
    );
}

/** Syncs the parents of new folders. SQLite syncs only the folder of its own files. */
function syncNewFolders(folder: string, top: string): void {
  let path = resolve(folder);
  do {
    path = dirname(path);
    sync(path);
  } while (path !== resolve(top));
}

/** Changes the mode. Returns false if only another user may, or the file system keeps no modes. */
function canChange(path: string, mode: number): boolean {
  return isPermitted(() => chmodSync(path, mode));
}

/** Gives a file that root has made in a data folder to the user of the folder. */
export function giveToOwner(path: string): void {
  const database = statSync(join(dirname(path), 'plants.db'), { throwIfNoEntry: false });
  const folder = statSync(dirname(path));
  // If the folder belongs to a group, the database shows who uses it.
  const { uid, gid } = folder.uid === 0 && database !== undefined ? database : folder;
  // Only root may.
  if (uid !== statSync(path).uid) isPermitted(() => chownSync(path, uid, gid));
}

function isPermitted(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (cause) {
    if (!isSystemError(cause, 'EPERM')) throw cause;
    return false;
  }
}

/**
 * Returns why the system refuses access to the folder or what is in it, and what to do; undefined
 * for another error.
 */
export function findRefusedAccess(folder: string, error: unknown): string | undefined {
  const path = error instanceof Error && 'path' in error ? String(error.path) : folder;
  const [refused, own] = [path + sep, folder + sep];
  // A missing folder is refused by one above it.
  if (!refused.startsWith(own) && !own.startsWith(refused)) return undefined;
  const elsewhere = 'or give another folder with --data-dir';
  if (isSystemError(error, 'EROFS')) return `its file system is read-only; make it writable, ${elsewhere}`;
  if (isSystemError(error, 'EACCES')) return `permission denied; run this as the owner of the folder, ${elsewhere}`;
  return undefined;
}

/** Flushes a file or a folder to disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
