/** Where in the file of a spreadsheet the plants are: below its titles and headings, above its sums. Without a browser. */
import { type Cells, countHeadings, type CsvPlan } from './csv-plan.ts';
import { parseInt64 } from '../../../src/client/client.ts';

export interface CellRow {
  readonly line: number;
  readonly cells: Cells;
}

const isEmpty = (cell = ''): boolean => cell.trim() === '';

/** The row of the headings, or the first one. Above the headings there are only titles: rows of one cell. */
export function findFirst(rows: readonly CellRow[]): CellRow | undefined {
  const counts = rows.map(({ cells }) => countHeadings(cells));
  const at = counts.indexOf(Math.max(...counts));
  const areTitles = rows.slice(0, at).every(({ cells }) => cells.filter((cell) => !isEmpty(cell)).length === 1);
  // A plant may be called like one heading.
  const isSure = (counts[at] ?? 0) > 1 || (rows[at]?.line ?? 0) > (rows[at - 1]?.line ?? 0) + 1;
  return rows[at > 0 && areTitles && isSure ? at : 0];
}

const sum = /^(?:grand |sub)?(?:total|sum|summe|gesamt|gesamtsumme|zwischensumme|anzahl|totale|somma|suma)[^\p{L}]*$/iu;

/** The line where the rows at the end begin that are no plants; undefined: there are none. @param rows the last ones. */
export function findEnd(rows: readonly CellRow[], { id, name }: CsvPlan): number | undefined {
  const isSum = ({ cells }: CellRow): boolean =>
    (id === 'new' || parseInt64(cells[id] ?? '') === undefined) &&
    !cells.every(isEmpty) &&
    ((isEmpty(cells[name]) && (id === 'new' || !/\d/.test(cells[id] ?? ''))) ||
      cells.some((cell) => sum.test(cell.trim())));
  const last = rows.findLastIndex((row) => !isSum(row));
  return last < 0 ? undefined : rows[last + 1]?.line;
}
