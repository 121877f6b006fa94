/** Reads plants by their ids with few requests: by pages where that is cheaper, otherwise one by one. */
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';

/** Requests at the same time. */
const readersMax = 6;
/** Plants on a page, as many as the service gives. */
const pageSize = 1_000;
/** A page costs as much as about this many single plants. */
const pageCost = 10;

type Reads = Pick<PlantClient, 'count' | 'get' | 'listPage'>;

/** The plants that exist, in the order of `ids`. */
export async function readPlants(
  client: Reads,
  ids: readonly bigint[],
  signal: AbortSignal | undefined,
  onRead: (count: number) => void = () => undefined,
): Promise<readonly StoredPlant[]> {
  const isCheaperByPage =
    ids.length > pageCost && (await countPages(client, signal)) * BigInt(pageCost) < BigInt(ids.length);
  const found = await (isCheaperByPage ? readByPage : readOneByOne)(client, ids, signal, onRead);
  return ids.flatMap((id) => found.get(id) ?? []);
}

async function countPages(client: Reads, signal: AbortSignal | undefined): Promise<bigint> {
  return (await client.count({ signal })) / BigInt(pageSize) + 1n;
}

async function readByPage(...[client, ids, signal, onRead]: Required<Parameters<typeof readPlants>>) {
  const found = new Map<bigint, StoredPlant>();
  const wanted = new Set(ids);
  const last = ids.reduce((most, id) => (id > most ? id : most));
  let page = await client.listPage({ pageSize }, { signal });
  for (;;) {
    for (const plant of page.items) if (wanted.has(plant.id)) found.set(plant.id, plant);
    onRead(found.size);
    if (page.next === undefined || (page.items.at(-1)?.id ?? last) >= last) return found;
    page = await client.listPage(page.next, { signal });
  }
}

async function readOneByOne(...[client, ids, signal, onRead]: Required<Parameters<typeof readPlants>>) {
  const found = new Map<bigint, StoredPlant>();
  const left = [...ids];
  const read = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const version = await client.get(id, { signal });
      if (version !== undefined) found.set(id, version.plant);
      onRead(ids.length - left.length);
    }
  };
  await Promise.all(Array.from({ length: readersMax }, read));
  return found;
}
