/** Rows of texts -> an aligned table, one line a row, two spaces between columns. */

/** What would move the cursor or turn the line around is shown as an escape, so that a name cannot dress up as another line. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function toTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((text) => text.replaceAll(unprintable, toEscape)));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => lengthOf(row[column]))));
  return cells
    .map(
      (row) =>
        `${row
          .map((text, column) => pad(text, widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function toEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Counted in code points, which is right for most names; scripts of double width may stand out by a little. */
function lengthOf(text = ''): number {
  return Array.from(text).length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - lengthOf(text));
}
