/** Joins changes that were made together: those of a batch, and those that follow each other quickly, as in an import. Without a browser. */
import type { Change } from '../../../src/client/client.ts';
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

function isSoonAfter(later: Change, earlier: Change): boolean {
  return Date.parse(later.at) - Date.parse(earlier.at) <= pauseMaxMs;
}
