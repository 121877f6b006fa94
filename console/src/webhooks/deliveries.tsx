/** The latest deliveries of a webhook, and a button to retry each that has not arrived. */
import { useState } from 'preact/hooks';
import type { Delivery, Webhook } from '../../../src/client/client.ts';
import { currentCopy } from '../copy/copy.ts';
import { plantLink } from '../route.ts';
import { useValue } from '../observable.ts';
import { toReason } from '../session/reasons.ts';
import { useSession } from '../session/session.ts';
import { useAction } from '../session/use-action.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { Ago, Soon } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { toCount } from '../ui/numbers.ts';
import { PlantName } from '../ui/plant-text.tsx';
import { eventNames } from './webhook-form.tsx';

const deliveriesMax = 50;

interface DeliveriesProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}

export function Deliveries({ webhook, onChanged }: DeliveriesProps) {
  const api = useSession().client.webhooks;
  const [isOpen, setOpen] = useState(false);
  // Read again whenever the webhook is: both say the same of the next attempt.
  const { value: deliveries, error } = useLoaded(
    isOpen ? ({ signal }) => api.deliveries(webhook.id, { limit: deliveriesMax, signal }) : undefined,
    [api, webhook, isOpen],
  );
  const { busy, run } = useAction(onChanged);
  return (
    <details class="panel-more" onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>Deliveries</summary>
      {error !== undefined && <p role="alert">{toReason(error)}</p>}
      {deliveries?.length === 0 && <p>Nothing was sent yet.</p>}
      <ol class="history" aria-busy={isOpen && deliveries === undefined && error === undefined}>
        {deliveries?.map((delivery) => (
          <li key={delivery.id}>
            <p>
              <b>{eventNames[delivery.event]}</b> <DeliveredPlant id={delivery.plantId} />{' '}
              <Ago at={delivery.createdAt} />
            </p>
            <Progress delivery={delivery} />
            {delivery.status !== 'delivered' && (
              <Button
                kind="quiet"
                icon="restore"
                isBusy={busy === delivery.id}
                onClick={() => void run(delivery.id, 'Retrying', () => api.retryDelivery(webhook.id, delivery.id))}
              >
                Retry<span class="for-readers"> {delivery.id}</span>
              </Button>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Its name, if the page has the plant; otherwise its id. */
function DeliveredPlant({ id }: { readonly id: bigint }) {
  const plant = useValue(currentCopy)?.state.rows.get(id)?.plant;
  return <a {...plantLink(id)}>{plant === undefined ? String(id) : <PlantName name={plant.name} />}</a>;
}

function Progress({ delivery }: { readonly delivery: Delivery }) {
  const { status, attempts, nextAttemptAt, responseStatus, error } = delivery;
  if (status === 'delivered')
    return (
      <p>
        Delivered, {toCount(attempts, 'attempt')}, status {responseStatus}
      </p>
    );
  return (
    <p>
      {status === 'failed' ? `Given up after ${toCount(attempts, 'attempt')}` : `Waiting for attempt ${attempts + 1}`}
      {status === 'waiting' && nextAttemptAt !== undefined && (
        <>
          {' '}
          <Soon at={nextAttemptAt} />
        </>
      )}
      {error !== undefined && `. ${error}`}
    </p>
  );
}
