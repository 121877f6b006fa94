/** Reports a comparison, the same way for every part. */
import type { Comparison, SideFigures } from './compare.ts';
import type { Report } from './report.ts';

export interface Goals {
  /** Minimum ratio. */
  readonly ratio?: number;
  /** Maximum p99, in milliseconds. */
  readonly p99Ms?: number;
}

/** @param name what is compared, if a part compares several things. */
export function reportComparison(report: Report, part: string, comparison: Comparison, goals: Goals, name = ''): void {
  const { base, ours, ratio } = comparison;
  const label = (text: string): string => (name === '' ? text : `${name}: ${text}`);
  for (const side of [base, ours]) {
    report.add({
      part,
      name: label(side.name),
      value: side.rate,
      unit: '/s',
      note: toNote(side),
      details: toDetails(side),
    });
  }
  report.add({ part, name: label('ratio'), value: ratio, unit: '', ...atLeast(goals.ratio) });
  if (goals.p99Ms !== undefined)
    report.add({ part, name: label('p99'), value: ours.p99Ms, unit: 'ms', goal: { atMost: goals.p99Ms } });
  for (const side of [base, ours]) {
    if (side.failures > 0) report.wrong(part, `${side.name} gave ${side.failures} answers other than 2xx`);
  }
}

function atLeast(goal: number | undefined): { goal?: { atLeast: number } } {
  return goal === undefined ? {} : { goal: { atLeast: goal } };
}

function toDetails({ name: _name, memory: _memory, rate: _rate, ...details }: SideFigures): Record<string, number> {
  return details;
}

function toNote({ p50Ms, p99Ms, mainThread, otherThreads, generator, cpuUs, mainCpuUs }: SideFigures): string {
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const cpu = Number.isNaN(mainThread)
    ? ''
    : `main thread ${percent(mainThread)} (${mainCpuUs.toFixed(1)} us a request), others ${percent(otherThreads)} (${(cpuUs - mainCpuUs).toFixed(1)} us), `;
  return `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; ${cpu}generator ${percent(generator)}`;
}
