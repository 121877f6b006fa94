/** GET /plants/{id} of random plants out of a million, beside a bare server that sends the same bytes. */
import { randomInt } from 'node:crypto';
import { capture } from './capture.ts';
import { compare } from './compare.ts';
import type { Bench } from './context.ts';
import { randomStoredId, writeLines } from './paths.ts';
import { idAt, plantAt, toBody } from './plants.ts';
import { reportComparison } from './report-comparison.ts';
import { startBare } from './start-bare.ts';

const part = 'get';
const goals = { ratio: 0.6 };
/** Answers that are held against what was stored. */
const sampleCount = 200;

export async function runGet(bench: Bench): Promise<void> {
  const service = await bench.largeService();
  for (let count = 0; count < sampleCount; count += 1) {
    const plant = plantAt(randomInt(bench.options.rows));
    const { body } = await capture(service.port, `/plants/${plant.id}`);
    if (body !== toBody(plant)) bench.report.wrong(part, `plant ${plant.id} is answered as ${body}`);
  }
  const bare = await startBare(bench.workspace, await capture(service.port, `/plants/${idAt(0)}`));
  const lines = writeLines(bench, 'gets', () => `/plants/${randomStoredId(bench)}`);
  const linesOf = (): string => lines;
  const comparison = await compare(
    bench,
    { name: 'bare server, the same bytes', server: bare, linesOf },
    { name: 'the service', server: service, linesOf },
    bench.options.seconds,
  );
  reportComparison(bench.report, part, comparison, goals);
  await bare.stop();
}
