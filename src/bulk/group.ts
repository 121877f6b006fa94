/**
 * The group of the changes of a long write: it belongs to its first request, as far as the change
 * log and the running requests know. An undo waits for the end of what it undoes.
 */
import type { Change, ChangeLog } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Batch } from '../domain/schemas.ts';
import type { Store } from '../domain/store.ts';

/** What all requests of a group have in common. */
export interface GroupUse {
  /** The id of the token. */
  readonly by: string;
  readonly action: Batch['action'] | 'import';
  /** The tag that `setTag` sets. */
  readonly tag?: string;
}

interface Running {
  /** Settles once all requests of the group have ended. */
  readonly ended: Promise<unknown>;
  /** What the first request of the group was for. */
  readonly use: GroupUse;
}

/** The requests that run, by store and group. */
const runningIn = new WeakMap<Store, Map<string, Running>>();
/** Longer tags are not repeated in an error. */
const tagLengthMax = 100;

/** Returns what settles with the last of the requests that run with these groups, one for each. */
export function findRunning(store: Store, groups: readonly string[]): readonly Promise<unknown>[] {
  return groups.flatMap((group) => runningIn.get(store)?.get(group)?.ended ?? []);
}

/**
 * Runs a request of a group, which can have several at once.
 * @param write gets the check to make before its first change. It throws ServiceError `group_taken`
 * if the group is that of another use; `store_busy` like `ChangeLog.read`.
 */
export function runInGroup<Result>(
  store: Store,
  group: string,
  use: GroupUse,
  write: (check: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const groups = runningIn.get(store) ?? new Map<string, Running>();
  runningIn.set(store, groups);
  const earlier = groups.get(group);
  const running = write(() => checkGroup(store.changes, group, use, earlier?.use));
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
  const [first] = await changes.ofGroup(group, 1);
  if (first === undefined) {
    if (running !== undefined && !isSameUse(use, running))
      throw new ServiceError('group_taken', { detail: 'A request that is still running has it' });
  } else if (first.by?.token !== use.by)
    // Who may only write does not see what others wrote.
    throw new ServiceError('group_taken', { detail: 'It is that of another token' });
  else if (!isFitting(use, first)) throw new ServiceError('group_taken', { detail: toDone(first) });
}

/** An undo makes changes of all kinds. */
function isSameUse(use: GroupUse, running: GroupUse): boolean {
  const { by, action, tag } = use;
  return by === running.by && (action === 'undo' || (action === running.action && tag === running.tag));
}

/** Whether the request can have made the change. */
function isFitting({ action, tag }: GroupUse, { kind, plant }: Change): boolean {
  switch (action) {
    case 'setTag':
    case 'clearTag':
      return kind === 'replaced' && plant?.tag === tag;
    case 'delete':
      return kind === 'deleted';
    case 'restore':
      return kind === 'created';
    case 'import':
      return kind !== 'deleted';
    case 'undo':
      return true;
  }
}

function toDone({ kind, plant, before }: Change): string {
  if (kind !== 'replaced') return kind === 'deleted' ? 'It deleted plants' : 'It created plants';
  const tag = plant?.tag;
  if (plant?.name !== before?.name || tag === before?.tag) return 'It replaced plants';
  if (tag === undefined) return 'It cleared the tag';
  return tag.length > tagLengthMax ? 'It set another tag' : `It set the tag ${JSON.stringify(tag)}`;
}
