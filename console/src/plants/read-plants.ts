/** Reads plants by their ids, several at a time. */
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';

const readersMax = 6;

/** The plants that exist, in the order of `ids`. */
export async function readPlants(
  client: PlantClient,
  ids: readonly bigint[],
  signal: AbortSignal,
  onRead: (count: number) => void = () => undefined,
): Promise<readonly StoredPlant[]> {
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
  return ids.flatMap((id) => found.get(id) ?? []);
}
