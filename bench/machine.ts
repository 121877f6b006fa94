/** A description of the machine and its load, to interpret the figures. */
import { execFile } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { promisify } from 'node:util';
import type { Options } from './options.ts';

/** Load average of the last minute above which other programs affect the figures. */
const quietLoadMax = 1;

/** Returns a warning if the machine is busy before the run; undefined if it is quiet. */
export function warnIfBusy(load = loadavg()[0] ?? 0): string | undefined {
  return load <= quietLoadMax
    ? undefined
    : `WARNING: the machine was not quiet (load average ${load.toFixed(1)} before the run, at most ${quietLoadMax} is quiet); ` +
        'compare only figures of quiet runs';
}

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
    `load average before the run ${loadavg()[0]?.toFixed(1) ?? ''}`,
    `${turns} turns of ${seconds} s, ${connections} connections`,
  ].join(' · ');
}
