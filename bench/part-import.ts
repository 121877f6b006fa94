/** POST /plants/import of a CSV of a million rows, beside `sqlite3`'s own `.import` of it; and what creates feel of it. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { upload } from './bulk.ts';
import type { Bench } from './context.ts';
import { runCreatesDuringImport } from './creates-during-import.ts';
import { holdsPlants } from './holds-plants.ts';
import { median } from './median.ts';
import { plantAt } from './plants.ts';
import { MemoryWatch, readCpu } from './process-usage.ts';
import { reportMemory } from './report-memory.ts';
import { hasSqliteCli, importWithSqlite } from './sqlite-cli.ts';

const part = 'import';
const ratioGoal = 0.35;
const chunkRows = 10_000;

export async function runImport(bench: Bench): Promise<void> {
  const { options, report, workspace } = bench;
  const csv = writeCsv(bench);
  const template = join(await makeEmptyStore(bench), 'plants.db');
  const hasCli = hasSqliteCli();
  if (!hasCli) report.skip(part, 'sqlite3 is not installed (Debian: apt-get install sqlite3), so there is no ratio');
  const sqliteSeconds: number[] = [];
  const ourSeconds: number[] = [];
  const shares: number[] = [];
  const memory = new MemoryWatch();
  for (let turn = 0; turn < options.turns && (turn === 0 || !bench.isLate()); turn += 1) {
    const service = await bench.startService();
    const before = readCpu(service.pid);
    const { status, text, seconds } = await memory.during(service.pid, () => upload(service.port, csv));
    if (status !== 200) {
      report.skip(part, `POST /plants/import answers ${status}: ${text.slice(0, 200)}`);
      return;
    }
    shares.push(((readCpu(service.pid)?.main ?? NaN) - (before?.main ?? NaN)) / seconds);
    const created = (JSON.parse(text) as { created?: number }).created;
    if (created !== options.rows || !holdsPlants(service.folder, options.rows))
      report.wrong(part, `the report says ${created ?? 'nothing'} of ${options.rows} rows, or the store holds others`);
    await service.stop();
    ourSeconds.push(seconds);
    if (hasCli) sqliteSeconds.push(await importWithSqlite(workspace, template, csv, options.rows));
  }
  const rateOf = (seconds: number): number => options.rows / seconds;
  if (hasCli)
    report.add({ part, name: "sqlite3's own .import", value: rateOf(median(sqliteSeconds)), unit: '/s', note: 'rows' });
  report.add({
    part,
    name: 'the service, over HTTP',
    value: rateOf(median(ourSeconds)),
    unit: '/s',
    note: `rows; main thread ${Math.round(median(shares) * 100)} %`,
  });
  const ratios = ourSeconds.map((seconds, turn) => (sqliteSeconds[turn] ?? NaN) / seconds);
  if (hasCli) report.add({ part, name: 'ratio', value: median(ratios), unit: '', goal: { atLeast: ratioGoal } });
  reportMemory(report, part, memory.looks);
  await runCreatesDuringImport(bench, part, csv);
}

/** Every row has a tag: `.import` would store an absent one as an empty text, and the two would not do the same. */
function writeCsv({ workspace, options }: Bench): string {
  const path = workspace.makePath('plants.csv');
  const file = openSync(path, 'w');
  writeSync(file, 'id,name,tag\r\n');
  for (let first = 0; first < options.rows; first += chunkRows) {
    const rows = Array.from({ length: Math.min(chunkRows, options.rows - first) }, (_, offset) => {
      const { id, name, tag } = plantAt(first + offset);
      return `${id},${name},${tag}\r\n`;
    });
    writeSync(file, rows.join(''));
  }
  closeSync(file);
  return path;
}

/** The folder of a service that has ended: its database has the schema and no rows. */
async function makeEmptyStore(bench: Bench): Promise<string> {
  const service = await bench.startService();
  await service.stop();
  return service.folder;
}
