/** One line about the machine, to interpret the figures. */
import { execFile } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { promisify } from 'node:util';
import type { Options } from './options.ts';

export async function describeMachine(generator: string, { turns, seconds, connections }: Options): Promise<string> {
  const sqlite = await promisify(execFile)('sqlite3', ['--version']).then(
    ({ stdout }) => stdout.split(' ')[0] ?? '',
    () => 'missing',
  );
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Linux ${release()}`.replace('Linux', process.platform),
    `Node ${process.version}`,
    `load made by ${generator}`,
    `sqlite3 ${sqlite}`,
    `files in ${tmpdir()}`,
    `load average ${loadavg()[0]?.toFixed(1) ?? ''}`,
    `${turns} turns of ${seconds} s, ${connections} connections`,
  ].join(' · ');
}
