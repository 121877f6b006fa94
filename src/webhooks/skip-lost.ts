/** Where a webhook goes on that cannot read on from its position. */
import type { ChangeLog } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import type { WebhookRecord } from '../domain/webhooks.ts';

/** Returns the new position: before the oldest change that is kept; the newest one if the position is of another log. */
export async function skipLost(
  position: string,
  changes: Pick<ChangeLog, 'latest' | 'oldestAfter'>,
  now: number,
): Promise<Required<Pick<WebhookRecord, 'position' | 'notice'>>> {
  try {
    const oldest = await changes.oldestAfter(position);
    return {
      position: oldest,
      notice: `Changes up to the position ${oldest} were skipped: they are not in the change log any more`,
    };
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'position_unknown')) throw error;
  }
  const at = new Date(now).toISOString();
  return {
    position: await changes.latest(),
    notice: `Changes before ${at} were skipped: the change log is not the one that this webhook followed`,
  };
}
