/** Rows of texts -> an aligned table, one line a row, two spaces between columns. */
import { toPrintable } from './to-printable.ts';

const gap = 2;
/** Cut columns keep at least this width, in cells of a terminal. */
const widthMin = 6;

export interface TableOptions {
  /** Cells of a terminal line. Default: no limit. */
  readonly width?: number | undefined;
  /** Indexes of columns that are never cut. */
  readonly uncut?: readonly number[];
  /** Width of each column, instead of what the rows need: for rows that continue a table. */
  readonly fixed?: readonly number[] | undefined;
}

export function toTable(rows: readonly (readonly string[])[], { width, uncut = [], fixed }: TableOptions = {}): string {
  const cells = rows.map((row) => row.map(toPrintable));
  // Math.max is not called with all cells: a call takes no more than some 100,000 arguments.
  const needed = (cells[0] ?? []).map((_, column) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  );
  const widths = needed.map((each, column) => fixed?.[column] ?? each);
  if (width !== undefined) shrink(widths, width, uncut);
  const toLine = (row: readonly string[]): string =>
    row.map((text, column) => pad(cut(text, widths[column] ?? 0), widths[column] ?? 0)).join(' '.repeat(gap));
  return cells.map((row) => `${toLine(row).trimEnd()}\n`).join('');
}

/** Makes the widest columns narrower until the table has the width, if that is possible. */
function shrink(widths: number[], width: number, uncut: readonly number[]): void {
  let excess = widths.reduce((sum, each) => sum + each, gap * (widths.length - 1)) - width;
  while (excess > 0) {
    const candidates = widths.map((each, column) => (uncut.includes(column) ? 0 : each));
    const widest = Math.max(...candidates);
    if (widest <= widthMin) return;
    widths[candidates.indexOf(widest)] = widest - 1;
    excess--;
  }
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [kept, used] = ['', 0];
  for (const character of text) {
    used += widthOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

const noWidth = /^[\p{M}\u200b-\u200d\ufe00-\ufe0f]$/u;
const doubleWidth =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60]$/u;

/** Cells that most terminals take for the text. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += noWidth.test(character) ? 0 : doubleWidth.test(character) ? 2 : 1;
  return width;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
