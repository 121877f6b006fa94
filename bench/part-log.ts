/** POST /plants with the change log, compared with the service without it: on an empty store, and on one of a million plants. */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { compare } from './compare.ts';
import type { Bench } from './context.ts';
import { toCreateSide } from './creates.ts';
import { reportComparison } from './report-comparison.ts';
import { seedFolder } from './seed-folder.ts';
import type { Service } from './service.ts';

const part = 'log';
const goals = { ratio: 0.85 };

export async function runLog(bench: Bench): Promise<void> {
  await compareStores(bench, 'empty', await bench.startWithoutLog(), await bench.startService());
  const { folder } = await seedFolder(bench.workspace, bench.options.rows);
  await compareStores(bench, 'large', await bench.startWithoutLog(folder), await bench.largeService());
}

async function compareStores(bench: Bench, name: string, bare: Service, full: Service): Promise<void> {
  const without = toCreateSide(bench, 'without the log', bare);
  const withLog = toCreateSide(bench, 'with the log', full);
  const before = [readLast(bare), readLast(full)];
  const comparison = await compare(bench, without.side, withLog.side, bench.options.seconds);
  reportComparison(bench.report, part, comparison, goals, name);
  without.creates.check(part);
  withLog.creates.check(part);
  const [logless, logged] = [readLast(bare), readLast(full)];
  if (logless !== before[0]) bench.report.wrong(part, 'the service without the log wrote one');
  if (logged === before[1]) bench.report.wrong(part, 'the service with the log wrote none');
}

/** Returns the number of the newest change. */
function readLast({ folder }: Service): number {
  const db = new DatabaseSync(join(folder, 'plants.db'), { readOnly: true, timeout: 5_000 });
  try {
    return Number(db.prepare('SELECT last FROM change_log').get()?.['last']);
  } finally {
    db.close();
  }
}
