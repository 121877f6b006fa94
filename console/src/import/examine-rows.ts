/** What the rows of a file have that a person may want to correct, found row by row. */
import type { PlantRow } from '../../../src/client/rows.ts';
import { repairId } from './csv-plan.ts';

/** The first lines of some rows, the id or the name on each, and the number of all. */
export interface FoundRows {
  readonly lines: number[];
  readonly examples: string[];
  count: number;
}

export interface RowFindings {
  readonly unnamed: FoundRows;
  readonly numbers: FoundRows;
  readonly withoutId: FoundRows;
  /** Ids that a spreadsheet shows in another way, and those of which it shows only the first digits. */
  readonly repairable: FoundRows;
  readonly rounded: FoundRows;
  readonly tags: ReadonlyMap<string, number>;
}

const linesMax = 5;
/** Tags that are compared: nobody corrects more. */
const tagsMax = 1_000;

export function examineRows() {
  const open = (): FoundRows => ({ lines: [], examples: [], count: 0 });
  const [unnamed, numbers, withoutId, repairable, rounded] = [open(), open(), open(), open(), open()];
  const tags = new Map<string, number>();
  const findings: RowFindings = { unnamed, numbers, withoutId, repairable, rounded, tags };
  const watch = ({ id: text, name, tag, line }: PlantRow, id: bigint | undefined): void => {
    const add = (found: FoundRows, example: string): void => {
      if (found.count++ >= linesMax) return;
      found.lines.push(line);
      found.examples.push(example);
    };
    if (id === undefined) {
      if (text === '') add(withoutId, text);
      else if (/^\d+(?:[.,]\d+)?e\+?\d+$/i.test(text.trim())) add(rounded, text);
      else if (repairId(text) !== undefined) add(repairable, text);
      return;
    }
    if (name.trim() === '') add(unnamed, name);
    else if (/^[-+\d.,'’%€$£\s]+$/.test(name)) add(numbers, name);
    if (tag !== undefined && (tags.has(tag) || tags.size < tagsMax)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  };
  return { findings, watch };
}
