/** Changes in a list, newest first: read page by page, and live. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Change, PlantStoreError } from '../../../src/client/client.ts';
import { type LoggedChange, announcements } from './changes.ts';
import { onBack } from '../session/connection.ts';
import { toReason } from '../session/reasons.ts';
import { noteError } from '../session/session.ts';
import type { Changes } from './read-enough.ts';

/** Live changes after which the list is read again, so that it does not grow forever. */
const liveMax = 500;

/** A list that is read again goes as far as before, up to this many changes. */
const keptMax = 10_000;

export type ReadChanges = (before: Changes | undefined, signal: AbortSignal) => Promise<Changes>;

/**
 * @param read the first page, or the one after those. Undefined: not wanted yet.
 * @param isWanted which new changes enter the list.
 * @param key another key is another list.
 */
export function useChanges(read: ReadChanges | undefined, isWanted: (change: LoggedChange) => boolean, key: unknown) {
  const [shown, setShown] = useState<Changes | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  const [edition, setEdition] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const controller = useRef<AbortController | undefined>(undefined);
  /** The time of the oldest change that was read; empty: there are no older ones. */
  const until = useRef<string | undefined>(undefined);
  /** New since the list was read, the newest first. */
  const live = useRef<readonly Change[]>([]);

  const load = async (older: Changes | undefined): Promise<void> => {
    controller.current?.abort();
    const { signal } = (controller.current = new AbortController());
    if (older === undefined) live.current = [];
    setBusy(true);
    try {
      const page = await (older === undefined ? readBack(read, until.current, signal) : read?.(older, signal));
      if (page === undefined || signal.aborted) return;
      until.current = page.next === undefined ? '' : page.items.at(-1)?.at;
      setError(undefined);
      setShown((before) => ({
        ...page,
        items: merge(older === undefined ? live.current : (before?.items ?? []), page.items),
      }));
    } catch (failure) {
      if (signal.aborted) return;
      // No plant ever had this id.
      if (failure instanceof PlantStoreError && failure.status === 404) {
        setShown({ items: [], next: undefined });
        return;
      }
      noteError(failure);
      setError(toReason(failure));
    } finally {
      if (!signal.aborted) setBusy(false);
    }
  };
  useEffect(() => {
    void load(undefined);
    return () => controller.current?.abort();
  }, [read !== undefined, key, edition]);
  const again = (): void => setEdition((count) => count + 1);
  useEffect(() => {
    const stopWaiting = onBack(again);
    const stopListening = announcements.add((announcement) => {
      if (announcement.kind === 'many') again();
      else if (announcement.kind === 'logged') {
        const fresh = announcement.changes.filter(isWanted).reverse();
        live.current = [...fresh, ...live.current];
        if (live.current.length > liveMax) again();
        else if (fresh.length > 0) setShown((before) => before && { ...before, items: merge(fresh, before.items) });
      }
    });
    return () => {
      stopWaiting();
      stopListening();
    };
  }, [key]);

  return {
    changes: shown?.items,
    plants: shown?.plants,
    error,
    /** Reads older changes; undefined if there are none. After a failure, all again: newer ones may be missing. */
    more: shown?.next === undefined ? undefined : () => (error === undefined ? void load(shown) : again()),
    /** Some are being read: `more` would begin again. */
    isBusy,
    reload: again,
  };
}

/** The first page, and those after it, as far as the time `oldest`. */
async function readBack(read: ReadChanges | undefined, oldest: string | undefined, signal: AbortSignal) {
  let page = await read?.(undefined, signal);
  while (oldest !== undefined && page?.next !== undefined && page.items.length < keptMax) {
    const { items } = page;
    if (items.some(({ at }) => at <= oldest)) break;
    const next = await read?.(page, signal);
    page = next && { ...next, items: merge(items, next.items) };
  }
  return page;
}

/** Both lists, without those that are in both. */
function merge(first: readonly Change[], second: readonly Change[]): readonly Change[] {
  const known = new Set(first.map(({ position }) => position));
  return [...first, ...second.filter(({ position }) => !known.has(position))];
}
