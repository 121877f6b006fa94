/** Reads changes page by page until there are enough. */
import type { Change, Page, PlantClient } from '../../../src/client/client.ts';

/** @param from the first page. @param pagesMax ends it, too. */
export async function readEnough(
  client: PlantClient,
  from: Parameters<PlantClient['changesPage']>[0],
  signal: AbortSignal,
  pagesMax: number,
  isEnough: (items: readonly Change[]) => boolean,
): Promise<Page<Change>> {
  const items: Change[] = [];
  for (let pages = 1, address = from; ; pages++) {
    const page = await client.changesPage(address, { signal });
    items.push(...page.items);
    if (page.next === undefined || pages === pagesMax || isEnough(items)) return { items, next: page.next };
    address = page.next;
  }
}
