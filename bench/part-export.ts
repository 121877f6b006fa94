/** GET /plants/export of the large store in both formats: rows per second, and constant memory. */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { download } from './bulk.ts';
import type { Bench } from './context.ts';
import { median } from './median.ts';
import { MemoryWatch, readCpu } from './process-usage.ts';
import { reportMemory } from './report-memory.ts';
import type { Service } from './service.ts';

const part = 'export';
const rowsPerSecondGoal = 300_000;
const forms = [
  { name: 'NDJSON', type: 'application/x-ndjson', headLines: 0 },
  { name: 'CSV', type: 'text/csv', headLines: 1 },
] as const;

export async function runExport(bench: Bench): Promise<void> {
  const service = await bench.largeService();
  const wanted = countRows(service.folder);
  for (const form of forms) await runForm(bench, service, form, wanted);
}

async function runForm(
  { options, report, isLate }: Bench,
  { port, pid }: Service,
  { name, type, headLines }: (typeof forms)[number],
  wanted: number,
): Promise<void> {
  const rates: number[] = [];
  const shares: number[] = [];
  const memory = new MemoryWatch();
  // Warm up: a new process grows to its stable size.
  await download(port, type);
  for (let turn = 0; turn < options.turns && (turn === 0 || !isLate()); turn += 1) {
    const before = readCpu(pid);
    const { status, lines, exported, seconds } = await memory.during(pid, () => download(port, type));
    if (status !== 200) {
      report.skip(part, `GET /plants/export as ${type} answers ${status}`);
      return;
    }
    shares.push(((readCpu(pid)?.main ?? NaN) - (before?.main ?? NaN)) / seconds);
    const rows = lines - headLines;
    rates.push(rows / seconds);
    if (rows !== wanted || exported !== wanted)
      report.wrong(part, `${name}: ${rows} rows, and ${exported ?? 'none'} in the trailer; the store holds ${wanted}`);
  }
  report.add({
    part,
    name: `${name}: rows`,
    value: median(rates),
    unit: '/s',
    goal: { atLeast: rowsPerSecondGoal },
    note: `${wanted} rows; main thread ${Math.round(median(shares) * 100)} %`,
  });
  reportMemory(report, part, memory.looks, name);
}

function countRows(folder: string): number {
  const db = new DatabaseSync(join(folder, 'plants.db'), { readOnly: true, timeout: 5_000 });
  try {
    return Number(db.prepare('SELECT count(*) AS rows FROM plants').get()?.['rows']);
  } finally {
    db.close();
  }
}
