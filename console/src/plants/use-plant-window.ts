/** The list for the current filter and order. While a new list loads its first page, the one before stays visible. */
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { PlantClient, PlantFilter } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { type ListOrder, route } from '../route.ts';
import { onBack } from '../session/connection.ts';
import { typingMs } from '../session/ask-after-typing.ts';
import { noteError, session } from '../session/session.ts';
import { onAnnounced } from '../copy/changes.ts';
import { isByName, sortedMax, toListSource } from './list-source.ts';
import { LiveRows } from './live-rows.ts';
import { PlantWindow } from './plant-window.ts';
import { countOf, tally } from './tags.ts';

/** Lists that are kept for a return to them. */
const keptMax = 4;

interface OpenList {
  readonly plants: PlantWindow;
  readonly filter: PlantFilter;
  readonly order: ListOrder;
  /** What changes while the list is open. */
  readonly live: LiveRows;
}

interface KeptList extends OpenList {
  readonly name: string;
  onChange: () => void;
}

export interface ShownList extends OpenList {
  /** Another list is being loaded. */
  readonly isStale: boolean;
  /** Number of plants, if it is known. */
  readonly count: number | undefined;
  /** There are more than can be sorted by name. */
  readonly isTooLong: boolean;
  /** Shows what others changed and what waits because it moves rows. */
  readonly showWaiting: () => void;
}

/** The oldest first. */
let kept: readonly KeptList[] = [];
session.subscribe(() => {
  if (session.value === undefined) kept = [];
});

export function usePlantWindow(client: PlantClient, filter: PlantFilter, wanted: ListOrder): ShownList {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  // Counts the times when many plants changed at once: the list is loaded again.
  const [edition, setEdition] = useState(0);
  const reload = (): void => setEdition((count) => count + 1);
  const text = JSON.stringify(filter);
  const [long, setLong] = useState<string | undefined>(undefined);
  const count = countOf(useValue(tally), filter);
  const isTooLong = count === undefined ? long === text : count > sortedMax;
  const order = isByName(wanted) && isTooLong ? 'id' : wanted;
  const isOpened = useRef(false);
  const current = useMemo(() => {
    const name = `${order} ${text}`;
    const isReturn = !isOpened.current || route.value.isReturn;
    isOpened.current = true;
    const list = (isReturn ? findKept(name) : undefined) ?? openList(client, filter, order, name, () => setLong(text));
    kept = [...kept.filter((each) => each.name !== name), list].slice(-keptMax);
    list.onChange = () => redraw(undefined);
    return list;
  }, [client, text, order, edition]);
  const shown = useRef<OpenList>(current);
  // The list before stays until there is something to replace it.
  if (current.plants.isStarted || current.plants.error !== undefined) shown.current = current;
  useLayoutEffect(() => current.plants.setCount(count), [current, count]);

  useEffect(() => {
    const { plants, live } = current;
    const look = (): void => plants.look(plants.top, plants.top);
    const timer = setTimeout(look, shown.current === current ? 0 : typingMs);
    const stopWaiting = onBack(() => {
      if (plants.error === undefined) return;
      plants.retry();
      look();
    });
    const stopListening = onAnnounced((announcement) => {
      if (announcement.kind !== 'many') {
        live.take(announcement);
        return;
      }
      // Without rows nothing is visible that would be read again.
      if (plants.rowCount === 0) reload();
      else {
        live.clear();
        plants.refresh();
        // Only a list on the screen is looked at by itself, and the read of another was aborted.
        look();
      }
    });
    return () => {
      clearTimeout(timer);
      stopWaiting();
      stopListening();
      plants.close();
    };
  }, [current]);

  const { plants } = shown.current;
  return {
    ...shown.current,
    isStale: shown.current !== current,
    count: plants.isWhole ? plants.rowCount : count,
    isTooLong,
    showWaiting: () => {
      const { live } = shown.current;
      if (live.waiting === 'many') reload();
      else live.apply();
    },
  };
}

/** As it was left, to be read again. */
function findKept(name: string): KeptList | undefined {
  const list = kept.find((each) => each.name === name);
  list?.live.clear();
  list?.plants.refresh();
  return list;
}

/** Reads nothing yet. */
function openList(
  client: PlantClient,
  filter: PlantFilter,
  order: ListOrder,
  name: string,
  onTooMany: () => void,
): KeptList {
  const source = toListSource(client, filter, order, onTooMany);
  const plants = new PlantWindow(
    {
      ...source,
      read: async (place, signal) => {
        try {
          return await source.read(place, signal);
        } catch (error) {
          if (!signal.aborted) noteError(error, 'read');
          throw error;
        }
      },
    },
    () => {
      live.takeLate();
      list.onChange();
    },
  );
  const live = new LiveRows(plants, filter, () => list.onChange());
  const list: KeptList = { name, plants, filter, order, live, onChange: () => undefined };
  return list;
}
