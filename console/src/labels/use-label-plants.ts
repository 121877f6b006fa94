/** The plants to print labels for, in the order of the list: a selection by id, or the first ones of the filter. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { type Announcement, onAnnounced, plantsOf } from '../copy/changes.ts';
import { matches } from '../copy/filter.ts';
import { compareOf, toRow } from '../copy/order.ts';
import { readPlants } from '../many/read-plants.ts';
import { type Route, toFilter } from '../route.ts';
import { onBack } from '../session/connection.ts';
import { noteError } from '../session/session.ts';

export interface LabelPlants {
  readonly plants: readonly StoredPlant[];
  /** Number of ids that no longer exist. */
  readonly missing: number;
  /** Number of ids beyond the limit. */
  readonly left: number;
  readonly state: 'reading' | 'ready' | 'failed';
}

/** Maximum number of plants: their ids must fit into an address. */
export const labelledMax = 500;
/** Changes in quick succession cause one read in this time, in milliseconds. */
const gatherMs = 1_000;

const reading: LabelPlants = { plants: [], missing: 0, left: 0, state: 'reading' };

/** Calling `retry` reads them again, as changes do; what is shown stays until then. */
export function useLabelPlants(client: PlantClient, route: Route): LabelPlants & { readonly retry: () => void } {
  const [found, setFound] = useState<LabelPlants & { readonly key?: string }>(reading);
  const [tries, setTries] = useState(0);
  const filter = toFilter(route);
  const { order } = route;
  const key = `${order} ${route.ids?.join() ?? '*'} ${route.search} ${route.tag ?? '*'}`;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const ids = route.ids?.slice(0, labelledMax);
    const read =
      ids === undefined
        ? takeFirst(
            client.list({ ...filter, order: order === 'highest' ? 'desc' : 'asc', pageSize: labelledMax, signal }),
          )
        : readPlants(client, ids, signal);
    read.then(
      (plants) => {
        const missing = (ids ?? plants).length - plants.length;
        setFound({
          plants: plants
            .map(toRow)
            .sort(compareOf(order))
            .map(({ plant }) => plant),
          missing,
          left: (route.ids ?? []).length - (ids ?? []).length,
          state: 'ready',
          key,
        });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        noteError(error, 'read');
        setFound((before) => ({ ...(before.key === key ? before : reading), state: 'failed', key }));
      },
    );
    return () => controller.abort();
  }, [client, key, tries]);
  const retry = (): void => setTries((count) => count + 1);
  useEffect(() => onBack(retry), []);
  const latest = useRef({ route, found });
  latest.current = { route, found };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (): void => {
      timer = undefined;
      retry();
    };
    const stopListening = onAnnounced((announcement) => {
      const { route: current, found: shown } = latest.current;
      if (concerns(announcement, current, shown.plants)) timer ??= setTimeout(again, gatherMs);
    });
    return () => {
      clearTimeout(timer);
      stopListening();
    };
  }, [key]);
  // What is shown until then belongs to another address.
  return { ...(found.key === key ? found : reading), retry };
}

/** A page of a search may have fewer although others follow. */
async function takeFirst(found: AsyncIterable<StoredPlant>): Promise<readonly StoredPlant[]> {
  const plants: StoredPlant[] = [];
  for await (const plant of found) if (plants.push(plant) === labelledMax) break;
  return plants;
}

/** Whether the labels may be others after this. */
function concerns(announcement: Announcement, route: Route, shown: readonly StoredPlant[]): boolean {
  if (announcement.kind === 'many') return true;
  const ids = new Set(route.ids ?? shown.map(({ id }) => id));
  const filter = route.ids === undefined ? toFilter(route) : undefined;
  return [...plantsOf(announcement)].some(
    ([id, plant]) => ids.has(id) || (filter !== undefined && plant !== undefined && matches(plant, filter)),
  );
}
