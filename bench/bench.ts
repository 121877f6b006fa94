/**
 * Compares the service with a baseline, in turns within one run (`npm run bench -- create get`).
 * Figures of different runs or machines are not comparable.
 */
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { type Bench, openBench } from './context.ts';
import { type Options, readOptions } from './options.ts';
import { runConsole } from './part-console.ts';
import { runCreate, runCreateMillion } from './part-create.ts';
import { runExport } from './part-export.ts';
import { runImport } from './part-import.ts';
import { runOthers } from './part-others.ts';
import { runPeers } from './part-peers.ts';
import { runGet, runList } from './part-read.ts';
import { runSandbox } from './part-sandbox.ts';
import { runStart } from './part-start.ts';

const parts: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  create: runCreate,
  'create-million': runCreateMillion,
  get: runGet,
  list: runList,
  export: runExport,
  import: runImport,
  console: runConsole,
  others: runOthers,
  sandbox: runSandbox,
  peers: runPeers,
  start: runStart,
};
/** Load average of the last minute above which other programs affect the figures. */
const quietLoadMax = 1;

const options = readOptions(process.argv.slice(2), Object.keys(parts));
const bench = openBench(options);
const { report, workspace } = bench;
try {
  report.say(describeMachine(options));
  for (const name of options.parts) {
    if (bench.isLate())
      report.skip(name, `the run has taken its ${options.limitSeconds} s; name it to measure it alone`);
    else await parts[name]?.(bench);
  }
} finally {
  await bench.close();
}
report.say(`took ${Math.round(bench.elapsedSeconds())} s`);
workspace.clear();
// A missed target may be due to the machine; a wrong row never is.
process.exitCode = report.isWrong ? 1 : 0;

function describeMachine({ turns, seconds, connections }: Options): string {
  const load = loadavg()[0] ?? 0;
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${process.platform} ${release()}`,
    `Node ${process.version}`,
    `files in ${tmpdir()}`,
    `${turns} turns of ${seconds} s, ${connections} connections`,
    load > quietLoadMax
      ? `WARNING: load average ${load.toFixed(1)} before the run; compare only figures of a quiet machine`
      : `load average before the run ${load.toFixed(1)}`,
  ].join(' · ');
}
