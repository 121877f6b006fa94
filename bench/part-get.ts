/**
 * GET /plants/{id} on a million plants, a few repeatedly and all at random, compared with a bare
 * server that sends the same bytes.
 */
import { randomInt } from 'node:crypto';
import { capture } from './capture.ts';
import { compare } from './compare.ts';
import type { Bench } from './context.ts';
import { writeLines } from './paths.ts';
import { idAt, plantAt, toBody } from './plants.ts';
import { reportComparison } from './report-comparison.ts';
import { startBare } from './start-bare.ts';

const part = 'get';
/** Repeated reads come from the cache, single ones from the file. */
const ways = [
  { name: '5,000 of them', idsMax: 5_000, goals: { ratio: 0.6 } },
  { name: 'all of them', idsMax: Infinity, goals: {} },
] as const;
/** Number of responses to compare with the stored plants. */
const sampleCount = 200;

export async function runGet(bench: Bench): Promise<void> {
  const service = await bench.largeService();
  for (let count = 0; count < sampleCount; count += 1) {
    const plant = plantAt(randomInt(bench.options.rows));
    const { body } = await capture(service.port, `/plants/${plant.id}`);
    if (body !== toBody(plant)) bench.report.wrong(part, `plant ${plant.id} is answered as ${body}`);
  }
  const bare = await startBare(bench.workspace, await capture(service.port, `/plants/${idAt(0)}`));
  for (const { name, idsMax, goals } of ways) {
    if (bench.isLate()) {
      bench.report.skip(part, `${name}: the run has taken its time`);
      continue;
    }
    const count = Math.min(idsMax, bench.options.rows);
    const lines = writeLines(bench, 'gets', () => `/plants/${idAt(randomInt(count))}`);
    const linesOf = (): string => lines;
    const comparison = await compare(
      bench,
      { name: 'bare server, the same bytes', server: bare, linesOf },
      { name: 'the service', server: service, linesOf },
      bench.options.seconds,
    );
    reportComparison(bench.report, part, comparison, goals, name);
  }
  await bare.stop();
}
