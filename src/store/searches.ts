/** Searches of an instance, for every adapter: how many run and wait, and pages that take several looks, between which others have their turn. */
import type { StoredPlant } from '../domain/schemas.ts';
import type { PlantPage, PlantQuery } from '../domain/store.ts';
import { Semaphore } from '../limits/semaphore.ts';

/** Maximum number that wait or run. On a large store one takes some hundred milliseconds. */
const searchesMax = 64;
/** A search that has waited for longer is not run, in milliseconds: on PostgreSQL. On SQLite, none waits. */
const waitMsMax = 5_000;

/** @param atOnce absent: the caller runs the searches in turn. */
export function limitSearches(atOnce = searchesMax): Semaphore {
  return new Semaphore(atOnce, { waitingMax: searchesMax - atOnce, patienceMs: waitMsMax });
}

/** Resolves to what so many looks find of a page; it is of one moment if that is one. */
export async function listInLooks(
  list: (query: PlantQuery) => Promise<PlantPage>,
  query: PlantQuery,
  looksMax: number,
): Promise<PlantPage> {
  const plants: StoredPlant[] = [];
  let next: PlantQuery | undefined = query;
  for (let looks = 0; next !== undefined && looks < looksMax; looks += 1) {
    const found: PlantPage = await list(next);
    plants.push(...found.plants);
    next = found.next;
  }
  return { plants, next };
}
