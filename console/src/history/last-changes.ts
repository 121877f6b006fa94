/**
 * Who changed a plant last, and when: known for those in the newest part of the change log, which is read once and then followed. Others
 * have not changed for longer.
 */
import type { Change } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { onAnnounced } from '../plants/changes.ts';
import { onBack } from '../session/connection.ts';
import { noteError, session } from '../session/session.ts';

export interface LastChange {
  readonly at: string;
  readonly by: Change['by'] | undefined;
}

/** Changes to read, in one request: as many as the service gives. */
const readMax = 1_000;
/** Plants to remember; those that changed first are forgotten. */
const knownMax = 5_000;

export const lastChanges = new Observable<ReadonlyMap<bigint, LastChange>>(new Map());

let reading: AbortController | undefined;

session.subscribe(() => {
  if (session.value === undefined) lastChanges.set(new Map());
  void read();
});
onBack(() => void read());
onAnnounced((announcement) => {
  if (announcement.kind === 'logged') note(announcement.changes);
  if (announcement.kind === 'many' || (announcement.kind === 'logged' && announcement.isFlood)) void read();
});

async function read(): Promise<void> {
  const current = session.value;
  reading?.abort();
  if (typeof current !== 'object' || !current.canRead) return;
  const { signal } = (reading = new AbortController());
  try {
    const { items } = await current.client.changesPage({ order: 'desc', pageSize: readMax }, { signal });
    note(items.toReversed());
  } catch (error) {
    // The rows are as good without.
    if (!signal.aborted) noteError(error, 'read');
  }
}

/** @param changes oldest first. */
function note(changes: readonly Change[]): void {
  const known = new Map(lastChanges.value);
  for (const { id, at, by } of changes) {
    if (at < (known.get(id)?.at ?? '')) continue;
    // To the end of the order.
    known.delete(id);
    known.set(id, { at, by });
  }
  for (const id of [...known.keys()].slice(0, Math.max(0, known.size - knownMax))) known.delete(id);
  lastChanges.set(known);
}
