/** Reports resident memory during a part: its maximum, and whether it grows. */
import type { Report } from './report.ts';

/** Maximum growth from the first to the last third that counts as flat, for garbage collection. */
const flatMax = 1.25;
/** Minimum number of samples to detect growth. */
const looksMin = 9;

/** @param maxMib target for the maximum resident memory; absent: none. */
export function reportMemory(report: Report, part: string, looks: readonly number[], name = '', maxMib?: number): void {
  if (looks.length < looksMin) {
    report.skip(
      part,
      looks.length === 0 ? 'the memory cannot be read here' : 'too short to tell whether the memory grows',
    );
    return;
  }
  const label = (text: string): string => (name === '' ? text : `${name}: ${text}`);
  const third = Math.trunc(looks.length / 3);
  const [first, last] = [mean(looks.slice(0, third)), mean(looks.slice(-third))];
  report.add({
    part,
    name: label('resident memory, most'),
    value: Math.max(...looks),
    unit: 'MiB',
    ...(maxMib === undefined ? {} : { goal: { atMost: maxMib } }),
  });
  report.add({
    part,
    name: label('its growth, last third to first'),
    value: last / first,
    unit: 'x',
    goal: { atMost: flatMax },
    note: `${Math.round(first)} to ${Math.round(last)} MiB on average`,
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
