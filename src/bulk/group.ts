/**
 * The group of the changes of a run: it belongs to its first request, as far as the change log and
 * the running requests know. An undo waits for the end of what it undoes.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Change, ChangeLog } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import { applyPatch, areEqual, plantFields } from '../domain/plant.ts';
import type { Batch, Plant, PlantPatch } from '../domain/schemas.ts';
import type { Store } from '../domain/store.ts';
import { findOwn } from './own-changes.ts';

/** What all requests of a group have in common. */
export type GroupUse = {
  /** The id of the token. */
  readonly by: string;
} & (
  | { readonly action: 'clearTag' | 'delete' | 'restore' | 'import' }
  | { readonly action: 'setTag'; readonly tag: string }
  | { readonly action: 'undo'; readonly undoes: string }
);

interface Running {
  /** Settles once all requests of the group have ended. */
  readonly ended: Promise<unknown>;
  /** What the first request of the group was for. */
  readonly use: GroupUse;
}

/** The requests that run, by store and group. */
const runningIn = new WeakMap<Store, Map<string, Running>>();
/** Longer texts are not repeated in an error, whose details have at most 300 UTF-16 units. */
const shownLengthMax = 100;
/** The oldest changes of the log, among which a group is looked for: more than a commit stores. */
const oldestRowsMax = 2_500;

/**
 * The action of a batch and its effect, without the plants: each request of a group has others.
 * @throws ServiceError `group_taken` for an undo into the group that it undoes: it would find all
 * plants of the group done.
 */
export function toUse(batch: Batch, by: string): GroupUse {
  const { action } = batch;
  switch (action) {
    case 'setTag':
      return { by, action, tag: batch.tag };
    case 'clearTag':
    case 'delete':
    case 'restore':
      return { by, action };
    case 'undo':
      if (batch.undoes === batch.group) throw new ServiceError('group_taken', { detail: 'It is the group to undo' });
      return { by, action, undoes: batch.undoes };
  }
}

/** Returns what settles with the last of the requests that run with these groups, one for each. */
export function findRunning(store: Store, groups: readonly string[]): readonly Promise<unknown>[] {
  return groups.flatMap((group) => runningIn.get(store)?.get(group)?.ended ?? []);
}

/**
 * Runs a request of a group, which can have several at once.
 * @param run gets the check to make before its first change. It throws ServiceError `group_taken`
 * if the group is that of another use; `store_busy` like `ChangeLog.read`.
 */
export function runInGroup<Result>(
  store: Store,
  group: string,
  use: GroupUse,
  run: (check: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const groups = runningIn.get(store) ?? new Map<string, Running>();
  runningIn.set(store, groups);
  const earlier = groups.get(group);
  const running = run(() => checkGroup(store.changes, group, use, earlier?.use));
  const ended = Promise.allSettled([earlier?.ended, running]).then(() => {
    if (groups.get(group)?.ended === ended) groups.delete(group);
  });
  groups.set(group, { ended, use: earlier?.use ?? use });
  return running;
}

async function checkGroup(
  changes: ChangeLog,
  group: string,
  use: GroupUse,
  running: GroupUse | undefined,
): Promise<void> {
  if (running !== undefined && !isDeepStrictEqual(use, running))
    throw new ServiceError('group_taken', { detail: 'A request that is still running has it' });
  const [first] = await changes.ofGroup(group, 1);
  if (first === undefined) return;
  // Who may only write does not see what others wrote.
  if (first.by?.token !== use.by) throw new ServiceError('group_taken', { detail: 'It is that of another token' });
  if (!(await isFitting(use, first, changes))) throw new ServiceError('group_taken', { detail: describeUse(first) });
}

/** Whether the request can have made the change. An import can have made all that stores a plant. */
function isFitting(use: GroupUse, change: Change, changes: ChangeLog): boolean | Promise<boolean> {
  const { kind } = change;
  switch (use.action) {
    case 'setTag':
      return isPatched(change, { tag: use.tag });
    case 'clearTag':
      return isPatched(change, { tag: null });
    case 'delete':
      return kind === 'deleted';
    case 'restore':
      return kind === 'created';
    case 'import':
      return kind !== 'deleted';
    case 'undo':
      return isUndoOf(use.undoes, change, changes);
  }
}

function isPatched({ plant, before }: Change, patch: PlantPatch): boolean {
  return plant !== undefined && before !== undefined && areEqual(applyPatch(before, patch), plant);
}

async function isUndoOf(group: string, change: Change, changes: ChangeLog): Promise<boolean> {
  const { id } = change;
  const hasChanged = (await changes.changedIn(group, [id])).has(id);
  const { oldest } = hasChanged ? await findOwn(group, id, changes, (read) => read()) : {};
  if (oldest !== undefined && areSame(oldest.before, change.plant)) return true;
  // The log may have lost what was undone: it then begins within the changes of that group.
  const { position, before } = oldest ?? change;
  if ((await changes.history(id, 1, position)).length > 0) return false;
  const { changes: kept } = await changes.read({ limit: oldestRowsMax });
  return (before ?? kept[0]?.before) !== undefined && kept.some((each) => each.group === group);
}

function areSame(one: Plant | undefined, other: Plant | undefined): boolean {
  return one === undefined || other === undefined ? one === other : areEqual(one, other);
}

function describeUse({ kind, plant, before }: Change): string {
  if (kind !== 'replaced') return kind === 'deleted' ? 'It deleted plants' : 'It created plants';
  const [field, ...others] = plantFields.filter((each) => plant?.[each] !== before?.[each]);
  if (field === undefined || others.length > 0) return 'It replaced plants';
  const text = plant?.[field];
  if (text === undefined) return `It cleared the ${field}`;
  return text.length > shownLengthMax ? `It set another ${field}` : `It set the ${field} ${JSON.stringify(text)}`;
}
