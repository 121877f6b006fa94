/** Who reads the database in a transaction now, as the system says: SQLite itself does not. */
import { readFileSync, readlinkSync, statSync } from 'node:fs';

/** Bytes of the index of the WAL that readers lock (sqlite.org/walformat.html#locks). */
const [firstByte, lastByte] = [123, 127];

/**
 * Returns such as `process 4711 (sqlite3)`; undefined if the system does not say it. Linux does, in
 * /proc/locks, of processes that this one can see.
 * @param indexPath of the index of the WAL.
 */
export function findReaders(indexPath: string): string | undefined {
  try {
    const file = identityOf(indexPath);
    const locks = readFileSync('/proc/locks', 'utf8').matchAll(/ READ +(\d+) (\S+) (\d+) (\d+)$/gm);
    const pids = [...locks]
      .filter(([, , of, start, end]) => of === file && Number(start) <= lastByte && Number(end) >= firstByte)
      .map(([, pid]) => Number(pid));
    return pids.length === 0 ? undefined : [...new Set(pids)].map(toName).join(', ');
  } catch {
    // Another system.
    return undefined;
  }
}

/** Formats a file as proc_locks(5) does: the device in hexadecimal. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  return `${toHex(major)}:${toHex(minor)}:${ino}`;
}

function toHex(number: bigint): string {
  return number.toString(16).padStart(2, '0');
}

function toName(pid: number): string {
  if (pid === Number(readlinkSync('/proc/self'))) return 'this service';
  try {
    return `process ${pid} (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})`;
  } catch {
    // The process has just ended, or belongs to another user, as with ProtectProc of systemd.
    return `process ${pid}`;
  }
}
