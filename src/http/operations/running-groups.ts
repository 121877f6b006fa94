/** Which groups of changes are being written: an undo waits for the end of what it undoes. */
import type { Store } from '../../domain/store.ts';

/** Of each store, the requests that run, by their groups. */
const runningIn = new WeakMap<Store, Map<string, Promise<unknown>>>();

/** Returns what settles once all requests of the group have ended; undefined if none runs. */
export function findRunning(store: Store, group: string): Promise<unknown> | undefined {
  return runningIn.get(store)?.get(group);
}

/** A group can have several requests at once. */
export function noteRunning(store: Store, group: string, running: Promise<unknown>): void {
  const groups = runningIn.get(store) ?? new Map<string, Promise<unknown>>();
  runningIn.set(store, groups);
  const ended = Promise.allSettled([groups.get(group), running]).then(() => {
    if (groups.get(group) === ended) groups.delete(group);
  });
  groups.set(group, ended);
}
