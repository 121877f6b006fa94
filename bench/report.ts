/** Prints figures as a table. */

export interface Figure {
  readonly part: string;
  readonly name: string;
  readonly value: number;
  readonly unit: '' | '/s' | 'us' | 'ms' | 'MiB' | 's' | 'x';
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
  readonly note?: string;
}

/** Maximum growth from the first to the last third that counts as flat, for garbage collection. */
const flatMax = 1.25;
/** Minimum number of samples to detect growth. */
const looksMin = 9;

export class Report {
  /** Whether a result is incorrect, not just slow. */
  isWrong = false;

  add(figure: Figure): void {
    const { part, name, value, unit, goal, note } = figure;
    const verdict = goal === undefined ? undefined : toVerdict(value, goal);
    const goalText = goal === undefined ? '' : 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`;
    const cells = [
      part.padEnd(14),
      name.padEnd(44),
      `${toText(value)} ${unit.padEnd(3)}`.padStart(14),
      goalText.padEnd(10),
      verdict?.padEnd(8) ?? ''.padEnd(8),
      note ?? '',
    ];
    console.log(cells.join(' ').trimEnd());
  }

  /**
   * Reports resident memory during a part: its maximum, and whether it grows.
   * @param maxMib target for the maximum; absent: none.
   */
  memory(part: string, looks: readonly number[], name = '', maxMib?: number): void {
    if (looks.length < looksMin) {
      this.skip(part, 'too few looks at the memory to tell whether it grows');
      return;
    }
    const label = (text: string): string => (name === '' ? text : `${name}: ${text}`);
    const third = Math.trunc(looks.length / 3);
    const [first, last] = [mean(looks.slice(0, third)), mean(looks.slice(-third))];
    const goal = maxMib === undefined ? {} : { goal: { atMost: maxMib } };
    this.add({ part, name: label('resident memory, most'), value: Math.max(...looks), unit: 'MiB', ...goal });
    this.add({
      part,
      name: label('its growth, last third to first'),
      value: last / first,
      unit: 'x',
      goal: { atMost: flatMax },
      note: `${Math.round(first)} to ${Math.round(last)} MiB on average`,
    });
  }

  /** Reports incorrect rows: the run fails. */
  wrong(part: string, text: string): void {
    this.isWrong = true;
    this.say(`WRONG: ${text}`, part);
  }

  /** Reports a part, or a section of one, that could not be measured. */
  skip(part: string, text: string): void {
    this.say(`!!! DID NOT RUN: ${text} !!!`, part);
  }

  say(text: string, part = ''): void {
    console.log(part === '' ? text : `${part.padEnd(14)} ${text}`);
  }
}

function toVerdict(value: number, goal: { readonly atLeast: number } | { readonly atMost: number }): string {
  return ('atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost) ? 'reached' : 'missed';
}

function toText(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 100 ? 0 : 2);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}
