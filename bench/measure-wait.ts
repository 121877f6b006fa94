/** How long requests take beside a load: ratios to the same requests without it, in turns. */
import type { Bench } from './context.ts';
import { median } from './report.ts';

const part = 'others';
const connections = 4;
/** How many times as long other clients may wait. */
const goal = { atMost: 3 };

export interface Waiting {
  readonly name: string;
  /** What the others ask for, a line each: see `Load.lines`. */
  readonly toLines: () => string;
  /** Does the load, and awaits its callback meanwhile. */
  readonly run: (whileItRuns: () => Promise<void>) => Promise<void>;
}

export async function measureWait(bench: Bench, port: number, { name, toLines, run }: Waiting): Promise<void> {
  const { options, report, workspace, generator } = bench;
  const { seconds, turns } = options;
  const ask = () => generator({ port, lines: workspace.write('asked', toLines()), connections, seconds });
  const found: { readonly p50: number; readonly p99: number; readonly note: string }[] = [];
  for (let turn = 0; turn < turns && (turn === 0 || !bench.isLate()); turn += 1) {
    const quiet = await ask();
    await run(async () => {
      const beside = await ask();
      const failures = quiet.failures + beside.failures;
      if (failures > 0) report.wrong(part, `${name}: ${failures} requests failed`);
      const toNote = (of: typeof quiet): string => `${of.p50Ms.toFixed(1)}/${of.p99Ms.toFixed(1)} ms`;
      const [p50, p99] = [beside.p50Ms / quiet.p50Ms, beside.p99Ms / quiet.p99Ms];
      found.push({ p50, p99, note: `last turn: ${toNote(quiet)} to ${toNote(beside)}` });
    });
  }
  const note = found.at(-1)?.note ?? '';
  report.add({ part, name: `${name}: p50`, value: median(found.map(({ p50 }) => p50)), unit: 'x', note });
  report.add({ part, name: `${name}: p99`, value: median(found.map(({ p99 }) => p99)), unit: 'x', goal });
}

/** Repeats each of the works, side by side, until the callback has ended. */
export async function repeatWhile(
  callback: () => Promise<void>,
  works: readonly (() => Promise<void>)[],
): Promise<void> {
  let isOver = false;
  const running = works.map(async (work) => {
    while (!isOver) await work();
  });
  try {
    await callback();
  } finally {
    isOver = true;
  }
  await Promise.all(running);
}
