/** The plants that are still deleted, and how they are shown: those that a batch deleted are one line. */
import type { Change, PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { matches, toRow } from '../copy/order.ts';
import { type Changes, readEnough } from '../copy/read-enough.ts';
import type { ReadChanges } from '../copy/use-changes.ts';

/** Maximum number of pages of 1,000 deletions to read at once: those of a full list, and what follows, which says that it has no more. */
const pagesMax = 21;

/** The newest deletion of each plant that was not created again, newest first. @param lines reads until there are so many lines. */
export async function readDeleted(
  client: PlantClient,
  search: string,
  lines: number,
  ...[before, signal]: Parameters<ReadChanges>
): Promise<Changes> {
  // The last one may have more.
  const isEnough = (items: readonly Change[]): boolean => toDeletions(items, search).length > lines;
  return readEnough(client, { kind: 'deleted', newest: true, pageSize: 1_000, pagesMax, isEnough }, before, signal);
}

/** A plant, or several that one batch deleted. */
export interface Deletion {
  /** Of several plants, their group. */
  readonly key: string;
  readonly newest: Change;
  readonly plants: readonly StoredPlant[];
}

/** In the order of the newest change of each. @param search shows each plant that it finds. */
export function toDeletions(changes: readonly Change[], search: string): readonly Deletion[] {
  const text = search.trim();
  const isWanted = matches({ search: text });
  const deletions = new Map<string, Deletion & { readonly plants: StoredPlant[] }>();
  const seen = new Set<bigint>();
  for (const newest of changes) {
    const { position, before: plant, group, kind } = newest;
    const isNewest = !seen.has(newest.id);
    seen.add(newest.id);
    // Others may have added it again since.
    if (!isNewest || kind !== 'deleted') continue;
    if (plant === undefined || !isWanted(toRow(plant))) continue;
    const key = (text === '' ? group : undefined) ?? position;
    const known = deletions.get(key);
    if (known === undefined) deletions.set(key, { key, newest, plants: [plant] });
    else known.plants.push(plant);
  }
  return [...deletions.values()];
}
