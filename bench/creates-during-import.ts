/** Effect of an import on creates: the ratio of their p99 with and without one. */
import { upload } from './bulk.ts';
import type { Bench } from './context.ts';
import { Creates } from './creates.ts';
import { median } from './median.ts';

const ratioGoal = 5;
/** Time from the start of an import to the load, in milliseconds. */
const leadMs = 300;

export async function runCreatesDuringImport(bench: Bench, part: string, csv: string): Promise<void> {
  const { options, report, generator } = bench;
  const { seconds, connections } = options;
  const [alone, during]: [number[], number[]] = [[], []];
  const load = async (port: number, creates: Creates, turn: number): Promise<number> => {
    const result = await generator.run({ port, lines: creates.linesOf(turn, seconds), connections, seconds });
    creates.note(turn, result);
    return result.p99Ms;
  };
  for (let turn = 0; turn < options.turns && (turn === 0 || !bench.isLate()); turn += 1) {
    const service = await bench.startService();
    const creates = new Creates(bench, service);
    await load(service.port, creates, -1);
    alone.push(await load(service.port, creates, 0));
    const stop = new AbortController();
    const importing = upload(service.port, csv, stop.signal).then(
      () => 'ended',
      () => 'stopped',
    );
    await new Promise((resolve) => setTimeout(resolve, leadMs));
    during.push(await load(service.port, creates, 1));
    stop.abort();
    if ((await importing) === 'ended')
      report.say('the import ended before the load on it did; take fewer --seconds or more --rows', part);
    await service.stop();
  }
  const ratios = during.map((p99, turn) => p99 / (alone[turn] ?? NaN));
  report.add({
    part,
    name: 'p99 of creates during an import, to without',
    value: median(ratios),
    unit: 'x',
    goal: { atMost: ratioGoal },
    note: `${median(alone).toFixed(2)} ms without, ${median(during).toFixed(2)} ms with; ${connections} connections`,
  });
}
