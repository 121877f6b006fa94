/** Reads plants by their ids, some at the same time. */
import type { StoredPlant } from '../domain/schemas.ts';
import type { CallOptions, PlantVersion } from './options.ts';

/** Requests at the same time. */
const readersMax = 6;

/** Of a `PlantClient`. */
interface PlantSource {
  get(id: bigint, options?: CallOptions): Promise<PlantVersion | undefined>;
}

/**
 * Resolves to the plants that exist, in the order of `ids`. Throws what `get` throws.
 * @param known finds a plant that needs no request. Default: none.
 */
export async function getPlants(
  client: PlantSource,
  ids: readonly bigint[],
  known: (id: bigint) => StoredPlant | undefined = () => undefined,
  signal?: AbortSignal,
): Promise<readonly StoredPlant[]> {
  const found = new Map<bigint, StoredPlant | undefined>(ids.map((id) => [id, known(id)]));
  const left = ids.filter((id) => found.get(id) === undefined).values();
  const read = async (): Promise<void> => {
    for (const id of left) found.set(id, (await client.get(id, { signal }))?.plant);
  };
  await Promise.all(Array.from({ length: readersMax }, read));
  return [...found.values()].filter((plant) => plant !== undefined);
}
