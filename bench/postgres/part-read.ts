/** Reads at a million plants, beside the service on SQLite: by id, in pages, by tag and by words. */
import { randomInt } from 'node:crypto';
import { toIdCursor } from '../../src/http/operations/paging.ts';
import { capture } from '../capture.ts';
import { compare } from '../compare.ts';
import { randomStoredId, writeLines } from '../paths.ts';
import { idAt, namees, plantAt, tagAt, toBody } from '../plants.ts';
import { reportComparison } from '../report-comparison.ts';
import type { PostgresBench } from './context.ts';

const part = 'read';
const pageRows = 100;
const sampleCount = 200;

const byName = (words: string): string => `/plants?limit=${pageRows}&name=${encodeURIComponent(words)}`;

const kinds: readonly (readonly [name: string, toPath: (bench: PostgresBench, number: number) => string])[] = [
  ['get', (bench) => `/plants/${idAt(randomInt(bench.options.rows))}`],
  ['page', (bench) => `/plants?limit=${pageRows}&cursor=${toIdCursor(randomStoredId(bench))}`],
  ['by tag', (_bench, number) => `/plants?limit=${pageRows}&tag=${encodeURIComponent(tagAt(number))}`],
  ['by rare words', () => byName(namees.narrow)],
  ['by common words', () => byName(namees.broad)],
];

export async function runRead(bench: PostgresBench): Promise<void> {
  const { report, options } = bench;
  const { service } = await bench.largeDatabase();
  const sqlite = await bench.largeService();
  for (let count = 0; count < sampleCount; count += 1) {
    const plant = plantAt(randomInt(options.rows));
    const { body } = await capture(service.port, `/plants/${plant.id}`);
    if (body !== toBody(plant)) report.wrong(part, `plant ${plant.id} is answered as ${body}`);
  }
  for (const [name, toPath] of kinds) {
    if (bench.isLate()) {
      report.skip(part, `${name}: the run has taken its time`);
      continue;
    }
    const lines = writeLines(bench, 'reads', (number) => toPath(bench, number));
    const linesOf = (): string => lines;
    const comparison = await compare(
      bench,
      { name: 'SQLite', server: sqlite, linesOf },
      { name: 'PostgreSQL', server: service, linesOf },
      options.seconds,
    );
    reportComparison(report, part, comparison, {}, name);
    for (const { name: side, p99Ms } of [comparison.base, comparison.ours])
      report.add({ part, name: `${name}: p99, ${side}`, value: p99Ms, unit: 'ms' });
  }
}
