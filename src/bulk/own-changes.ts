/** What a group has made of one plant, as far as the change log has it: what an undo takes back. */
import type { Change, ChangeLog } from '../domain/change-log.ts';
import type { RetryWhileBusy } from './retry-while-busy.ts';

/** Changes of one plant to read at once. */
const historyRowsMax = 100;

export interface OwnChanges {
  readonly newest?: Change | undefined;
  readonly oldest?: Change | undefined;
}

/**
 * The last changes of a plant that a group made without others between them: what someone else
 * wrote between two of them is not undone. Resolves to nothing if none is kept any more.
 */
export async function findOwn(
  group: string,
  id: bigint,
  changes: ChangeLog,
  retry: RetryWhileBusy,
): Promise<OwnChanges> {
  let own: OwnChanges = {};
  for (let end: string | undefined; ;) {
    const page = await retry(() => changes.history(id, historyRowsMax, end));
    for (const change of page) {
      if (change.group === group) own = { newest: own.newest ?? change, oldest: change };
      else if (own.newest !== undefined) return own;
    }
    if (page.length === 0) return own;
    end = page.at(-1)?.position;
  }
}
