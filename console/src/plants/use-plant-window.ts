/** The list that the address asks for: made anew when the filter changes; until its first page is there, the one before stays to be looked at. */
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { PlantClient, PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { connection } from '../session/connection.ts';
import { noteError } from '../session/session.ts';
import { onAnnounced } from './changes.ts';
import { PlantWindow } from './plant-window.ts';

/** Plants of one request. */
const pageSize = 200;
/** Typing that goes on within this many milliseconds asks nothing. */
const typingMs = 140;

export interface ShownList {
  readonly plants: PlantWindow;
  readonly filter: PlantFilter;
  /** Another list is on its way. */
  readonly isStale: boolean;
}

export function usePlantWindow(client: PlantClient, filter: PlantFilter): ShownList {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const shown = useRef<{ plants: PlantWindow; filter: PlantFilter } | undefined>(undefined);
  const isStale = useRef(false);
  const hasShown = useRef(false);
  const { tag, name } = filter;

  useEffect(() => {
    let isOver = false;
    const fresh = open(client, filter, () => {
      if (isOver) return;
      // What came before is kept until there is something to put in its place.
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
      if (change.kind === 'deleted') fresh.remove(change.id);
      else if (change.kind === 'stored' && !change.isNew) fresh.replace(change.plant);
      else if (change.kind === 'stored' && fits(change.plant, filter)) fresh.insert(change.plant);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      unsubscribe();
      stopListening();
      fresh.close();
    };
  }, [client, tag, name]);

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

/** A guess, for a plant that was just made: the service compares names by its own key. */
function fits({ name, tag }: StoredPlant, filter: PlantFilter): boolean {
  if (filter.tag !== undefined && filter.tag !== tag) return false;
  return filter.name === undefined || fold(name).startsWith(fold(filter.name));
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
