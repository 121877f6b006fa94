/** The list for the current filter. While a new list loads its first page, the one before stays visible. */
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { PlantClient, PlantFilter } from '../../../src/client/client.ts';
import { onBack } from '../session/connection.ts';
import { noteError } from '../session/session.ts';
import { onAnnounced } from './changes.ts';
import { LiveRows } from './live-rows.ts';
import { PlantWindow } from './plant-window.ts';

/** Plants per request. */
const pageSize = 200;
/** Pause in typing before the service is asked, in milliseconds. */
const typingMs = 140;

interface OpenList {
  readonly plants: PlantWindow;
  readonly filter: PlantFilter;
  /** What changes while the list is open. */
  readonly live: LiveRows;
}

export interface ShownList extends OpenList {
  /** Another list is being loaded. */
  readonly isStale: boolean;
  /** Shows what others changed and what waits because it moves rows. */
  readonly showWaiting: () => void;
}

export function usePlantWindow(client: PlantClient, filter: PlantFilter): ShownList {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  // Counts the times when many plants changed at once: the list is loaded again.
  const [edition, setEdition] = useState(0);
  const reload = (): void => setEdition((count) => count + 1);
  const current = useMemo(
    () => openList(client, filter, () => redraw(undefined)),
    [client, filter.tag, filter.search, edition],
  );
  const shown = useRef(current);
  // The list before stays until there is something to replace it.
  if (current.plants.isStarted || current.plants.error !== undefined) shown.current = current;

  useEffect(() => {
    const { plants, live } = current;
    const timer = setTimeout(() => plants.look(0, 0), shown.current === current ? 0 : typingMs);
    const stopWaiting = onBack(() => {
      if (plants.error === undefined) return;
      plants.retry();
      plants.look(0, 0);
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
      }
    });
    return () => {
      clearTimeout(timer);
      stopWaiting();
      stopListening();
      plants.close();
    };
  }, [current]);

  return {
    ...shown.current,
    isStale: shown.current !== current,
    showWaiting: () => {
      const { live } = shown.current;
      if (live.waiting === 'many') reload();
      else live.apply();
    },
  };
}

/** Reads nothing yet. */
function openList(client: PlantClient, filter: PlantFilter, onChange: () => void): OpenList {
  const plants = new PlantWindow(
    async (address, signal) => {
      try {
        return await (address === undefined
          ? client.listPage({ ...filter, pageSize }, { signal })
          : client.listPage(address, { signal }));
      } catch (error) {
        if (!signal.aborted) noteError(error, 'read');
        throw error;
      }
    },
    () => {
      live.takeLate();
      onChange();
    },
  );
  const live = new LiveRows(plants, filter, onChange);
  return { plants, filter, live };
}
