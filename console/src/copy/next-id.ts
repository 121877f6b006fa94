/** Ids that people can say, write on a pot and find again: one more than the highest of them. */
import { type PlantClient, PlantStoreError } from '../../../src/client/client.ts';

/** Article numbers of shops and ids of programs are longer: they are no numbers to continue (decision CO11). */
const belowId = 1_000_000_000n;

/** @param last an id that is known to be in use: the next one is above it. */
export async function findNextId(client: Pick<PlantClient, 'listPage'>, last = 0n): Promise<bigint> {
  const { items } = await client.listPage({ order: 'desc', below: belowId, pageSize: 1 });
  const highest = items[0]?.id ?? 0n;
  return (highest > last ? highest : last) + 1n;
}

/** The same for new plants of a file; 1 if the token cannot read: then nobody knows the next one. */
export async function findFirstId(client: Pick<PlantClient, 'listPage'> | undefined): Promise<bigint> {
  if (client === undefined) return 1n;
  return findNextId(client).catch((error: unknown) => {
    if (error instanceof PlantStoreError && error.status === 403) return 1n;
    throw error;
  });
}
