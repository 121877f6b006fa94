/** How a webhook is: whether it sends, why it does not, and what waits; and a mark if one fails. */
import type { Webhook } from '../../../src/client/client.ts';
import { useSession } from '../session/session.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { Ago, Soon } from '../ui/ago.tsx';
import { eventNames } from './webhook-form.tsx';

/** As many as the service counts. */
const countedMax = 100;

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const {
    url,
    events,
    enabled,
    disabledReason,
    notice,
    failingSince,
    lastDelivery,
    waiting = 0,
    behindSince,
  } = webhook;
  const isFailing = enabled && failingSince !== undefined;
  const nextAttemptAt = lastDelivery?.nextAttemptAt;
  return (
    <div class="managed-head">
      <h2>{url}</h2>
      <p>
        <b class={isBad(webhook) ? 'is-bad' : undefined}>{toWord(webhook)}</b> ·{' '}
        {events.map((event) => eventNames[event]).join(', ')}
      </p>
      {disabledReason !== undefined && <p class="is-bad">The service disabled it: {disabledReason}</p>}
      {isFailing && (
        <p class="is-bad">
          First failure <Ago at={failingSince} />. {lastDelivery?.error}
          {nextAttemptAt !== undefined && (
            <>
              {' '}
              · next attempt <Soon at={nextAttemptAt} />
            </>
          )}
          . After 3 days of failures, the service disables it.
        </p>
      )}
      {waiting > 0 && (
        <p>
          {waiting}
          {waiting === countedMax && ' or more'} {waiting === 1 ? 'change waits' : 'changes wait'}
          {!enabled && ' until it is enabled'}
          {behindSince !== undefined && (
            <>
              , the oldest <Ago at={behindSince} />
            </>
          )}
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

function isBad({ enabled, failingSince, disabledReason }: Webhook): boolean {
  return disabledReason !== undefined || (enabled && failingSince !== undefined);
}

/** How often the mark is up to date, while the page is visible. */
const everyMs = 60_000;

/** In the navigation and the settings. */
export function FailingMark() {
  const api = useSession().client.webhooks;
  const { value } = useLoaded((options) => api.list(options), [api], everyMs);
  if (value?.some(isBad) !== true) return null;
  return (
    <span class="failing-mark" title="A webhook fails">
      <span class="for-readers">, a webhook fails</span>
    </span>
  );
}
