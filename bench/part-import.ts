/**
 * POST /plants/import of a million CSV rows, compared with `.import` of `sqlite3` into the same
 * schema, and its effect on creates. A row is a plant, its search tokens and its counts. `.import`
 * into the plants table alone is reported without a target.
 */
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

interface Measured {
  readonly sqliteSeconds: number[];
  readonly ourSeconds: number[];
  /** CPU shares of the service's main thread. */
  readonly shares: number[];
  readonly memory: MemoryWatch;
}

export async function runImport(bench: Bench): Promise<void> {
  const { report, workspace } = bench;
  const { rows } = bench.options;
  const csv = writeCsv(bench);
  const template = join(await makeEmptyStore(bench), 'plants.db');
  const hasCli = hasSqliteCli();
  if (!hasCli) report.skip(part, 'sqlite3 is not installed (Debian: apt-get install sqlite3), so there is no ratio');
  const measured = await measure(bench, csv, hasCli ? template : undefined);
  if (measured === undefined) return;
  const { sqliteSeconds, ourSeconds, shares, memory } = measured;
  const addRate = (name: string, seconds: number, note: string): void =>
    report.add({ part, name, value: rows / seconds, unit: '/s', note: `rows; ${note}` });
  if (hasCli) addRate("sqlite3's own .import", median(sqliteSeconds), 'the same schema, with search index and counts');
  if (hasCli && !bench.isLate()) {
    const seconds = await importWithSqlite(workspace, { template, csv, rows, tables: 'plants' });
    addRate('sqlite3, plants alone', seconds, 'once; without search index and counts');
  }
  addRate('the service, over HTTP', median(ourSeconds), `main thread ${Math.round(median(shares) * 100)} %`);
  if (hasCli) {
    const ratios = ourSeconds.map((seconds, turn) => (sqliteSeconds[turn] ?? NaN) / seconds);
    report.add({ part, name: "ratio to sqlite3's own", value: median(ratios), unit: '', goal: { atLeast: ratioGoal } });
  }
  reportMemory(report, part, memory.looks);
  await runCreatesDuringImport(bench, part, csv);
}

/**
 * Each turn imports into a new service.
 * @param template database for sqlite3; skipped if absent.
 */
async function measure(bench: Bench, csv: string, template: string | undefined): Promise<Measured | undefined> {
  const { options, report, workspace } = bench;
  const { rows } = options;
  const measured: Measured = { sqliteSeconds: [], ourSeconds: [], shares: [], memory: new MemoryWatch() };
  for (let turn = 0; turn < options.turns && (turn === 0 || !bench.isLate()); turn += 1) {
    if (template !== undefined)
      measured.sqliteSeconds.push(await importWithSqlite(workspace, { template, csv, rows, tables: 'all' }));
    const { port, pid, folder, stop } = await bench.startService();
    const before = readCpu(pid);
    const { status, text, seconds } = await measured.memory.during(pid, () => upload(port, csv));
    if (status !== 200) {
      report.skip(part, `POST /plants/import answers ${status}: ${text.slice(0, 200)}`);
      return undefined;
    }
    measured.shares.push(((readCpu(pid)?.main ?? NaN) - (before?.main ?? NaN)) / seconds);
    measured.ourSeconds.push(seconds);
    const { created } = JSON.parse(text) as { created?: number };
    if (created !== rows || !holdsPlants(folder, rows))
      report.wrong(part, `the report says ${created ?? 'nothing'} of ${rows} rows, or the store holds others`);
    await stop();
  }
  return measured;
}

/** Every row has a tag: `.import` would store an absent one as empty text. */
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

/** Returns the folder of a stopped service, whose database has the schema and no rows. */
async function makeEmptyStore(bench: Bench): Promise<string> {
  const service = await bench.startService();
  await service.stop();
  return service.folder;
}
