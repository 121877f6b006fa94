/** How a webhook is, in words: whether it sends, why it does not, and what waits. */
import type { Webhook } from '../../../src/client/client.ts';
import { Ago, toExact } from '../ui/ago.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { eventNames } from './webhook-form.tsx';

/** As many as the service counts. */
const countedMax = 100;

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { url, events, enabled, disabledReason, notice, failingSince, lastDelivery, waiting = 0 } = webhook;
  const isFailing = enabled && failingSince !== undefined;
  const nextAttemptAt = lastDelivery?.nextAttemptAt;
  return (
    <div class="managed-head">
      <h2>{url}</h2>
      <p>
        <b class={isFailing || disabledReason !== undefined ? 'is-bad' : undefined}>{toWord(webhook)}</b> ·{' '}
        {events.map((event) => eventNames[event]).join(', ')}
      </p>
      {disabledReason !== undefined && <p class="is-bad">The service disabled it: {disabledReason}</p>}
      {isFailing && (
        <p class="is-bad">
          First failure <Ago at={failingSince} />. {lastDelivery?.error}
          {nextAttemptAt !== undefined && ` · next attempt: ${toExact(nextAttemptAt)}`}
        </p>
      )}
      {waiting > 0 && (
        <p>
          {toWaiting(waiting)}
          {!enabled && ' until it is enabled'}
        </p>
      )}
      {lastDelivery?.status === 'delivered' && (
        <p>
          Last delivery <Ago at={lastDelivery.lastAttemptAt} />
          {lastDelivery.responseStatus !== undefined && `, status ${lastDelivery.responseStatus}`}
        </p>
      )}
      {notice !== undefined && <p class="is-bad">{notice}</p>}
    </div>
  );
}

function toWord({ enabled, failingSince, waiting = 0 }: Webhook): string {
  if (!enabled) return 'Disabled';
  if (failingSince !== undefined) return 'Failing';
  return waiting > 0 ? 'Sending' : 'Enabled';
}

/** @param skipped those that are shown already. */
export function toWaiting(waiting: number, skipped = 0): string {
  const count = waiting - skipped;
  const more = skipped > 0 ? ' more' : '';
  return `${toGrouped(count)}${waiting === countedMax ? ' or more' : more} ${count === 1 ? 'change waits' : 'changes wait'}`;
}
