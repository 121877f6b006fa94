/** What the rows of a file have that a person may want to correct: rows without a name, and the tags. */
import type { PlantRow } from '../../../src/client/plant-rows.ts';

export interface RowFindings {
  /** The first lines of rows without a name, and the number of all. */
  readonly unnamed: { readonly lines: readonly number[]; readonly count: number };
  /** Tags and their rows. */
  readonly tags: ReadonlyMap<string, number>;
}

/** Lines that are named. */
const linesMax = 5;
/** Tags that are compared: nobody corrects more. */
const tagsMax = 1_000;

/** Finds them row by row. */
export function examineRows() {
  const unnamed = { lines: new Array<number>(), count: 0 };
  const tags = new Map<string, number>();
  const findings: RowFindings = { unnamed, tags };
  const watch = ({ name, tag, line }: PlantRow, id: bigint | undefined): void => {
    if (id === undefined) return;
    if (name.trim() === '' && unnamed.count++ < linesMax) unnamed.lines.push(line);
    if (tag !== undefined && (tags.has(tag) || tags.size < tagsMax)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  };
  return { findings, watch };
}
