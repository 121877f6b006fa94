/** Finds the plants that are still deleted. */
import type { Change, Page, PlantClient } from '../../../src/client/client.ts';

/** Deletions per page. */
const pageSize = 50;
/** Pages that are read until one has a plant that is still deleted. */
const pagesMax = 10;
/** Requests at the same time. */
const readersMax = 5;

/** The newest deletion of each plant that was not created again, newest first. @param next of an earlier page. */
export async function readDeleted(
  client: PlantClient,
  next: string | undefined,
  signal: AbortSignal,
): Promise<Page<Change>> {
  for (let pages = 1, address = next; ; pages++) {
    const page = await client.changesPage(address ?? { order: 'desc', kind: 'deleted', pageSize }, { signal });
    const items = await keepDeleted(client, page.items, signal);
    if (items.length > 0 || page.next === undefined || pages === pagesMax) return { items, next: page.next };
    address = page.next;
  }
}

async function keepDeleted(
  client: PlantClient,
  deletions: readonly Change[],
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const kept = new Set<Change>();
  // Only the newest deletion of a plant can be its newest change.
  const left = [...new Map(deletions.toReversed().map((change) => [change.id, change])).values()].reverse();
  const check = async (): Promise<void> => {
    for (let change = left.shift(); change !== undefined; change = left.shift()) {
      const [newest] = (await client.historyPage(change.id, { pageSize: 1 }, { signal })).items;
      if (newest?.position === change.position) kept.add(change);
    }
  };
  await Promise.all(Array.from({ length: readersMax }, check));
  return deletions.filter((change) => kept.has(change));
}
