/** Which groups of changes are being written: an undo waits for the end of what it undoes. */
import type { Store } from '../../domain/store.ts';
import type { GroupUse } from './group-use.ts';

interface Running {
  /** Settles once all requests of the group have ended. */
  readonly ended: Promise<unknown>;
  /** Of the first of them. */
  readonly use: GroupUse;
}

/** Of each store, the requests that run, by their groups. */
const runningIn = new WeakMap<Store, Map<string, Running>>();

/** Returns undefined if none runs. */
export function findRunning(store: Store, group: string): Running | undefined {
  return runningIn.get(store)?.get(group);
}

/** A group can have several requests at once. */
export function noteRunning(store: Store, group: string, running: Promise<unknown>, use: GroupUse): void {
  const groups = runningIn.get(store) ?? new Map<string, Running>();
  runningIn.set(store, groups);
  const earlier = groups.get(group);
  const ended = Promise.allSettled([earlier?.ended, running]).then(() => {
    if (groups.get(group)?.ended === ended) groups.delete(group);
  });
  groups.set(group, { ended, use: earlier?.use ?? use });
}
