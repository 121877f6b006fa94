/** POST /plants: on an empty store, and on a large one with random ids. */
import { compare, reportComparison } from './compare.ts';
import type { Bench } from './context.ts';
import { Creates } from './creates.ts';
import { plainPlantAt } from './plants.ts';

const memoryMaxMib = 200;

/** Ascending ids and one name, compared with the baseline. */
export async function runCreate(bench: Bench): Promise<void> {
  const part = 'create';
  const base = await bench.startBase();
  const creates = await Creates.open(bench, await bench.startService(), plainPlantAt);
  const comparison = await compare(
    bench,
    { name: base.name, server: base, linesOf: (turn) => creates.linesOf(turn) },
    creates.toSide('the service'),
  );
  reportComparison(bench.report, part, comparison, { ratio: 0.7, p99Ms: 10 });
  bench.report.memory(part, comparison.ours.memory, '', memoryMaxMib);
  await creates.check(part);
  await base.stop();
}

/** Compared with an empty store. */
export async function runCreateMillion(bench: Bench): Promise<void> {
  const part = 'create-million';
  const large = await Creates.open(bench, await bench.largeService());
  const empty = await Creates.open(bench, await bench.startService());
  const comparison = await compare(bench, empty.toSide('an empty store'), large.toSide('the large store'));
  reportComparison(bench.report, part, comparison, { ratio: 0.75, p99Ms: 20 });
  bench.report.memory(part, comparison.ours.memory, '', memoryMaxMib);
  await empty.check(part);
  await large.check(part);
}
