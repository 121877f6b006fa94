/** Finds the plants that are still deleted. */
import type { Page } from '../../../src/client/pages.ts';
import type { Change } from '../../../src/client/client.ts';
import type { ChangeLog } from './change-log.ts';

/** Deletions per page. */
const pageSize = 50;
/** Pages that are read until one has a plant that is still deleted. */
const pagesMax = 10;
/** Requests at the same time. */
const readersMax = 5;

/** The newest deletion of each plant that was not created again, newest first. @param next of an earlier page. */
export async function readDeleted(
  log: ChangeLog,
  next: string | undefined,
  signal: AbortSignal,
): Promise<Page<Change>> {
  for (let pages = 1, address = next; ; pages++) {
    const page = await log.newest({ limit: pageSize, kind: 'deleted' }, address, signal);
    const items = await keepDeleted(log, page.items, signal);
    if (items.length > 0 || page.next === undefined || pages === pagesMax) return { items, next: page.next };
    address = page.next;
  }
}

async function keepDeleted(
  log: ChangeLog,
  deletions: readonly Change[],
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const kept = new Set<Change>();
  // Only the newest deletion of a plant can be its newest change.
  const left = [...new Map(deletions.toReversed().map((change) => [change.id, change])).values()].reverse();
  const check = async (): Promise<void> => {
    for (let change = left.shift(); change !== undefined; change = left.shift()) {
      const [newest] = (await log.history(change.id, 1, undefined, signal)).items;
      if (newest?.position === change.position) kept.add(change);
    }
  };
  await Promise.all(Array.from({ length: readersMax }, check));
  return deletions.filter((change) => kept.has(change));
}
