/** Reads plants by their ids, some at the same time. */
import type { StoredPlant } from '../domain/schemas.ts';
import type { PlantClient } from './client.ts';

/** Requests at the same time. */
const readersMax = 6;

/** The plants that exist, in the order of `ids`. @param known those that need no request. */
export async function getPlants(
  client: Pick<PlantClient, 'get'>,
  ids: readonly bigint[],
  known: (id: bigint) => StoredPlant | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly StoredPlant[]> {
  const found = new Map<bigint, StoredPlant | undefined>(ids.map((id) => [id, known(id)]));
  const left = ids.filter((id) => found.get(id) === undefined).values();
  const read = async (): Promise<void> => {
    for (const id of left) found.set(id, (await client.get(id, { signal }))?.plant);
  };
  await Promise.all(Array.from({ length: readersMax }, read));
  return [...found.values()].filter((plant) => plant !== undefined);
}
