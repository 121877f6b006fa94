/** Reads a page of a search in parts, between which others have their turn. */
import type { StoredPlant } from '../domain/schemas.ts';
import type { PagePart, PlantPage } from '../domain/store.ts';

/** Resolves to what so many parts have; it is of one moment if that is one. */
export async function listInParts(
  listPart: (page: PlantPage) => Promise<PagePart>,
  page: PlantPage,
  partsMax = Infinity,
): Promise<PagePart> {
  const plants: StoredPlant[] = [];
  let next: PlantPage | undefined = page;
  for (let parts = 0; next !== undefined && parts < partsMax; parts += 1) {
    const part: PagePart = await listPart(next);
    plants.push(...part.plants);
    next = part.next;
  }
  return { plants, next };
}
