/** The CPU time of this process and of its ended child processes. */
import { readFileSync } from 'node:fs';

/** Stands before it in the diagnostic of a test file. */
export const cpuPrefix = 'CPU seconds: ';

/** Ticks of /proc in a second: fixed on Linux, whatever the kernel's own rate. */
const ticksPerSecond = 100;

/** Returns seconds, user and system. Where there is no /proc, those of this process alone. */
export function usedCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the command may contain spaces; after it, fields 14 and 15 are of the children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return own + (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  } catch {
    return own;
  }
}
