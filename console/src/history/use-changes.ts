/** Changes in a list, newest first: read page by page, and live. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Change, PlantStoreError } from '../../../src/client/client.ts';
import { type LoggedChange, onAnnounced } from '../copy/changes.ts';
import { onBack } from '../session/connection.ts';
import { toReason } from '../session/reasons.ts';
import { noteError } from '../session/session.ts';
import type { Changes } from '../many/read-enough.ts';

/** Live changes after which the list is read again, so that it does not grow forever. */
const liveMax = 500;

export type ReadChanges = (before: Changes | undefined, signal: AbortSignal) => Promise<Changes>;

interface Shown extends Changes {
  /** The number of the read that it is of. */
  readonly edition: number;
}

export interface ShownChanges {
  /** Undefined: not read yet. */
  readonly changes: readonly Change[] | undefined;
  /** As `Changes` has it. */
  readonly plants: Changes['plants'];
  readonly error: string | undefined;
  /** Reads older changes; undefined if there are none. */
  readonly more: (() => void) | undefined;
  readonly reload: () => void;
}

/**
 * @param read the first page, or the one after those. Undefined: not wanted yet.
 * @param isWanted which new changes enter the list.
 * @param key another key is another list.
 */
export function useChanges(
  read: ReadChanges | undefined,
  isWanted: (change: LoggedChange) => boolean,
  key: unknown,
): ShownChanges {
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  const [edition, setEdition] = useState(0);
  const controller = useRef<AbortController | undefined>(undefined);
  /** New since the list was read, the newest first. */
  const live = useRef<readonly Change[]>([]);
  const isReading = read !== undefined;

  const load = async (older: Changes | undefined): Promise<void> => {
    controller.current?.abort();
    const { signal } = (controller.current = new AbortController());
    if (older === undefined) live.current = [];
    try {
      const page = await read?.(older, signal);
      if (page === undefined || signal.aborted) return;
      setError(undefined);
      setShown((before) => ({
        ...page,
        items: merge(older === undefined ? live.current : (before?.items ?? []), page.items),
        edition,
      }));
    } catch (failure) {
      if (signal.aborted) return;
      // No plant ever had this id.
      if (failure instanceof PlantStoreError && failure.status === 404) {
        setShown({ items: [], next: undefined, edition });
        return;
      }
      noteError(failure);
      setError(toReason(failure));
    }
  };
  useEffect(() => {
    void load(undefined);
    return () => controller.current?.abort();
  }, [isReading, key, edition]);
  const again = (): void => setEdition((count) => count + 1);
  useEffect(() => {
    const stopWaiting = onBack(again);
    const stopListening = onAnnounced((announcement) => {
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
    // Older than a list that is being read again, or could not be, would be a part of the old one.
    more: shown?.next === undefined ? undefined : () => (shown.edition === edition ? void load(shown) : again()),
    reload: again,
  };
}

/** Both lists, without those that are in both. */
function merge(first: readonly Change[], second: readonly Change[]): readonly Change[] {
  const known = new Set(first.map(({ position }) => position));
  return [...first, ...second.filter(({ position }) => !known.has(position))];
}
