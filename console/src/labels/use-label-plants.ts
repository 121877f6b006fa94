/** The plants whose labels are wanted: those of a selection by id, or the first ones of the filter. */
import { useEffect, useState } from 'preact/hooks';
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { toFilter } from '../plants/filter.ts';
import { selection, selectionMax } from '../plants/selection.ts';
import type { Route } from '../route.ts';
import { connection } from '../session/connection.ts';
import { noteError } from '../session/session.ts';

export interface LabelPlants {
  readonly plants: readonly StoredPlant[];
  /** Ids that no plant has any more. */
  readonly missing: number;
  readonly state: 'reading' | 'ready' | 'failed';
}

/** Plants that are asked for at the same time. */
const readersMax = 6;

export function useLabelPlants(client: PlantClient, route: Route): LabelPlants {
  const [found, setFound] = useState<LabelPlants>({ plants: [], missing: 0, state: 'reading' });
  const [tries, setTries] = useState(0);
  const key = `${route.ids?.join() ?? '*'} ${route.search} ${route.tag ?? '*'}`;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const reading =
      route.ids === undefined
        ? client.listPage({ ...toFilter(route), pageSize: selectionMax }, { signal }).then(({ items }) => items)
        : readByIds(client, route.ids, signal);
    reading.then(
      (plants) => setFound({ plants, missing: (route.ids ?? plants).length - plants.length, state: 'ready' }),
      (error: unknown) => {
        if (signal.aborted) return;
        noteError(error, 'read');
        setFound((before) => ({ ...before, state: 'failed' }));
      },
    );
    return () => controller.abort();
  }, [client, key, tries]);
  useEffect(() => connection.subscribe(() => !connection.value.isAway && setTries((count) => count + 1)), []);
  return found;
}

async function readByIds(
  client: PlantClient,
  ids: readonly bigint[],
  signal: AbortSignal,
): Promise<readonly StoredPlant[]> {
  const found = new Map<bigint, StoredPlant>();
  const left = ids.slice(0, selectionMax);
  const read = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const plant = selection.value.get(id) ?? (await client.get(id, { signal }))?.plant;
      if (plant !== undefined) found.set(id, plant);
    }
  };
  await Promise.all(Array.from({ length: readersMax }, read));
  return ids.flatMap((id) => found.get(id) ?? []);
}
