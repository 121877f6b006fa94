/** How long others wait for a plant while one client asks for much: ratios to the same gets without it. */
import { randomInt } from 'node:crypto';
import { get } from 'node:http';
import { toIdCursor } from '../src/http/operations/paging.ts';
import { upload } from './bulk.ts';
import type { Bench } from './context.ts';
import { idAt, wordsOf } from './plants.ts';
import { median } from './report.ts';
import { token } from './service.ts';

const part = 'others';
const lineCount = 5_000;
const otherConnections = 4;
const longRows = 1_000;
const exportCount = 4;
const batchRows = 20_000;
/** Others should wait for at most so many times as long. */
const goal = { atMost: 3 };

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
      // It outlasts what is measured.
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
}

/** Plants are retagged, again and again, by one request after the other. */
async function measureBatches(bench: Bench, port: number): Promise<void> {
  const rows = Array.from({ length: batchRows }, (_, at) => `${-1 - at},plant ${at},batch 0`);
  await upload(port, bench.workspace.write('batch.csv', ['id,name,tag', ...rows].join('\n')));
  const times: number[] = [];
  await measure(bench, port, `batches of ${batchRows} plants`, async (whileItRuns) => {
    let isOver = false;
    const retag = async (): Promise<void> => {
      while (!isOver) {
        const [from, to] = [times.length, times.length + 1];
        const begunAt = performance.now();
        await sendBatch(port, `{"action":"setTag","plants":{"tag":"batch ${from}"},"tag":"batch ${to}"}`);
        times.push((performance.now() - begunAt) / 1_000);
      }
    };
    const retagging = retag();
    await whileItRuns();
    isOver = true;
    await retagging;
  });
  bench.report.add({ part, name: `batch of ${batchRows} plants`, value: median(times), unit: 's' });
}

async function sendBatch(port: number, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(`http://127.0.0.1:${port}/plants/batch`, { method: 'POST', headers, body });
  const text = await reply.text();
  if (!text.includes(`"changed":${batchRows},`)) throw new Error(`The batch failed: ${text.slice(0, 200)}`);
}

/** @param run does the load, and awaits its callback meanwhile. */
async function measure(
  bench: Bench,
  port: number,
  name: string,
  run: (whileItRuns: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { options, report, workspace, generator } = bench;
  const { rows, seconds, turns } = options;
  const gets = Array.from({ length: lineCount }, () => `/plants/${idAt(randomInt(rows))}\n`).join('');
  const lines = workspace.write('gets', gets);
  const ask = () => generator({ port, lines, connections: otherConnections, seconds });
  const found: { readonly p50: number; readonly p99: number; readonly note: string }[] = [];
  for (let turn = 0; turn < turns && (turn === 0 || !bench.isLate()); turn += 1) {
    const quiet = await ask();
    await run(async () => {
      const beside = await ask();
      const toNote = (of: typeof quiet): string => `${of.p50Ms.toFixed(1)}/${of.p99Ms.toFixed(1)} ms`;
      const [p50, p99] = [beside.p50Ms / quiet.p50Ms, beside.p99Ms / quiet.p99Ms];
      found.push({ p50, p99, note: `last turn: ${toNote(quiet)} to ${toNote(beside)}` });
    });
  }
  const note = found.at(-1)?.note ?? '';
  report.add({ part, name: `${name}: p50`, value: median(found.map(({ p50 }) => p50)), unit: 'x', note });
  report.add({ part, name: `${name}: p99`, value: median(found.map(({ p99 }) => p99)), unit: 'x', goal });
}

function toLongRows(): string {
  const rows = Array.from({ length: longRows }, (_, at) => `${at},${'月'.repeat(1_000)},long`);
  return ['id,name,tag', ...rows].join('\n');
}
