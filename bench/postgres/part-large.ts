/** A million plants: import and export at the store port, and creates beside an empty database. */
import { join } from 'node:path';
import { median } from '../median.ts';
import type { PostgresBench } from './context.ts';
import { ask } from './server.ts';
import { toHttpSide } from './sides.ts';
import { runTurns, toRatio } from './turns.ts';

const exportGoal = 300_000;
const flatGoal = 0.9;

export async function runLarge(bench: PostgresBench): Promise<void> {
  const { url, service } = await bench.largeDatabase();
  await runExport(bench, url);
  const server = await bench.server();
  const [empty, large] = await runTurns(bench, 'create large', server, [
    toHttpSide(bench, 'an empty database', [await bench.startOn(await server.createDatabase())]),
    toHttpSide(bench, `${bench.options.rows} plants`, [service]),
  ]);
  if (empty === undefined || large === undefined) return;
  const goal = { atLeast: flatGoal };
  bench.report.add({ part: 'create large', name: 'ratio', value: toRatio(large, empty), unit: '', goal });
}

async function runExport({ workspace, options, report }: PostgresBench, url: string): Promise<void> {
  const wanted = Number(await ask(url, 'SELECT count(*) FROM plants'));
  const rates: number[] = [];
  for (let turn = 0; turn < options.turns; turn += 1) {
    const args = [join(import.meta.dirname, 'port-export.ts'), url];
    const output = await workspace.run({ command: process.execPath, args });
    const { rows, seconds } = JSON.parse(output) as { rows: number; seconds: number };
    rates.push(rows / seconds);
    if (rows !== wanted) report.wrong('export', `${rows} rows were read of ${wanted}`);
  }
  const goal = { atLeast: exportGoal };
  report.add({ part: 'export', name: 'at the port: rows', value: median(rates), unit: '/s', goal });
}
