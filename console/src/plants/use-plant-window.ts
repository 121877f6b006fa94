/** The list for the current filter. While a new list loads its first page, the one before stays visible. */
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { PlantClient, PlantFilter } from '../../../src/client/client.ts';
import { connection } from '../session/connection.ts';
import { noteError } from '../session/session.ts';
import { onAnnounced } from './changes.ts';
import { PlantWindow } from './plant-window.ts';

/** Plants per request. */
const pageSize = 200;
/** Pause in typing before the service is asked, in milliseconds. */
const typingMs = 140;

export interface ShownList {
  readonly plants: PlantWindow;
  readonly filter: PlantFilter;
  /** Another list is being loaded. */
  readonly isStale: boolean;
}

export function usePlantWindow(client: PlantClient, filter: PlantFilter): ShownList {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const shown = useRef<{ plants: PlantWindow; filter: PlantFilter } | undefined>(undefined);
  const isStale = useRef(false);
  const hasShown = useRef(false);
  const { tag, name } = filter;
  // Counts the times when many plants changed at once: the list is loaded again.
  const [edition, setEdition] = useState(0);

  useEffect(() => {
    let isOver = false;
    const fresh = open(client, filter, () => {
      if (isOver) return;
      // Keep the old list until there is something to replace it.
      if (fresh.isStarted || fresh.error !== undefined || shown.current === undefined) {
        shown.current = { plants: fresh, filter };
        isStale.current = false;
      }
      redraw(undefined);
    });
    const isFirst = !hasShown.current;
    isStale.current = !isFirst;
    if (isFirst) shown.current = { plants: fresh, filter };
    hasShown.current = true;
    const timer = setTimeout(() => fresh.look(0, 0), isFirst ? 0 : typingMs);
    redraw(undefined);
    const unsubscribe = connection.subscribe(() => {
      if (!connection.value.isAway && fresh.error !== undefined) {
        fresh.retry();
        fresh.look(0, 0);
      }
    });
    const stopListening = onAnnounced((change) => {
      if (change.kind === 'many') setEdition((count) => count + 1);
      else if (change.kind === 'deleted') fresh.remove(change.id);
      else if (filter.tag !== undefined && filter.tag !== change.plant.tag) fresh.remove(change.plant.id);
      else if (change.kind === 'stored' && hasWords(change.plant.name, filter.name)) fresh.insert(change.plant);
      else fresh.replace(change.plant);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      unsubscribe();
      stopListening();
      fresh.close();
    };
  }, [client, tag, name, edition]);

  shown.current ??= { plants: open(client, filter, () => undefined), filter };
  return { ...shown.current, isStale: isStale.current };
}

function open(client: PlantClient, filter: PlantFilter, onChange: () => void): PlantWindow {
  return new PlantWindow(async (address, signal) => {
    try {
      return await (address === undefined
        ? client.listPage({ ...filter, pageSize }, { signal })
        : client.listPage(address, { signal }));
    } catch (error) {
      if (!signal.aborted) noteError(error, 'read');
      throw error;
    }
  }, onChange);
}

/** Whether each word of the search begins a word of the name. An approximation: the service has the last word. */
function hasWords(name: string, search = ''): boolean {
  const words = toWords(name);
  return toWords(search).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function toWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
