/** Searches of an instance, for every adapter: how many run and wait, and pages in parts, between which others have their turn. */
import type { StoredPlant } from '../domain/schemas.ts';
import type { PlantPage, PlantQuery } from '../domain/store.ts';
import { Semaphore } from '../limits/semaphore.ts';

/** Maximum number that wait or run. On a large store one takes some hundred milliseconds. */
const searchesMax = 64;
/** A search that has waited for longer is not run any more, in milliseconds. */
const waitMsMax = 5_000;

/** @param atOnce absent: whoever runs them takes them in turn. */
export function openSearches(atOnce = searchesMax): Semaphore {
  return new Semaphore(atOnce, { waitingMax: searchesMax - atOnce, patienceMs: waitMsMax });
}

/** Resolves to what so many parts of a page have; it is of one moment if that is one. */
export async function listInParts(
  list: (query: PlantQuery) => Promise<PlantPage>,
  query: PlantQuery,
  partsMax: number,
): Promise<PlantPage> {
  const plants: StoredPlant[] = [];
  let next: PlantQuery | undefined = query;
  for (let parts = 0; next !== undefined && parts < partsMax; parts += 1) {
    const part: PlantPage = await list(next);
    plants.push(...part.plants);
    next = part.next;
  }
  return { plants, next };
}
