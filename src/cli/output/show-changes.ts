/** Changes as commands show them: rows of a table for people, one JSON object a line for programs. */
import type { Change } from '../../domain/schemas.ts';
import { toJson } from '../../json/to-json.ts';
import { toTable } from './to-table.ts';
import { toTime } from './to-time.ts';

/** Widths of a table that is printed row by row; the name gets the rest. */
const widths = { time: 20, kind: 8, id: 6, tag: 12, by: 10 } as const;
const nameWidthMin = 12;
const gaps = 10;

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
  return toTable([['TIME', 'CHANGE', 'NAME', 'TAG', 'BY'], ...rows], { width, uncut: [0, 1] });
}

/** One row of a table that has no end. */
export function toChangeRow({ at, kind, id, by, ...states }: Change, width?: number): string {
  return toRow([toShownTime(at), kind, id.toString(), ...toStates(states), by?.name ?? ''], width);
}

export function toChangeHead(width?: number): string {
  return toRow(['TIME', 'CHANGE', 'ID', 'NAME', 'TAG', 'BY'], width);
}

/** A long id takes its room from the name. */
function toRow(row: readonly [time: string, kind: string, id: string, ...string[]], width = 100): string {
  const { time, kind, tag, by } = widths;
  const id = Math.max(widths.id, row[2].length);
  const name = Math.max(nameWidthMin, width - (time + kind + id + tag + by + gaps));
  return toTable([row], { fixed: [time, kind, id, name, tag, by] });
}

function toShownTime(at: string): string {
  return toTime(Date.parse(at));
}

/** Name and tag, with what they were before if that differs; of a deleted plant, what they were. */
function toStates({ plant, before }: Pick<Change, 'plant' | 'before'>): [name: string, tag: string] {
  const states = [before, plant].filter((state) => state !== undefined);
  const [names, tags] = [states.map(({ name }) => name), states.map(({ tag }) => (tag === '' ? '""' : (tag ?? '')))];
  return [[...new Set(names)].join(' → '), [...new Set(tags)].join(' → ').trim()];
}
