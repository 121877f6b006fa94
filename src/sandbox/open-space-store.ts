/** The store of a space: a copy of the seed in memory, whose changes have the sandbox as their author. */
import type { Change, ChangeLog } from '../domain/change-log.ts';
import type { Store } from '../domain/store.ts';
import { openMemoryStore } from '../store/sqlite/open-memory-store.ts';
import { principalName } from './sandbox-token.ts';
import { type Seed, toOwnPosition } from './seed.ts';

/** Writes of a space that wait for their commit. */
const limits = { writesMax: 100, bytesMax: 1_048_576 };
/** Changes are removed by their number: no space is that old. */
const changesAgeMsMax = 30 * 86_400_000;

export interface SpaceStoreOptions {
  /** Size from which writes are refused. */
  readonly bytesMax: number;
  readonly changesMax: number;
}

export function openSpaceStore(seed: Seed, { bytesMax, changesMax }: SpaceStoreOptions): Store {
  const changeLimits = { recordsMax: changesMax, ageMsMax: changesAgeMsMax };
  const store = openMemoryStore({ image: seed.image, isCopy: true, bytesMax, limits, changeLimits });
  return { ...store, changes: toChanges(store.changes, seed) };
}

/** Takes positions of the seed, too: its reader goes on after the first write. */
function toChanges(changes: ChangeLog, seed: Seed): ChangeLog {
  const toOwn = (position: string): Promise<string> => toOwnPosition(position, seed, changes);
  return {
    ...changes,
    oldestAfter: async (position) => changes.oldestAfter(await toOwn(position)),
    lagOf: async (position) => changes.lagOf(await toOwn(position)),
    read: async ({ after, ...page }) => {
      const batch = await changes.read({ ...page, after: after === undefined ? after : await toOwn(after) });
      return { ...batch, changes: batch.changes.map(withName) };
    },
    history: async (id, limit, before) => {
      const own = before === undefined ? before : await toOwn(before);
      return (await changes.history(id, limit, own)).map(withName);
    },
  };
}

/** The store knows no tokens, and so no names. */
function withName({ by, ...change }: Change): Change {
  return by === undefined ? change : { ...change, by: { ...by, name: principalName } };
}
