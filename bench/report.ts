/** Prints figures as a table or as JSON lines. */

export interface Figure {
  readonly part: string;
  readonly name: string;
  readonly value: number;
  readonly unit: '' | '/s' | 'ms' | 'MiB' | 's' | 'x';
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
  readonly note?: string;
  /** The numbers of the note, for JSON only. */
  readonly details?: Readonly<Record<string, number>>;
}

export class Report {
  /** Whether a result is incorrect, not just slow. */
  isWrong = false;
  readonly #isJson: boolean;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  add(figure: Figure): void {
    const { part, name, value, unit, goal, note } = figure;
    const verdict = goal === undefined ? undefined : toVerdict(value, goal);
    if (this.#isJson) {
      console.log(JSON.stringify({ ...figure, verdict }));
      return;
    }
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

  /** Reports incorrect rows: the run fails. */
  wrong(part: string, text: string): void {
    this.isWrong = true;
    this.#line(part, 'wrong', `WRONG: ${text}`);
  }

  /** Reports a part, or a section of one, that could not be measured. */
  skip(part: string, text: string): void {
    this.#line(part, 'skipped', `!!! DID NOT RUN: ${text} !!!`);
  }

  say(text: string, part = ''): void {
    this.#line(part, 'info', text);
  }

  #line(part: string, kind: string, text: string): void {
    console.log(
      this.#isJson ? JSON.stringify({ part, [kind]: text }) : part === '' ? text : `${part.padEnd(14)} ${text}`,
    );
  }
}

function toVerdict(value: number, goal: { readonly atLeast: number } | { readonly atMost: number }): string {
  return ('atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost) ? 'reached' : 'missed';
}

function toText(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 100 ? 0 : 2);
}
