/** Where a webhook goes on that cannot read on from its position. */
import type { ChangeLog } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';

/** Before the oldest change that is kept; from now if the position is of another log. */
export async function findSkip(
  position: string,
  changes: Pick<ChangeLog, 'latest' | 'oldestAfter'>,
  now: number,
): Promise<{ readonly position: string; readonly notice: string }> {
  try {
    const oldest = await changes.oldestAfter(position);
    const notice = `Changes up to the position ${oldest} were skipped: they are not in the change log any more`;
    return { position: oldest, notice };
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'position_unknown')) throw error;
  }
  const at = new Date(now).toISOString();
  return {
    position: await changes.latest(),
    notice: `Changes before ${at} were skipped: the change log is not the one that this webhook followed`,
  };
}
