/** Changes as commands show them: rows of a table for people, JSON lines for programs. */
import { type EachField, plantFields } from '../../domain/plant.ts';
import type { Change } from '../../domain/schemas.ts';
import { toJson } from '../../json/to-json.ts';
import { fieldHeads, toCell } from './show-plants.ts';
import { toTable } from './to-table.ts';
import { toIsoTime } from './to-iso-time.ts';

/** Widths of a table that is printed row by row; the name gets the rest. */
const widths = { time: 20, kind: 8, id: 6, by: 10 } as const;
const fieldWidths: EachField<number> = { name: 12, tag: 12 };
const gapWidth = 2;

export function toChangeLine(change: Change): string {
  return `${toJson(change)}\n`;
}

/** The changes of one plant as a table. @param width of the terminal. */
export function toHistoryTable(changes: readonly Change[], width?: number): string {
  const rows = changes.map(({ at, kind, by, ...states }) => [
    toShownTime(at),
    kind,
    ...toStates(states),
    by?.name ?? '',
  ]);
  return toTable([['TIME', 'CHANGE', ...fieldHeads, 'BY'], ...rows], { width, uncut: [0, 1] });
}

/** Formats a change as a row of a table that has no end. */
export function toChangeRow({ at, kind, id, by, ...states }: Change, width?: number): string {
  return toRow([toShownTime(at), kind, id.toString(), ...toStates(states), by?.name ?? ''], width);
}

export function toChangeHead(width?: number): string {
  return toRow(['TIME', 'CHANGE', 'ID', ...fieldHeads, 'BY'], width);
}

/** A long id takes its room from the name. */
function toRow(row: readonly [time: string, kind: string, id: string, ...string[]], width = 100): string {
  const { time, kind, by } = widths;
  const id = Math.max(widths.id, row[2].length);
  const fields = plantFields.map((field) => fieldWidths[field]);
  const fixed = [time, kind, id, ...fields, by];
  const rest = width - fixed.reduce((sum, each) => sum + each + gapWidth, -gapWidth);
  fixed[3] = fieldWidths.name + Math.max(0, rest);
  return toTable([row], { fixed });
}

function toShownTime(at: string): string {
  return toIsoTime(Date.parse(at));
}

/** Each field, with what it was before if that differs; of a deleted plant, what it was. */
function toStates({ plant, before }: Pick<Change, 'plant' | 'before'>): string[] {
  const states = [before, plant].filter((state) => state !== undefined);
  return plantFields.map((field) => [...new Set(states.map((state) => toCell(state, field)))].join(' → ').trim());
}
