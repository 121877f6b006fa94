/** POST /plants on a store of a million plants with random ids, compared with an empty store. */
import { compare } from './compare.ts';
import type { Bench } from './context.ts';
import { toCreateSide } from './creates.ts';
import { reportComparison } from './report-comparison.ts';
import { reportMemory } from './report-memory.ts';

const part = 'create-million';
const goals = { ratio: 0.9, p99Ms: 10 };
const memoryMaxMib = 200;

export async function runCreateMillion(bench: Bench): Promise<void> {
  const { seconds } = bench.options;
  const large = toCreateSide(bench, 'the large store', await bench.largeService());
  const empty = toCreateSide(bench, 'an empty store', await bench.startService());
  const comparison = await compare(bench, empty.side, large.side, seconds);
  reportComparison(bench.report, part, comparison, goals);
  reportMemory(bench.report, part, comparison.ours.memory, '', memoryMaxMib);
  empty.creates.check(part);
  large.creates.check(part);
}
