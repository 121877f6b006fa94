/**
 * POST /plants: the service on PostgreSQL, with one and with three instances, beside the service on
 * SQLite and a bare loop of inserts.
 */
import type { PostgresBench } from './context.ts';
import { ask } from './server.ts';
import { toHttpSide, toProgramSide } from './sides.ts';
import { runTurns, type SideFigures, toRatio } from './turns.ts';

const part = 'create';

export async function runCreate(bench: PostgresBench): Promise<void> {
  const { report, options } = bench;
  const server = await bench.server();
  const [one, three, plain, full] = await Promise.all(Array.from({ length: 4 }, () => server.createDatabase()));
  if (one === undefined || three === undefined || plain === undefined || full === undefined) return;
  const loop = { inFlight: options.connections };
  const figures = await runTurns(bench, part, server, [
    toHttpSide(bench, 'SQLite, one service', [await bench.startService()]),
    toHttpSide(bench, 'PostgreSQL, one instance', [await bench.startOn(one)]),
    toHttpSide(bench, 'PostgreSQL, three instances', [
      await bench.startOn(three),
      await bench.startOn(three),
      await bench.startOn(three),
    ]),
    toProgramSide(bench, 'bare loop, plants alone', 'bare-loop.ts', { ...loop, url: plain }),
    toProgramSide(bench, 'bare loop, plants and changes', 'bare-loop.ts', {
      ...loop,
      url: full,
      tables: 'plants and changes',
    }),
  ]);
  const [sqlite, single, several, bare, same] = figures;
  if (sqlite === undefined || single === undefined || several === undefined || bare === undefined || same === undefined)
    return;
  const add = (name: string, value: number, goal?: number): void =>
    report.add({ part, name, value, unit: '', ...(goal === undefined ? {} : { goal: { atLeast: goal } }) });
  add('one instance to SQLite', toRatio(single, sqlite), 0.7);
  add('one instance to the loop, the same tables', toRatio(single, same), 1.3);
  add('one instance to the loop, plants alone', toRatio(single, bare));
  report.add({ part, name: 'p99 of one instance', value: single.p99Ms, unit: 'ms', goal: { atMost: 25 } });
  add('three instances to one', toRatio(several, single));
  report.add({
    part,
    name: 'CPU of the database a row, to the loop',
    value: single.databaseUs / same.databaseUs,
    unit: '',
    goal: { atMost: 0.34 },
    note: `${single.databaseUs.toFixed(1)} us to ${same.databaseUs.toFixed(1)} us`,
  });
  await checkRows(bench, part, [
    [one, single],
    [three, several],
  ]);
}

/** Each answered create must be stored, and nothing that was not sent. */
export async function checkRows(
  { report }: PostgresBench,
  name: string,
  sides: readonly (readonly [url: string, figures: SideFigures])[],
): Promise<void> {
  for (const [url, figures] of sides) {
    const stored = Number(await ask(url, 'SELECT count(*) FROM plants'));
    const text = `${figures.name}: ${figures.requests} creates answered, ${stored} stored, ${figures.issued} sent`;
    if (stored < figures.requests || stored > figures.issued) report.wrong(name, text);
    else report.say(`rows: ${text}`, name);
  }
}
