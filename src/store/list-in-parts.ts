/** Reads a page of a search in parts, between which others have their turn. */
import type { StoredPlant } from '../domain/schemas.ts';
import type { PlantPage } from '../domain/store.ts';

export interface PagePart {
  readonly plants: readonly StoredPlant[];
  /** What is left of the page; undefined if it is full, or no more plants match. */
  readonly next: PlantPage | undefined;
}

/** Resolves to the page, which is of one moment if it has one part. */
export async function listInParts(
  listPart: (page: PlantPage) => Promise<PagePart>,
  page: PlantPage,
): Promise<readonly StoredPlant[]> {
  const plants: StoredPlant[] = [];
  for (let rest: PlantPage | undefined = page; rest !== undefined;) {
    const part = await listPart(rest);
    plants.push(...part.plants);
    rest = part.next;
  }
  return plants;
}
