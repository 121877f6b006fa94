/**
 * Who changed a plant last, and when. The list asks for the rows on the screen; what is known stays up to date by the changes that are
 * followed.
 */
import { useEffect } from 'preact/hooks';
import type { Change, PlantClient } from '../../../src/client/client.ts';
import { Observable, useValue } from '../observable.ts';
import { announcements } from '../copy/changes.ts';
import { askAfterTyping } from '../session/ask-after-typing.ts';
import { onBack } from '../session/connection.ts';
import { ofSession } from '../session/session.ts';

export interface LastChange {
  /** Undefined: the service keeps no change of the plant. */
  readonly at?: string | undefined;
  readonly by?: Change['by'] | undefined;
}

/** Plants of a request, as many as the service takes. */
const askedMax = 100;
/** Plants to remember; those that were noted first are forgotten. */
const knownMax = 5_000;

const known = ofSession(() => ({
  changes: new Observable<ReadonlyMap<bigint, LastChange>>(new Map()),
  /** Plants for which there can be no newer one; another set when the visible rows are to be asked for again. */
  sure: new Set<bigint>(),
}));

onBack(outdate);
announcements.add((announcement) => {
  const { value } = known().changes;
  const isLogged = announcement.kind === 'logged';
  if (isLogged) note(announcement.changes.filter(({ id, at }) => at >= (value.get(id)?.at ?? '')));
  if (announcement.kind === 'many') outdate();
});

/** Those that are known. Asks for the others, in one request, once the ids rest. */
export function useLastChanges(client: PlantClient, ids: readonly bigint[]): ReadonlyMap<bigint, LastChange> {
  const { changes, sure } = known();
  const value = useValue(changes);
  const wanted = ids.filter(isWanted).slice(0, askedMax);
  useEffect(
    () => (wanted.length === 0 ? undefined : askAfterTyping((signal) => ask(client, wanted, signal))),
    [client, wanted.join(), sure],
  );
  return value;
}

function isWanted(id: bigint): boolean {
  return !known().sure.has(id);
}

function outdate(): void {
  const now = known();
  now.sure = new Set();
  now.changes.set(new Map(now.changes.value));
}

async function ask(client: PlantClient, id: readonly bigint[], signal: AbortSignal): Promise<void> {
  const { items } = await client.changesPage({ id, newest: true, pageSize: askedMax }, { signal });
  // What was followed since is newer.
  note([...id.map((each) => ({ id: each })), ...items].filter((each) => isWanted(each.id)));
}

/** @param changes the newest of each plant last. */
function note(changes: readonly (LastChange & Pick<Change, 'id'>)[]): void {
  const { changes: shown, sure } = known();
  const all = new Map(shown.value);
  for (const { id, at, by } of changes) {
    // To the end of the order.
    all.delete(id);
    all.set(id, { at, by });
    sure.add(id);
  }
  for (const id of [...all.keys()].slice(0, Math.max(0, all.size - knownMax))) {
    all.delete(id);
    sure.delete(id);
  }
  shown.set(all);
}
