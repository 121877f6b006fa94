/**
 * Reads a trace of the service and returns which responses left before the row that they acknowledge was synced to the write-ahead log.
 * Does not run strace.
 */

import { parseTrace } from './parse-trace.ts';

/** The flags with which the trace must be taken: paths of descriptors, and texts long enough for a page of the log. */
export const straceFlags = [
  '--follow-forks',
  '--decode-fds=path,socket',
  '--string-limit=8192',
  '--trace=pwrite64,write,writev,sendto,fsync,fdatasync',
];

export interface OrderReport {
  /** Marks whose answer left after the fsync of the log that holds them. */
  readonly inOrder: string[];
  /** Marks whose answer left without, with the reason. */
  readonly tooEarly: string[];
}

/**
 * @param marks texts that stand in a plant's name, and so in the page of the log that holds the row and in the body of its answer, and
 * nowhere else.
 */
export function checkOrder(trace: string, marks: readonly string[]): OrderReport {
  const calls = parseTrace(trace);
  const logWrites = calls.filter(({ name, args }) => name === 'pwrite64' && args.includes('/plants.db-wal>'));
  const logSyncs = calls.filter(({ name, args }) => /^f(data)?sync$/.test(name) && args.includes('/plants.db-wal>'));
  const answers = calls.filter(({ name, args }) => /^(writev?|sendto)$/.test(name) && args.includes('HTTP/1.1 200 '));
  const inOrder: string[] = [];
  const tooEarly: string[] = [];
  for (const mark of marks) {
    const answer = answers.find(({ args }) => args.includes(mark));
    const row = logWrites.find(({ args }) => args.includes(mark));
    if (answer === undefined) tooEarly.push(`${mark}: no answer was seen`);
    else if (row === undefined) tooEarly.push(`${mark}: answered, and never written to the log`);
    else {
      const sync = logSyncs.find(({ begin, result }) => result !== undefined && begin > row.end);
      if (sync !== undefined && sync.end < answer.begin) inOrder.push(mark);
      else tooEarly.push(`${mark}: answered in line ${answer.begin}, synced in line ${sync?.end ?? 'none'}`);
    }
  }
  return { inOrder, tooEarly };
}
