/**
 * POST /plants/import of many CSV rows, compared with `.import` of `sqlite3` into the same schema,
 * and its effect on creates. A row is a plant, its search tokens and its counts.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { upload } from './bulk.ts';
import type { Bench } from './context.ts';
import { Creates } from './creates.ts';
import { plantAt } from './plants.ts';
import { MemoryWatch, readCpu } from './process-usage.ts';
import { median } from './report.ts';
import { countStored } from './service.ts';
import { hasSqliteCli, importWithSqlite } from './sqlite-cli.ts';

const part = 'import';
const chunkRows = 10_000;
/** Time from the start of an import to the load, in milliseconds. */
const leadMs = 300;

export async function runImport(bench: Bench): Promise<void> {
  const csv = writeCsv(bench);
  await runRates(bench, csv);
  await runCreatesDuringImport(bench, csv);
}

/** Each turn imports into a new store. */
async function runRates(bench: Bench, csv: string): Promise<void> {
  const { options, report, workspace } = bench;
  const { rows } = options;
  const template = hasSqliteCli() && options.store === 'sqlite' ? await makeEmptyStore(bench) : undefined;
  if (template === undefined) report.skip(part, 'no sqlite3 program or no SQLite store, so there is no ratio');
  const sqliteSeconds: number[] = [];
  const ourSeconds: number[] = [];
  const memory = new MemoryWatch();
  const ourUs: number[] = [];
  const otherUs: number[] = [];
  for (let turn = 0; turn < options.turns && (turn === 0 || !bench.isLate()); turn += 1) {
    if (template !== undefined) sqliteSeconds.push(await importWithSqlite(workspace, { template, csv, rows }));
    if (options.against !== undefined) {
      const other = await bench.startBase();
      await upload(other.port, csv);
      otherUs.push(toRowUs(other.pid, rows));
      await other.stop();
    }
    const { port, pid, stop } = await bench.startService();
    const { status, text, seconds } = await memory.during(pid, () => upload(port, csv));
    ourSeconds.push(seconds);
    ourUs.push(toRowUs(pid, rows));
    const stored = await countStored(port);
    if (status !== 200 || stored !== rows)
      report.wrong(part, `status ${status}, ${stored} of ${rows} rows are stored: ${text.slice(0, 200)}`);
    await stop();
  }
  report.add({ part, name: 'CPU time a row, its start included', value: median(ourUs), unit: 'us' });
  if (options.against !== undefined) {
    const value = median(ourUs.map((us, turn) => us / (otherUs[turn] ?? NaN)));
    const note = `${median(otherUs).toFixed(1)} us a row`;
    report.add({ part, name: 'its ratio to the other checkout', value, unit: '', goal: { atMost: 1 }, note });
  }
  report.add({ part, name: 'the service, over HTTP', value: rows / median(ourSeconds), unit: '/s', note: 'rows' });
  if (template !== undefined) {
    const ratio = median(ourSeconds.map((seconds, turn) => (sqliteSeconds[turn] ?? NaN) / seconds));
    report.add({ part, name: "sqlite3's own .import", value: rows / median(sqliteSeconds), unit: '/s', note: 'rows' });
    report.add({ part, name: "ratio to sqlite3's own", value: ratio, unit: '', goal: { atLeast: 0.35 } });
  }
  report.memory(part, memory.looks);
}

/** CPU time a row of a service that has only imported these rows, in microseconds. */
function toRowUs(pid: number, rows: number): number {
  return ((readCpu(pid)?.all ?? NaN) * 1e6) / rows;
}

/** The p99 of creates while an import runs, to the p99 without. */
async function runCreatesDuringImport(bench: Bench, csv: string): Promise<void> {
  const { options, report, generator } = bench;
  const { seconds, connections } = options;
  const ratios: number[] = [];
  for (let turn = 0; turn < options.turns && (turn === 0 || !bench.isLate()); turn += 1) {
    const service = await bench.startService();
    const { port, stop } = service;
    const creates = await Creates.open(bench, service);
    const load = async (nth: number): Promise<number> =>
      (await generator({ port, lines: creates.linesOf(nth), connections, seconds })).p99Ms;
    await load(-1);
    const alone = await load(0);
    const abort = new AbortController();
    const importing = upload(port, csv, abort.signal).then(
      () => 'ended',
      () => 'aborted',
    );
    await sleep(leadMs);
    ratios.push((await load(1)) / alone);
    abort.abort();
    if ((await importing) === 'ended')
      report.say('the import ended before the load on it did; take fewer --seconds or more --rows', part);
    await stop();
  }
  const name = 'p99 of creates during an import, to without';
  report.add({ part, name, value: median(ratios), unit: 'x', goal: { atMost: 5 } });
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

/** Resolves to a database with the schema and no rows. */
async function makeEmptyStore(bench: Bench): Promise<string> {
  const service = await bench.startService();
  await service.stop();
  return join(service.folder, 'plants.db');
}
