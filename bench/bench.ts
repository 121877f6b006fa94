/**
 * Compares the service with minimal programs, in turns within one run (`npm run bench -- create
 * get`). Figures of different runs or machines are not comparable. With `--store postgres`, compares
 * the service on PostgreSQL with the one on SQLite.
 */
import { openBench } from './context.ts';
import { describeMachine, warnIfBusy } from './machine.ts';
import { readOptions } from './options.ts';
import { runConsole } from './part-console.ts';
import { runCreate } from './part-create.ts';
import { runCreateMillion } from './part-create-million.ts';
import { runExport } from './part-export.ts';
import { runGet } from './part-get.ts';
import { runImport } from './part-import.ts';
import { runList } from './part-list.ts';
import { runLog } from './part-log.ts';
import { runMixed } from './part-mixed.ts';
import { runStreams } from './part-streams.ts';
import { type PostgresBench, toPostgresBench } from './postgres/context.ts';
import { runCreate as runPostgresCreate } from './postgres/part-create.ts';
import { runLarge } from './postgres/part-large.ts';
import { runRead } from './postgres/part-read.ts';
import { runSlow } from './postgres/part-slow.ts';

const partsOf = {
  sqlite: {
    create: runCreate,
    'create-million': runCreateMillion,
    get: runGet,
    list: runList,
    export: runExport,
    import: runImport,
    mixed: runMixed,
    streams: runStreams,
    log: runLog,
    console: runConsole,
  },
  postgres: { create: runPostgresCreate, slow: runSlow, large: runLarge, read: runRead },
};

const options = readOptions(process.argv.slice(2), {
  sqlite: Object.keys(partsOf.sqlite),
  postgres: Object.keys(partsOf.postgres),
});
const bench = toPostgresBench(openBench(options));
const parts: Readonly<Record<string, (bench: PostgresBench) => Promise<void>>> = partsOf[options.store];
const { report, workspace } = bench;
try {
  const warning = warnIfBusy();
  report.say(await describeMachine(bench.generator.name, options));
  if (warning !== undefined) report.say(warning);
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
