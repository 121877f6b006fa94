/** Loads several sides in turns (A B C A B C), and reports what each reached and what it cost. */
import type { Bench } from '../context.ts';
import type { LoadResult } from '../load.ts';
import { median } from '../median.ts';
import { readCpu } from '../process-usage.ts';
import type { BenchServer } from './server.ts';

export interface Side {
  readonly name: string;
  /** Loads it for so many seconds. */
  readonly run: (turn: number, seconds: number) => Promise<LoadResult>;
  /** Processes of the service. */
  readonly pids?: readonly number[];
}

export interface SideFigures {
  readonly name: string;
  readonly rates: readonly number[];
  readonly p99Ms: number;
  /** CPU time of the database a request, in microseconds. */
  readonly databaseUs: number;
  /** Requests that were answered, and those that may have been executed. */
  readonly requests: number;
  readonly issued: number;
}

const warmUpSeconds = 1;

export async function runTurns(
  { options, report, isLate }: Bench,
  part: string,
  server: BenchServer,
  sides: readonly Side[],
): Promise<readonly SideFigures[]> {
  const all = sides.map((side) => ({ side, results: [] as LoadResult[], databaseSeconds: 0, serviceSeconds: 0 }));
  const extra = new Map<Side, LoadResult>();
  for (const { side } of all) extra.set(side, await side.run(-1, warmUpSeconds));
  for (let turn = 0; turn < options.turns && (turn === 0 || !isLate()); turn += 1) {
    for (const each of all) {
      const before = [server.cpuSeconds(), readAll(each.side)] as const;
      each.results.push(await each.side.run(turn, options.seconds));
      each.databaseSeconds += server.cpuSeconds() - before[0];
      each.serviceSeconds += readAll(each.side) - before[1];
    }
  }
  return all.map(({ side, results, databaseSeconds, serviceSeconds }) => {
    const sum = (pick: (result: LoadResult) => number): number =>
      results.reduce((total, each) => total + pick(each), 0);
    const requests = sum((result) => result.requests);
    const warmUp = extra.get(side);
    const failures = sum((result) => result.failures) + (warmUp?.failures ?? 0);
    if (failures > 0) report.wrong(part, `${side.name} gave ${failures} answers other than 2xx`);
    const rates = results.map((result) => result.requests / result.seconds);
    const p99Ms = median(results.map((result) => result.p99Ms));
    const us = (seconds: number): string => `${((seconds * 1e6) / requests).toFixed(1)} us`;
    const clientSeconds = sum((result) => result.cpuSeconds);
    report.add({
      part,
      name: side.name,
      value: median(rates),
      unit: '/s',
      note: `p50 ${median(results.map((result) => result.p50Ms)).toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; CPU a request: database ${us(databaseSeconds)}, service ${us(serviceSeconds)}, client ${us(clientSeconds)}`,
    });
    return {
      name: side.name,
      rates,
      p99Ms,
      databaseUs: (databaseSeconds * 1e6) / requests,
      requests: requests + (warmUp?.requests ?? 0),
      issued: sum((result) => result.issued) + (warmUp?.issued ?? 0),
    };
  });
}

/** The median of the turns' ratios. */
export function toRatio(ours: SideFigures, base: SideFigures): number {
  return median(ours.rates.map((rate, turn) => rate / (base.rates[turn] ?? NaN)));
}

function readAll({ pids = [] }: Side): number {
  return pids.reduce((sum, pid) => sum + (readCpu(pid)?.all ?? NaN), 0);
}
