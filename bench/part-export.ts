/** GET /plants/export of the large store in both formats: rows per second, and constant memory. */
import { download } from './bulk.ts';
import type { Bench } from './context.ts';
import { MemoryWatch } from './process-usage.ts';
import { median } from './report.ts';
import { countStored } from './service.ts';

const part = 'export';
const goal = { atLeast: 300_000 };

export async function runExport(bench: Bench): Promise<void> {
  const { options, report } = bench;
  const { port, pid } = await bench.largeService();
  const wanted = await countStored(port);
  for (const [name, type, headLines] of [
    ['NDJSON', 'application/x-ndjson', 0],
    ['CSV', 'text/csv', 1],
  ] as const) {
    const rates: number[] = [];
    const memory = new MemoryWatch();
    // Warm up: a new process grows to its stable size.
    await download(port, type);
    for (let turn = 0; turn < options.turns && (turn === 0 || !bench.isLate()); turn += 1) {
      const { lines, exported, seconds } = await memory.during(pid, () => download(port, type));
      const rows = lines - headLines;
      rates.push(rows / seconds);
      if (rows !== wanted || exported !== wanted)
        report.wrong(part, `${name}: ${rows} rows, ${exported ?? 'none'} in the trailer; ${wanted} are stored`);
    }
    report.add({ part, name: `${name}: rows`, value: median(rates), unit: '/s', goal, note: `${wanted} rows` });
    report.memory(part, memory.looks, name);
  }
}
