/** Puts two servers under the same load, in turns: A B A B. The caller checks the rows. */
import type { Bench } from './context.ts';
import { median, type Report } from './report.ts';
import { MemoryWatch, readCpu } from './process-usage.ts';
import type { Server } from './workspace.ts';
import type { LoadResult } from './wrk.ts';

export interface Side {
  readonly name: string;
  readonly server: Server;
  /** Returns the request file of a turn; the warm-up is turn -1. */
  readonly linesOf: (turn: number) => string;
  readonly onResult?: (result: LoadResult) => void;
}

export interface SideFigures {
  readonly name: string;
  /** Requests per second. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
  /** CPU share of the main thread, 1 = one core busy. */
  readonly mainThread: number;
  readonly otherThreads: number;
  readonly generator: number;
  /** CPU time of all threads per request, in microseconds; less sensitive to other load. */
  readonly cpuUs: number;
  /** The least of its turns: other load disturbs it least. */
  readonly cpuUsMin: number;
  readonly mainCpuUs: number;
  /** Resident memory over time, in MiB. */
  readonly memory: readonly number[];
}

export interface Comparison {
  readonly base: SideFigures;
  readonly ours: SideFigures;
  /** The median of the turns' ratios of the rate: ours to the baseline's. */
  readonly ratio: number;
  /** The ratio of CPU time per request, of all threads and of the main thread. */
  readonly cpuRatio: number;
  readonly mainCpuRatio: number;
}

export interface Goals {
  /** Minimum ratio of the rates. */
  readonly ratio?: number;
  /** Maximum ratio of the CPU times per request. */
  readonly cpuRatio?: number;
  /** Maximum p99, in milliseconds. */
  readonly p99Ms?: number;
}

const warmUpSeconds = 1;

export async function compare(bench: Bench, base: Side, ours: Side): Promise<Comparison> {
  const sides = [new Measured(base), new Measured(ours)] as const;
  for (const { side } of sides) await load(bench, side, -1, warmUpSeconds);
  for (let turn = 0; turn < bench.options.turns && (turn === 0 || !bench.isLate()); turn += 1) {
    for (const measured of sides) await measured.run(bench, turn);
  }
  const [first, second] = sides;
  const toRatio = (ours: readonly number[], base: readonly number[]): number =>
    median(ours.map((value, turn) => value / (base[turn] ?? NaN)));
  return {
    base: first.toFigures(),
    ours: second.toFigures(),
    ratio: toRatio(second.rates, first.rates),
    cpuRatio: toRatio(second.allUs, first.allUs),
    mainCpuRatio: toRatio(second.mainUs, first.mainUs),
  };
}

/** @param name what is compared, if a part compares several things. */
export function reportComparison(
  report: Report,
  part: string,
  { base, ours, ratio, cpuRatio, mainCpuRatio }: Comparison,
  goals: Goals,
  name = '',
): void {
  const label = (text: string): string => (name === '' ? text : `${name}: ${text}`);
  for (const side of [base, ours]) {
    report.add({ part, name: label(side.name), value: side.rate, unit: '/s', note: toNote(side) });
    if (side.failures > 0) report.wrong(part, `${side.name} gave ${side.failures} answers other than 2xx`);
  }
  const goal = goals.ratio === undefined ? {} : { goal: { atLeast: goals.ratio } };
  report.add({ part, name: label('ratio'), value: ratio, unit: '', ...goal });
  const cpuGoal = goals.cpuRatio === undefined ? {} : { goal: { atMost: goals.cpuRatio } };
  const note = `least ${ours.cpuUsMin.toFixed(1)} to ${base.cpuUsMin.toFixed(1)} us: ${(ours.cpuUsMin / base.cpuUsMin).toFixed(2)}`;
  report.add({ part, name: label('ratio of CPU time a request'), value: cpuRatio, unit: '', ...cpuGoal, note });
  report.add({ part, name: label('ratio of the main thread'), value: mainCpuRatio, unit: '' });
  if (goals.p99Ms !== undefined)
    report.add({ part, name: label('p99'), value: ours.p99Ms, unit: 'ms', goal: { atMost: goals.p99Ms } });
}

async function load(bench: Bench, side: Side, turn: number, seconds: number): Promise<LoadResult> {
  const { options, generator } = bench;
  const { connections } = options;
  const result = await generator({ port: side.server.port, lines: side.linesOf(turn), connections, seconds });
  side.onResult?.(result);
  return result;
}

class Measured {
  readonly side: Side;
  readonly rates: number[] = [];
  /** CPU time a request, in microseconds: of all threads, and of the main one. */
  readonly allUs: number[] = [];
  readonly mainUs: number[] = [];
  readonly #results: LoadResult[] = [];
  readonly #memory = new MemoryWatch();
  #allSeconds = 0;
  #mainSeconds = 0;

  constructor(side: Side) {
    this.side = side;
  }

  async run(bench: Bench, turn: number): Promise<void> {
    const { pid } = this.side.server;
    const before = readCpu(pid);
    const result = await this.#memory.during(pid, () => load(bench, this.side, turn, bench.options.seconds));
    const after = readCpu(pid);
    const allSeconds = (after?.all ?? NaN) - (before?.all ?? NaN);
    this.#allSeconds += allSeconds;
    const mainSeconds = (after?.main ?? NaN) - (before?.main ?? NaN);
    this.#mainSeconds += mainSeconds;
    this.allUs.push((allSeconds * 1e6) / result.requests);
    this.mainUs.push((mainSeconds * 1e6) / result.requests);
    this.#results.push(result);
    this.rates.push(result.requests / result.seconds);
  }

  toFigures(): SideFigures {
    const sum = (pick: (result: LoadResult) => number): number =>
      this.#results.reduce((total, result) => total + pick(result), 0);
    const seconds = sum((result) => result.seconds);
    const requests = sum((result) => result.requests);
    return {
      name: this.side.name,
      rate: median(this.rates),
      p50Ms: median(this.#results.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(this.#results.map(({ p99Ms }) => p99Ms)),
      failures: sum((result) => result.failures),
      mainThread: this.#mainSeconds / seconds,
      otherThreads: (this.#allSeconds - this.#mainSeconds) / seconds,
      generator: sum((result) => result.cpuSeconds) / seconds,
      cpuUs: (this.#allSeconds * 1e6) / requests,
      cpuUsMin: Math.min(...this.allUs),
      mainCpuUs: (this.#mainSeconds * 1e6) / requests,
      memory: this.#memory.looks,
    };
  }
}

function toNote({ p50Ms, p99Ms, mainThread, otherThreads, generator, cpuUs, mainCpuUs }: SideFigures): string {
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const cpu = `main thread ${percent(mainThread)} (${mainCpuUs.toFixed(1)} us a request), others ${percent(otherThreads)} (${(cpuUs - mainCpuUs).toFixed(1)} us)`;
  return `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; ${cpu}, generator ${percent(generator)}`;
}
