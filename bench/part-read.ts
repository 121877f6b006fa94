/** GET /plants/{id} and pages of GET /plants on a large store. */
import { randomInt } from 'node:crypto';
import { toIdCursor } from '../src/http/operations/paging.ts';
import { compare, reportComparison } from './compare.ts';
import type { Bench } from './context.ts';
import { idAt, plantAt, tagAt, toBody, wordsOf } from './plants.ts';
import { read } from './service.ts';

const pageRows = 100;
/** Requests per file; longer loads repeat it. */
const lineCount = 50_000;
/** Number of responses to compare with the stored plants. */
const sampleCount = 200;

/** A name, the path of a request, and the least ratio if one is asked. */
type Kind = readonly [name: string, toPath: (rows: number, number: number) => string, ratio?: number];

/** Repeated reads come from the cache, single ones from the store. */
const gets: readonly Kind[] = [
  ['5,000 of them', (rows) => `/plants/${idAt(randomInt(Math.min(5_000, rows)))}`, 0.6],
  ['all of them', (rows) => `/plants/${idAt(randomInt(rows))}`],
];

const lists: readonly Kind[] = [
  ['first page', () => toPage(''), 0.5],
  ['random page', (rows) => toPage(`&cursor=${toIdCursor(idAt(randomInt(rows)))}`)],
  ['by tag', (_rows, number) => toPage(`&tag=${encodeURIComponent(tagAt(number))}`)],
  ['by a rare name', () => toPage(`&name=${encodeURIComponent(wordsOf.few)}`)],
  ['by a common name', () => toPage(`&name=${encodeURIComponent(wordsOf.many)}`)],
];

export async function runGet(bench: Bench): Promise<void> {
  const { port } = await bench.largeService();
  for (let count = 0; count < sampleCount; count += 1) {
    const plant = plantAt(randomInt(bench.options.rows));
    const { body } = await read(port, `/plants/${plant.id}`);
    if (body !== toBody(plant)) bench.report.wrong('get', `plant ${plant.id} is answered as ${body}`);
  }
  await runKinds(bench, 'get', gets);
}

export async function runList(bench: Bench): Promise<void> {
  await runKinds(bench, 'list', lists);
}

async function runKinds(bench: Bench, part: string, kinds: readonly Kind[]): Promise<void> {
  const { options, report, workspace } = bench;
  const service = await bench.largeService();
  for (const [name, toPath, ratio] of kinds) {
    if (bench.isLate()) {
      report.skip(part, `${name}: the run has taken its time`);
      continue;
    }
    const base = await bench.startLargeBase(await read(service.port, toPath(options.rows, 0)));
    const requests = Array.from({ length: lineCount }, (_, number) => `${toPath(options.rows, number)}\n`);
    const lines = workspace.write('reads', requests.join(''));
    const linesOf = (): string => lines;
    const comparison = await compare(
      bench,
      { name: base.name, server: base, linesOf },
      { name: 'the service', server: service, linesOf },
    );
    reportComparison(report, part, comparison, ratio === undefined ? {} : { ratio }, name);
  }
}

function toPage(query: string): string {
  return `/plants?limit=${pageRows}${query}`;
}
