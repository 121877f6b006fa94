/** The plants that are still deleted, and how they are shown: those that a batch deleted are one line. */
import type { Change, Page, PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { matches } from '../plants/filter.ts';
import { readEnough } from './read-enough.ts';

/** Deletions to read at once. */
const pageSize = 1_000;
/** Deleted plants after which no further page is read. */
const enough = 500;
/** Maximum number of pages to read for them. */
const pagesMax = 10;

/** The newest deletion of each plant that was not created again, newest first. @param next of an earlier page. */
export async function readDeleted(
  client: PlantClient,
  next: string | undefined,
  signal: AbortSignal,
): Promise<Page<Change>> {
  const from = next ?? ({ order: 'desc', kind: 'deleted', newest: true, pageSize } as const);
  return readEnough(client, from, signal, pagesMax, ({ length }) => length >= enough);
}

/** A plant, or several that one batch deleted. */
export interface Deletion {
  readonly newest: Change;
  readonly plants: readonly StoredPlant[];
  readonly group: string | undefined;
}

/** In the order of the newest change of each. @param search shows each plant that it finds. */
export function toDeletions(changes: readonly Change[], search: string): readonly Deletion[] {
  const deletions = new Map<string, Deletion & { readonly plants: StoredPlant[] }>();
  for (const newest of changes) {
    const { position, before: plant, group } = newest;
    if (plant === undefined || !isFound(plant, search.trim())) continue;
    const key = (search.trim() === '' ? group : undefined) ?? position;
    const known = deletions.get(key);
    if (known === undefined) deletions.set(key, { newest, plants: [plant], group });
    else known.plants.push(plant);
  }
  return [...deletions.values()];
}

function isFound(plant: StoredPlant, search: string): boolean {
  return search === '' || matches(plant, { search }) || String(plant.id) === search;
}
