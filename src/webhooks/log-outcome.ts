/** Logs of a saved outcome that a webhook was disabled, has failed for long, or delivers again. */
import type { WebhookRecord } from '../domain/webhooks.ts';
import type { Log } from '../observe/log.ts';
import type { Outcome } from './progress.ts';

/**
 * How long a webhook fails before that is worth a line, in milliseconds: its attempts are then
 * half an hour apart, so a receiver that restarts is none.
 */
const longMs = 30 * 60_000;

/**
 * @param before the webhook as it was read. The state is stored: a restart logs no second line.
 * @param traceId of the attempt, if it is traced.
 */
export function logOutcome(
  log: Pick<Log, 'error' | 'info' | 'warn'>,
  before: WebhookRecord,
  outcome: Outcome,
  traceId?: string,
): void {
  const webhook = before.settings.id;
  const { failing, disabledReason: reason } = outcome.progress;
  if (reason !== undefined) log.warn({ webhook, reason, traceId }, 'Disabled a webhook');
  const [lastedMs, lastsMs] = [before.progress.failing?.lastsMs ?? 0, failing?.lastsMs ?? 0];
  if (lastsMs >= longMs && lastedMs < longMs) {
    const since = new Date(failing?.since ?? 0).toISOString();
    log.error(
      { webhook, since, reason: outcome.delivery?.error, traceId },
      'A webhook has failed for half an hour or longer',
    );
  } else if (outcome.delivery?.status === 'delivered' && lastedMs >= longMs) {
    log.info({ webhook, minutes: Math.round(lastedMs / 60_000) }, 'A webhook delivers again');
  }
}
