/**
 * A group is the changes of an import or a batch, by a name that the client may choose: an undo takes
 * them back together. A client that got no report sends the request again with the same group, which
 * finishes it. So a group has one use, that of its first request. A run asks, in this order; an
 * import omits what only a batch asks:
 *
 * 1. `toUse`, only a batch: what does this request use its group for? An import is a use itself.
 * 2. `RunningGroups.require`: do the runs that have the group now use it for the same?
 * 3. `RunningGroups.whenEnded`, only a batch: for the end of which runs does it wait?
 * 4. `RunningGroups.add`: from now on, others find this run.
 * 5. `requireGroup`, before the first change: does the log have the group for the same use?
 * 6. `ChangeLog.changedIn`, only a batch whose client chose the group, once before the writes of a slice:
 *    which plants has the group changed already?
 */
import type { Change, ChangeLog } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import { applyPatch, areEqual, plantFields } from '../domain/plant.ts';
import type { Batch, Plant, PlantPatch } from '../domain/schemas.ts';
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

/** Longer texts are not repeated in an error, whose details have at most 300 UTF-16 units. */
const shownLengthMax = 100;
/** How many of the oldest changes to search for a group: more than a commit stores. */
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

/**
 * @throws ServiceError `group_taken` if the log has changes of the group that are of another use;
 * `store_busy` like `ChangeLog.read`.
 */
export async function requireGroup(changes: ChangeLog, group: string, use: GroupUse): Promise<void> {
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

/** Whether the change takes back what the group has made of the plant, as far as the log can tell. */
async function isUndoOf(group: string, change: Change, changes: ChangeLog): Promise<boolean> {
  const { id } = change;
  const hasChanged = (await changes.changedIn(group, [id])).has(id);
  const { oldest } = hasChanged ? await findOwn(group, id, changes, (read) => read()) : {};
  // All that was undone is still in the log.
  if (oldest !== undefined && areSame(oldest.before, change.plant)) return true;
  return mayHaveLostOlder(group, oldest ?? change, changes);
}

/** Whether the group may have changed the plant before this change, and the log has lost that. */
async function mayHaveLostOlder(group: string, { id, position, before }: Change, changes: ChangeLog): Promise<boolean> {
  // The log has the change before this one, which is not of the group: nothing between them is lost.
  if ((await changes.history(id, 1, position)).length > 0) return false;
  const { changes: kept } = await changes.read({ limit: oldestRowsMax });
  // A change with `before` follows another one. This change is the oldest of its plant in the log,
  // and `kept[0]` the oldest of all: what they follow is lost.
  const hasLost = (before ?? kept[0]?.before) !== undefined;
  // The oldest changes are lost first: some of the group only if the log begins within its changes.
  return hasLost && kept.some((each) => each.group === group);
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
