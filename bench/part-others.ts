/** How long others wait, for a plant or to create one, while one client asks for much. */
import { randomInt } from 'node:crypto';
import { get } from 'node:http';
import { toIdCursor } from '../src/http/operations/paging.ts';
import { upload } from './bulk.ts';
import type { Bench } from './context.ts';
import { measureWait, repeatWhile } from './measure-wait.ts';
import { runOtherWrites, sendBatch, uploadTagged } from './other-writes.ts';
import { idAt, wordsOf } from './plants.ts';
import { median } from './report.ts';
import { token } from './service.ts';

const part = 'others';
const lineCount = 5_000;
const longRows = 1_000;
const exportCount = 4;
const batchRows = 20_000;

/** What one client does, and with how many connections. */
type Load = readonly [name: string, connections: number, toLine: (rows: number) => string];

const loads: readonly Load[] = [
  ['pages of 1,000', 4, (rows) => `/plants?limit=1000&cursor=${toIdCursor(idAt(randomInt(rows)))}`],
  // An unknown parameter makes each one new to the cache of replies.
  ['pages of long rows', 4, () => `/plants?limit=1000&tag=long&new=${randomInt(2 ** 40)}`],
  ['bodies of 5,000 members', 4, () => `{${Array.from({ length: 5_000 }, (_, at) => `"m${at}":0`).join(',')}}`],
  ['searches of parts', 70, () => `/plants?search=${encodeURIComponent(wordsOf.part)}&new=${randomInt(2 ** 40)}`],
  ['searches of one word', 70, () => `/plants?name=${encodeURIComponent(wordsOf.many)}&new=${randomInt(2 ** 40)}`],
];

export async function runOthers(bench: Bench): Promise<void> {
  const { options, workspace } = bench;
  const { port } = await bench.largeService();
  const { seconds } = options;
  await upload(port, workspace.write('long.csv', toLongRows()));
  for (const [name, connections, toLine] of loads) {
    const count = name.startsWith('bodies') ? 1 : lineCount;
    const lines = workspace.write('load', `${Array.from({ length: count }, () => toLine(options.rows)).join('\n')}\n`);
    await measure(bench, port, name, async (whileItRuns) => {
      // The load lasts longer than the measurement.
      const load = bench.generator({ port, lines, connections, seconds: seconds + 1 });
      await whileItRuns();
      await load;
    });
  }
  await measure(bench, port, 'exports that hardly read', async (whileItRuns) => {
    const requests = Array.from({ length: exportCount }, () =>
      get({ port, path: '/plants/export', headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
        response.once('data', () => response.pause());
      }).on('error', () => undefined),
    );
    await whileItRuns();
    for (const request of requests) request.destroy();
  });
  await measureBatches(bench, port);
  await runOtherWrites(bench, port);
}

/** Plants are retagged, again and again, by one request after the other. */
async function measureBatches(bench: Bench, port: number): Promise<void> {
  await uploadTagged(bench, port, 'batch 0', batchRows);
  const times: number[] = [];
  const retag = async (): Promise<void> => {
    const [from, to] = [times.length, times.length + 1];
    const begunAt = performance.now();
    await sendBatch(port, { action: 'setTag', plants: { tag: `batch ${from}` }, tag: `batch ${to}` }, batchRows);
    times.push((performance.now() - begunAt) / 1_000);
  };
  await measure(bench, port, `batches of ${batchRows} plants`, (whileItRuns) => repeatWhile(whileItRuns, [retag]));
  bench.report.add({ part, name: `batch of ${batchRows} plants`, value: median(times), unit: 's' });
}

/** Measures gets. */
function measure(
  bench: Bench,
  port: number,
  name: string,
  run: (whileItRuns: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const toLines = (): string =>
    Array.from({ length: lineCount }, () => `/plants/${idAt(randomInt(bench.options.rows))}\n`).join('');
  return measureWait(bench, port, { name, toLines, run });
}

function toLongRows(): string {
  const rows = Array.from({ length: longRows }, (_, at) => `${at},${'月'.repeat(1_000)},long`);
  return ['id,name,tag', ...rows].join('\n');
}
