/** Joins changes that were made together: those of a batch, and those that follow each other quickly, as in an import. Without a browser. */
import type { Change } from '../../../src/client/client.ts';
import { findUndone } from '../../../src/client/make-group.ts';
import { areEqual } from '../../../src/domain/plant.ts';

/** The longest pause within an import, in milliseconds. */
const pauseMaxMs = 5_000;
/** Fewer changes without a batch are not joined. */
const joinedMin = 3;

/** @param changes newest first, as in each group. The groups are in the order of their newest changes. */
export function groupChanges(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  const last = new Map<string, Change[]>();
  for (const change of changes) {
    // No name of a batch has a space.
    const key = change.group ?? `${change.by?.token} ${change.kind}`;
    const group = last.get(key);
    const later = group?.at(-1);
    if (later !== undefined && (change.group !== undefined || isSoonAfter(later, change))) group?.push(change);
    else {
      const fresh = [change];
      groups.push(fresh);
      last.set(key, fresh);
    }
  }
  return groups.flatMap((group) =>
    group.length < joinedMin && group[0]?.group === undefined ? group.map((change) => [change]) : [group],
  );
}

/** Whether a batch gave all its plants the same tag, and nothing else. */
export function isTagging(line: readonly Change[]): boolean {
  return line.every(
    ({ group, plant, before }) =>
      group !== undefined &&
      plant !== undefined &&
      before !== undefined &&
      areEqual({ ...plant, tag: '' }, { ...before, tag: '' }) &&
      plant.tag === line[0]?.plant?.tag,
  );
}

/** A line of the activity. */
export interface Entry {
  /** Newest first. */
  readonly line: readonly Change[];
  /** Number of plants. */
  readonly count: number;
  /** There may be more of it, which was not read. */
  readonly isCut: boolean;
  /** One change, which is the last of its plant. */
  readonly isLast: boolean;
  /** Of a group, the plants that later ones gave back. */
  readonly undone: number;
  /** What its group undid. */
  readonly undoes: Entry | undefined;
}

/**
 * As far as the changes, and the names of their groups, say it.
 * @param plants numbers of plants of groups, of which a part was read.
 * @param isWhole whether there are no older changes.
 */
export function toEntries(
  changes: readonly Change[],
  plants: ReadonlyMap<string, number> = new Map(),
  isWhole = true,
): Entry[] {
  const last = new Map(changes.toReversed().map(({ id, position }) => [id, position]));
  const undone = new Map<string, number>();
  const counted = groupChanges(changes).map((line) => {
    const [{ id, position, group = '' } = { id: 0n, position: '' }] = line;
    const count = Math.max(new Set(line.map((each) => each.id)).size, plants.get(group) ?? 0);
    const before = findUndone(group);
    // What was undone itself undoes nothing.
    if (before !== undefined && !undone.has(group)) undone.set(before, (undone.get(before) ?? 0) + count);
    const isLast = line.length === 1 && last.get(id) === position;
    const isCut = !isWhole && (group === '' ? line.at(-1) === changes.at(-1) : !plants.has(group));
    return { line, group, before, count, isCut, isLast, undone: undone.get(group) ?? 0 };
  });
  const entries = new Map<string, Entry>();
  return counted
    .toReversed()
    .map(({ group, before = '', ...each }) => {
      const entry = { ...each, undoes: entries.get(before) };
      if (group !== '') entries.set(group, entry);
      return entry;
    })
    .reverse();
}

function isSoonAfter(later: Change, earlier: Change): boolean {
  return Date.parse(later.at) - Date.parse(earlier.at) <= pauseMaxMs;
}
