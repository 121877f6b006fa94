/** Nine reads per create on a million plants, compared with a bare server that does both. */
import { capture } from './capture.ts';
import { compare } from './compare.ts';
import type { Bench } from './context.ts';
import { Creates } from './creates.ts';
import { randomStoredId } from './paths.ts';
import { reportComparison } from './report-comparison.ts';
import { startBare } from './start-bare.ts';

const part = 'mixed';

export async function runMixed(bench: Bench): Promise<void> {
  const { seconds } = bench.options;
  const service = await bench.largeService();
  const toPath = (): string => `/plants/${randomStoredId(bench)}`;
  const bare = await startBare(bench.workspace, await capture(service.port, toPath()));
  const creates = new Creates(bench, service, { perCreate: 9, toPath });
  const linesOf = (turn: number): string => creates.linesOf(turn, seconds);
  const comparison = await compare(
    bench,
    { name: 'bare server, the same bytes', server: bare, linesOf },
    { name: 'the service', server: service, linesOf, onResult: (turn, result) => creates.note(turn, result) },
    seconds,
  );
  reportComparison(bench.report, part, comparison, {});
  creates.check(part);
  await bare.stop();
}
