/** How long others wait to create a plant beside all the imports, batches or undos that one token may have. */
import { setTimeout as sleep } from 'node:timers/promises';
import { upload } from './bulk.ts';
import type { Bench } from './context.ts';
import { measureWait, repeatWhile } from './measure-wait.ts';
import { plantAt, toBody } from './plants.ts';
import { token } from './service.ts';

const part = 'others';
const [importsAtOnce, importRows] = [8, 5_000];
const [batchesAtOnce, batchRows] = [4, 5_000];
const undoneRows = 15_000;
/** More than four connections send. */
const createsPerSecond = 20_000;

/** One request of a load. Resolves to the number of rows. */
type Work = () => Promise<number>;

export async function runOtherWrites(bench: Bench, port: number): Promise<void> {
  const tags = Array.from({ length: batchesAtOnce }, (_, at) => `set ${at}`);
  for (const tag of [...tags, 'undo']) await uploadTagged(bench, port, tag, tag === 'undo' ? undoneRows : batchRows);
  await measureBeside(
    bench,
    port,
    `${importsAtOnce} imports`,
    Array.from({ length: importsAtOnce }, () => () => importNew(bench, port)),
  );
  const toRetag = (tag: string): Work => {
    const names = [tag, `${tag}, again`];
    return async () => {
      names.reverse();
      await sendBatch(port, { action: 'setTag', plants: { tag: names[1] }, tag: names[0] }, batchRows);
      return batchRows;
    };
  };
  await measureBeside(bench, port, `${batchesAtOnce} batches`, tags.map(toRetag));
  await measureBeside(bench, port, `undo of ${undoneRows} plants`, [
    async () => {
      const group = crypto.randomUUID();
      await sendBatch(port, { action: 'setTag', plants: { tag: 'undo' }, tag: 'done', group }, undoneRows);
      await sendBatch(port, { action: 'undo', undoes: group }, undoneRows);
      return 2 * undoneRows;
    },
  ]);
}

async function measureBeside(bench: Bench, port: number, name: string, works: readonly Work[]): Promise<void> {
  const { options, report, takeIndexes } = bench;
  const toLines = (): string => {
    const count = createsPerSecond * options.seconds;
    const first = takeIndexes(count);
    return Array.from({ length: count }, (_, at) => `${toBody(plantAt(first + at))}\n`).join('');
  };
  const measureRate = async (whileItRuns: () => Promise<void>): Promise<number> => {
    let rows = 0;
    const begunAt = performance.now();
    await repeatWhile(
      whileItRuns,
      works.map((work) => async () => {
        const done = await work();
        rows += done;
      }),
    );
    return (1_000 * rows) / (performance.now() - begunAt);
  };
  const alone = await measureRate(() => sleep(1_000 * options.seconds));
  let beside = 0;
  await measureWait(bench, port, {
    name: `creates beside ${name}`,
    toLines,
    run: async (whileItRuns) => void (beside = await measureRate(whileItRuns)),
  });
  report.add({ part, name: `${name}, rows`, value: alone, unit: '/s', note: `beside creates: ${Math.round(beside)}` });
}

async function importNew({ workspace, takeIndexes }: Bench, port: number): Promise<number> {
  const first = takeIndexes(importRows);
  const rows = Array.from({ length: importRows }, (_, at) => plantAt(first + at));
  const lines = ['id,name,tag', ...rows.map(({ id, name, tag }) => `${id},${name},${tag}`)];
  const { text } = await upload(port, workspace.write('import.csv', lines.join('\n')));
  if (!text.includes(`"created":${importRows},`)) throw new Error(`The import failed: ${text.slice(0, 200)}`);
  return importRows;
}

/** Stores plants with this tag, whose ids no other load has. */
export async function uploadTagged(bench: Bench, port: number, tag: string, count: number): Promise<void> {
  const first = bench.takeIndexes(count);
  const rows = Array.from({ length: count }, (_, at) => `${plantAt(first + at).id},plant ${at},${tag}`);
  await upload(port, bench.workspace.write('tagged.csv', ['id,name,tag', ...rows].join('\n')));
}

/** @throws Error unless it changes so many plants. */
export async function sendBatch(port: number, batch: object, changed: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify(batch);
  const reply = await fetch(`http://127.0.0.1:${port}/plants/batch`, { method: 'POST', headers, body });
  const text = await reply.text();
  if (!text.includes(`"changed":${changed},`)) throw new Error(`The batch failed: ${text.slice(0, 200)}`);
}
