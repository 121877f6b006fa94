/** Reads the plants of a filter in the order of a list. */
import type { ListOptions, PlantClient, PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import type { ListOrder } from '../route.ts';
import type { ListPage, ListSource } from './row-reader.ts';

/** Plants per request; where all are needed. */
const pageSize = 200;
const largePageSize = 1_000;
/** Most plants that are sorted by name, which needs all of them. */
export const sortedMax = 5_000;

/** @param onTooMany called when there are too many to sort. */
export function toListSource(
  client: Pick<PlantClient, 'list' | 'listPage'>,
  filter: PlantFilter,
  order: ListOrder,
  onTooMany: () => void,
): ListSource {
  if (isByName(order)) {
    const compare: ListSource['compare'] = order === 'name' ? byName : (one, other) => byName(other, one);
    return {
      direction: undefined,
      compare,
      read: (_, signal) => readSorted(client, { ...filter, pageSize: largePageSize, signal }, compare, onTooMany),
    };
  }
  const direction = order === 'highest' ? -1n : 1n;
  return {
    direction,
    compare: (one, other) => Number((one.id - other.id) * direction),
    read: async (place, signal) => {
      const isForward = place === 'start' || (typeof place === 'object' && 'after' in place);
      const isAscending = isForward === (direction === 1n);
      const { items, next } = await client.listPage({
        ...filter,
        ...toBound(),
        order: isAscending ? 'asc' : 'desc',
        pageSize,
        signal,
      });
      return { items: isForward ? items : items.toReversed(), isLast: next === undefined };

      function toBound(): Pick<ListOptions, 'above' | 'below'> {
        if (typeof place === 'string') return {};
        const id = 'after' in place ? place.after : place.upTo + direction;
        // Beyond the last possible id there is nothing to leave out.
        if (id !== BigInt.asIntN(64, id)) return {};
        return isAscending ? { above: id } : { below: id };
      }
    },
  };
}

async function readSorted(
  client: Pick<PlantClient, 'list'>,
  options: ListOptions,
  compare: ListSource['compare'],
  onTooMany: () => void,
): Promise<ListPage> {
  const items: StoredPlant[] = [];
  for await (const plant of client.list(options)) {
    items.push(plant);
    if (items.length <= sortedMax) continue;
    onTooMany();
    break;
  }
  return { items: items.sort(compare), isLast: true };
}

export function isByName(order: ListOrder): boolean {
  return order.endsWith('name');
}

/** As people sort: "Fern 2" is before "Fern 10", whatever the capitals. */
const collator = new Intl.Collator(undefined, { numeric: true });

function byName(one: StoredPlant, other: StoredPlant): number {
  return collator.compare(one.name, other.name) || Number(one.id - other.id);
}
