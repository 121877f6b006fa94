/** What a group of changes was used for: it belongs to its first request, as far as the change log knows it. */
import type { Change, ChangeLog } from '../../domain/change-log.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Batch } from '../../domain/schemas.ts';

/** What all requests of a group have in common. */
export interface GroupUse {
  /** The id of the token. */
  readonly by: string;
  readonly action: Batch['action'] | 'import';
  /** Of `setTag`. */
  readonly tag?: string;
}

/** Longer tags are not repeated in an error. */
const tagLengthMax = 100;

/**
 * Checks a request before its first change.
 * @param running the first of the requests of the group that run.
 * @throws ServiceError `group_taken`; `store_busy` like `ChangeLog.read`.
 */
export async function checkGroup(
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
