/**
 * POST /plants with ascending ids and one name on an empty store, compared with a bare server that
 * echoes the parsed JSON.
 */
import { compare } from './compare.ts';
import type { Bench } from './context.ts';
import { Creates, noReads } from './creates.ts';
import { plainPlantAt } from './plants.ts';
import { reportComparison } from './report-comparison.ts';
import { reportMemory } from './report-memory.ts';
import { startBare } from './start-bare.ts';

const part = 'create';
const goals = { ratio: 0.7, p99Ms: 10 };
const memoryMaxMib = 200;

export async function runCreate(bench: Bench): Promise<void> {
  const { seconds } = bench.options;
  const bare = await startBare(bench.workspace);
  const service = await bench.startService();
  const creates = new Creates(bench, service, noReads, plainPlantAt);
  const linesOf = (turn: number): string => creates.linesOf(turn, seconds);
  const comparison = await compare(
    bench,
    { name: 'bare echo', server: bare, linesOf },
    { name: 'the service', server: service, linesOf, onResult: (turn, result) => creates.note(turn, result) },
    seconds,
  );
  reportComparison(bench.report, part, comparison, goals);
  reportMemory(bench.report, part, comparison.ours.memory, '', memoryMaxMib);
  creates.check(part);
  await bare.stop();
}
