/** The limit on open files: how many connections it leaves, and the least with which a service starts. */
import { readFileSync } from 'node:fs';
import { options } from '../../config/options.ts';
import { UsageError } from '../../config/usage-error.ts';
import type { Log } from '../../observe/log.ts';

/**
 * Kept for the store, its snapshots, the log and the pages (measured: 45 at most), and for a connection to each of 100
 * webhooks. Without them, the system closes connections that the service never sees, and exports fail.
 */
const filesReserved = 192;
/** With fewer, a single proxy or browser could use all connections. */
const filesMin = 256;

const remedy = 'with "ulimit -n", or LimitNOFILE in systemd';

/** Not asynchronous: a signal that came early waits for a listener. @throws UsageError if the process may open too few files. */
export function requireOpenFiles(): void {
  const files = readOpenFilesMax();
  if (files < filesMin)
    throw new UsageError(`Cannot start with a limit of ${files} open files: raise it to ${filesMin} or more ${remedy}`);
}

/** Bounds connections by the limit on open files: strangers must not use up the store's. */
export function fitConnections(wanted: number, log: Log): number {
  const files = readOpenFilesMax();
  const connectionsMax = Math.max(1, Math.min(wanted, files - filesReserved));
  if (connectionsMax < wanted)
    log.warn(
      { openFilesMax: files, connectionsMax },
      `The limit on open files allows fewer connections than ${options.connectionsMax.flag} (${wanted}): raise it to ${wanted + filesReserved} ${remedy}`,
    );
  return connectionsMax;
}

function readOpenFilesMax(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity);
  } catch {
    // Other systems than Linux have no such file: connections are bounded by what was configured alone.
    return Infinity;
  }
}
