/**
 * The plants to print labels for, in the order of the list: a selection by id, or the first ones of the filter. From the copy if it has all
 * plants, otherwise from the service.
 */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { type CallOptions, getPlants, type StoredPlant } from '../../../src/client/client.ts';
import { currentCopy } from '../copy/copy.ts';
import { compares, matches, toRow } from '../copy/order.ts';
import { useValue } from '../observable.ts';
import { labelledMax, type Route, toFilter } from '../route.ts';
import { useSession } from '../session/session.ts';
import { type Loaded, useLoaded } from '../session/use-loaded.ts';

/** Changes in quick succession cause one read in this time, in milliseconds. */
const gatherMs = 1_000;

export function useLabelPlants(route: Route): Loaded<readonly StoredPlant[] | undefined> {
  const { client } = useSession();
  const copy = useValue(currentCopy);
  const [edition, setEdition] = useState(0);
  const { order } = route;
  const filter = toFilter(route);
  const ids = route.ids?.slice(0, labelledMax);
  const key = `${order} ${ids?.join() ?? JSON.stringify(filter)}`;
  const rows = copy?.state.isWhole === true ? copy.state.rows : undefined;
  const isBeyond = copy?.isLoaded === true && rows === undefined;
  const known = useMemo(() => {
    if (rows === undefined) return undefined;
    const found =
      ids === undefined ? [...rows.values()].filter(matches(filter)) : ids.flatMap((id) => rows.get(id) ?? []);
    return found.sort(compares[order]).slice(0, labelledMax);
  }, [rows, key, edition]);
  const read = async ({ signal }: CallOptions) => {
    const wanted = { ...filter, order: order === 'highest' ? 'desc' : 'asc', pageSize: labelledMax } as const;
    const plants = await (ids === undefined
      ? takeFirst(client.list({ ...wanted, signal }))
      : getPlants(client, ids, (id) => copy?.state.rows.get(id)?.plant, signal));
    return { key, rows: plants.map(toRow).sort(compares[order]) };
  };
  const { value, error, reload } = useLoaded(isBeyond ? read : undefined, [key, isBeyond, edition]);
  // Before the copy can go on: what it says between a render and its effects would be missed.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = copy?.changes.add(({ ids: changed }) => {
      const isOfOthers = changed !== undefined && changed.size > 0 && ids?.every((id) => !changed.has(id)) === true;
      if (isOfOthers) return;
      const next = (): void => {
        timer = undefined;
        setEdition((count) => count + 1);
      };
      timer ??= setTimeout(next, copy.state.isWhole ? gatherMs : 0);
    });
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, [copy, key]);
  // What was read before may belong to another address.
  const found = known ?? (value?.key === key ? value.rows : undefined);
  const plants = useMemo(() => found?.map(({ plant }) => plant), [found]);
  if (isBeyond) return { value: plants, error, reload };
  return { value: plants, error: plants === undefined ? copy?.state.error : undefined, reload: () => copy?.retry() };
}

/** A page of a search may have fewer although others follow. */
async function takeFirst(found: AsyncIterable<StoredPlant>): Promise<readonly StoredPlant[]> {
  const plants: StoredPlant[] = [];
  for await (const plant of found) if (plants.push(plant) === labelledMax) break;
  return plants;
}
