/** The same with commits 5 ms slower, which stands for a synchronous standby. */
import type { PostgresBench } from './context.ts';
import { checkRows } from './part-create.ts';
import { toHttpSide, toProgramSide } from './sides.ts';
import { runTurns, toRatio } from './turns.ts';

const part = 'slow commits';
const delayMs = 5;
const manyInFlight = 256;

export async function runSlow(bench: PostgresBench): Promise<void> {
  const { report, options } = bench;
  const server = await bench.server();
  const [one, port, bare] = await Promise.all(Array.from({ length: 3 }, () => server.createDatabase()));
  if (one === undefined || port === undefined || bare === undefined) return;
  const service = await bench.startOn(one);
  await server.delayCommits(delayMs);
  try {
    const [single, atPort, loop] = await runTurns(bench, part, server, [
      toHttpSide(bench, 'PostgreSQL, one instance', [service]),
      toProgramSide(bench, `at the port, ${manyInFlight} under way`, 'port-load.ts', {
        url: port,
        inFlight: manyInFlight,
      }),
      toProgramSide(bench, 'bare loop, plants and changes', 'bare-loop.ts', {
        url: bare,
        inFlight: options.connections,
        tables: 'plants and changes',
      }),
    ]);
    if (single === undefined || atPort === undefined || loop === undefined) return;
    const add = (name: string, value: number, goal: number): void =>
      report.add({ part, name, value, unit: '', goal: { atLeast: goal } });
    add('one instance to the loop', toRatio(single, loop), 0.75);
    add('at the port to the loop', toRatio(atPort, loop), 3);
    await checkRows(bench, part, [
      [one, single],
      [port, atPort],
    ]);
  } finally {
    await server.delayCommits(0);
  }
}
