/** GET /plants: pages of 100 from a million plants, compared with a stored page. */
import { toIdCursor } from '../src/http/operations/paging.ts';
import { capture } from './capture.ts';
import { compare } from './compare.ts';
import type { Bench } from './context.ts';
import { randomStoredId, writeLines } from './paths.ts';
import { namees, tagAt } from './plants.ts';
import { reportComparison } from './report-comparison.ts';
import type { Service } from './service.ts';
import { startBare } from './start-bare.ts';

const part = 'list';
const pageRows = 100;

interface Kind {
  readonly name: string;
  readonly toPath: (bench: Bench, number: number) => string;
  /** Minimum ratio. Without one, reported only, and measured for half the time. */
  readonly ratio?: number;
}

const kinds: readonly Kind[] = [
  { name: 'first page', toPath: () => `/plants?limit=${pageRows}`, ratio: 0.5 },
  {
    name: 'random page',
    toPath: (bench) => `/plants?limit=${pageRows}&cursor=${toIdCursor(randomStoredId(bench))}`,
  },
  { name: 'by tag', toPath: (_bench, number) => `/plants?limit=${pageRows}&tag=${encodeURIComponent(tagAt(number))}` },
  { name: 'by a rare name', toPath: () => pathByName(namees.narrow) },
  { name: 'by a common name', toPath: () => pathByName(namees.broad) },
];

export async function runList(bench: Bench): Promise<void> {
  const service = await bench.largeService();
  for (const [index, kind] of kinds.entries()) {
    if (index > 0 && bench.isLate()) bench.report.skip(part, `${kind.name}: the run has taken its time`);
    else await runKind(bench, service, kind);
  }
}

async function runKind(bench: Bench, service: Service, { name, toPath, ratio }: Kind): Promise<void> {
  const page = await capture(service.port, toPath(bench, 0));
  const rows = page.body.split('"id":').length - 1;
  if (rows !== pageRows && bench.options.rows >= 1_000_000)
    bench.report.wrong(part, `${name}: a page of ${rows} plants, not of ${pageRows}`);
  const bare = await startBare(bench.workspace, page);
  const lines = writeLines(bench, 'lists', (number) => toPath(bench, number));
  const linesOf = (): string => lines;
  const seconds = ratio === undefined ? Math.ceil(bench.options.seconds / 2) : bench.options.seconds;
  const comparison = await compare(
    bench,
    { name: 'bare server, the same bytes', server: bare, linesOf },
    { name: 'the service', server: service, linesOf },
    seconds,
  );
  reportComparison(bench.report, part, comparison, ratio === undefined ? {} : { ratio }, name);
  await bare.stop();
}

function pathByName(prefix: string): string {
  return `/plants?limit=${pageRows}&name=${encodeURIComponent(prefix)}`;
}
