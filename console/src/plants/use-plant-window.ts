/** The list for the current filter. While a new list loads its first page, the one before stays visible. */
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { PlantClient, PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { connection } from '../session/connection.ts';
import { noteError } from '../session/session.ts';
import { onAnnounced, type PlantAnnouncement, plantsOf } from './changes.ts';
import { LiveRows } from './live-rows.ts';
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
  /** What others changed. */
  readonly live: LiveRows;
  /** Shows what others changed and what waits because it moves rows. */
  readonly showWaiting: () => void;
}

export function usePlantWindow(client: PlantClient, filter: PlantFilter): ShownList {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const shown = useRef<Pick<ShownList, 'plants' | 'filter' | 'live'> | undefined>(undefined);
  const isStale = useRef(false);
  const hasShown = useRef(false);
  const { tag, name } = filter;
  // Counts the times when many plants changed at once: the list is loaded again.
  const [edition, setEdition] = useState(0);

  useEffect(() => {
    let isOver = false;
    /** Of this page, while rows were being read, which may be older. */
    const late: PlantAnnouncement[] = [];
    const show = (change: PlantAnnouncement): void => {
      if (change.kind === 'deleted') fresh.remove(change.id);
      else if (filter.tag !== undefined && filter.tag !== change.plant.tag) fresh.remove(change.plant.id);
      else if (change.kind === 'stored' && isWanted(change.plant, filter)) fresh.insert(change.plant);
      else fresh.replace(change.plant);
    };
    const fresh = open(client, filter, () => {
      if (isOver) return;
      // Keep the old list until there is something to replace it.
      if (fresh.isStarted || fresh.error !== undefined || shown.current === undefined) {
        shown.current = { plants: fresh, filter, live };
        isStale.current = false;
      }
      if (!fresh.isLoading) late.splice(0).forEach(show);
      live.takeLate();
      redraw(undefined);
    });
    const live = toLive(fresh, filter, () => !isOver && redraw(undefined));
    const isFirst = !hasShown.current;
    isStale.current = !isFirst;
    if (isFirst) shown.current = { plants: fresh, filter, live };
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
      if (change.kind === 'logged') live.take(change.changes, change.isFlood);
      if (change.kind === 'many' || change.kind === 'logged') return;
      for (const id of plantsOf(change).keys()) live.forget(id);
      if (fresh.isLoading) late.push(change);
      show(change);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      unsubscribe();
      stopListening();
      fresh.close();
    };
  }, [client, tag, name, edition]);

  if (shown.current === undefined) {
    const plants = open(client, filter, () => undefined);
    shown.current = { plants, filter, live: toLive(plants, filter, () => undefined) };
  }
  const { live } = shown.current;
  return {
    ...shown.current,
    isStale: isStale.current,
    showWaiting: () => {
      if (live.waiting === 'many') setEdition((count) => count + 1);
      else live.apply();
    },
  };
}

function toLive(plants: PlantWindow, filter: PlantFilter, onChange: () => void): LiveRows {
  return new LiveRows(plants, (plant) => isWanted(plant, filter), onChange);
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

function isWanted({ name, tag }: StoredPlant, filter: PlantFilter): boolean {
  return (filter.tag === undefined || filter.tag === tag) && hasWords(name, filter.name);
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
