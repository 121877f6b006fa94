/** Joins changes that were made together: those of a batch, and those that follow each other quickly, as in an import. Without a browser. */
import {
  areEqual,
  type Change,
  findUndone,
  importPrefix,
  restorePrefix,
  undoPrefix,
} from '../../../src/client/client.ts';
import { isSamePlant } from '../copy/changes.ts';

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

export interface Entry {
  /** Newest first. */
  readonly line: readonly Change[];
  readonly count: number;
  /** There may be more of it, which was not read. */
  readonly isCut: boolean;
  /** What its changes do, and may do as far as they were not read. */
  readonly kinds: ReadonlySet<string>;
  /** Those that an undo would undo: their plants are as they left them. Without a group, of deletions the last of each plant. */
  readonly canUndo: ReadonlySet<Change>;
  /** The plants that were given back later, by undos or from the bin; all, if each is as before. */
  readonly undone: number;
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
  const newest = new Map(changes.toReversed().map((change) => [change.id, change]));
  const undone = new Map<string, number>();
  /** Plants that were restored, of whose deletion no older change was seen yet. */
  const restored = new Set<bigint>();
  /** All of the line, and everything newer. */
  let isRead = true;
  const counted = groupChanges(changes).map((line) => {
    const group = line[0]?.group ?? '';
    const ids = new Set(line.map(({ id }) => id));
    const count = Math.max(ids.size, plants.get(group) ?? 0);
    const before = findUndone(group);
    // What was undone itself undoes nothing.
    if (before !== undefined && !undone.has(group)) undone.set(before, (undone.get(before) ?? 0) + count);
    if (group.startsWith(restorePrefix) && !undone.has(group)) for (const id of ids) restored.add(id);
    const fromBin = line.filter(({ id, plant }) => plant === undefined && restored.delete(id)).length;
    const isCut = !isWhole && (group === '' ? line.at(-1) === changes.at(-1) : !plants.has(group));
    const isAll = ids.size === count && !isCut;
    isRead &&= isAll;
    const kinds = new Set([...line.map(({ kind }) => kind), ...(isAll ? [] : toOtherKinds(group))]);
    const isNow = ({ id }: Change, plant: Change['plant']): boolean => isSamePlant(newest.get(id)?.plant, plant);
    const isLast = (each: Change): boolean =>
      each.plant === undefined ? newest.get(each.id) === each : isNow(each, each.plant);
    const canUndo = new Set(line.filter((each) => (group === '' ? isLast(each) : !isRead || isNow(each, each.plant))));
    const isBack = isRead && line.every((each) => isNow(each, each.before));
    const given = isBack ? count : Math.min(count, (undone.get(group) ?? 0) + fromBin);
    return { line, group, before, count, isCut, kinds, canUndo, undone: given };
  });
  const entries = new Map<string, Entry>();
  return counted
    .toReversed()
    .map(({ group, before = '', ...each }) => {
      const entry = { ...each, undoes: entries.get(before) ?? toUnread(each, before) };
      if (group !== '') entries.set(group, entry);
      return entry;
    })
    .reverse();
}

/** An import that was not read, or an undo of one, as far as its name says it. */
function toUnread(undo: Omit<Entry, 'undoes'>, group: string): Entry | undefined {
  if (!/^(undo-[0-9a-f]{8}-)*import-/.test(group)) return undefined;
  const line = undo.line.map((change) => ({ ...change, group }));
  return { ...undo, line, undoes: toUnread(undo, findUndone(group) ?? '') };
}

const undoing: Readonly<Record<string, string>> = {
  created: 'Added plants are deleted.',
  deleted: 'Deleted plants come back.',
  replaced: 'Changed plants get back what they had.',
};

/** Undos of batches, as the client names them. */
const batchUndo = /^(undo-[0-9a-f]{8}-)+(re(store|name)-)?[0-9a-f]{24}$/;

/** The kinds of changes that a group may have besides those that were read: imports and their undos make several. */
function toOtherKinds(group: string): readonly Change['kind'][] {
  if (group.startsWith(importPrefix)) return ['created', 'replaced'];
  return group.startsWith(undoPrefix) && !batchUndo.test(group) ? ['created', 'deleted', 'replaced'] : [];
}

export function toUndoText({ kinds, line }: Pick<Entry, 'kinds' | 'line'>): string {
  const isBack = /^(?:undo|restore)-/.test(line[0]?.group ?? '');
  return Object.entries(undoing)
    .flatMap(([kind, text]) =>
      kinds.has(kind) ? [isBack && kind === 'created' ? 'Restored plants are deleted again.' : text] : [],
    )
    .join(' ');
}

function isSoonAfter(later: Change, earlier: Change): boolean {
  return Date.parse(later.at) - Date.parse(earlier.at) <= pauseMaxMs;
}
