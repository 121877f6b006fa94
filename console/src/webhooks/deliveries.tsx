/** The latest deliveries of a webhook, and a button to retry each that has not arrived. */
import { useEffect, useState } from 'preact/hooks';
import type { Delivery, Webhooks } from '../../../src/client/client.ts';
import { onBack } from '../session/connection.ts';
import { toReason } from '../session/reasons.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { toCount } from '../ui/numbers.ts';
import { showToast } from '../ui/toasts.tsx';
import { eventNames } from './new-webhook.tsx';
import { noteFailure } from '../session/note-failure.ts';

const deliveriesMax = 50;

function toProgress(status: Delivery['status'], attempts: number): string {
  if (status === 'delivered') return `Delivered, ${toCount(attempts, 'attempt')}`;
  if (status === 'failed') return `Failed after ${toCount(attempts, 'attempt')}`;
  return attempts === 0 ? 'Not sent yet' : `Waiting for attempt ${attempts + 1}`;
}

export function Deliveries({ api, hookId }: { readonly api: Webhooks; readonly hookId: string }) {
  const [isOpen, setOpen] = useState(false);
  const [deliveries, setDeliveries] = useState<readonly Delivery[] | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  const [edition, setEdition] = useState(0);
  const [busyId, setBusyId] = useState<string | undefined>(undefined);
  const reload = (): void => setEdition((count) => count + 1);
  useEffect(() => {
    if (!isOpen) return undefined;
    const controller = new AbortController();
    api.deliveries(hookId, { limit: deliveriesMax, signal: controller.signal }).then(
      (found) => {
        setDeliveries(found);
        setError(undefined);
      },
      (failure: unknown) => {
        if (controller.signal.aborted) return;
        noteFailure(failure);
        setError(toReason(failure));
      },
    );
    return () => controller.abort();
  }, [api, hookId, isOpen, edition]);
  useEffect(() => onBack(reload), []);
  const retry = async (id: string): Promise<void> => {
    if (busyId !== undefined) return;
    setBusyId(id);
    try {
      await api.retryDelivery(hookId, id);
    } catch (failure) {
      noteFailure(failure);
      showToast({ text: toReason(failure), isBad: true });
    }
    setBusyId(undefined);
    reload();
  };
  return (
    <details class="panel-more" onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>Deliveries</summary>
      {error !== undefined && <p role="alert">{error}</p>}
      {deliveries?.length === 0 && <p>Nothing was sent yet.</p>}
      <ol class="history" aria-busy={isOpen && deliveries === undefined}>
        {deliveries?.map(({ id, event, plantId, status, attempts, createdAt, error: reason }) => (
          <li key={id}>
            <p>
              <b>{eventNames[event]}</b> {plantId.toString()} <Ago at={createdAt} />
            </p>
            <p>
              {toProgress(status, attempts)}
              {reason !== undefined && `. ${reason}`}
            </p>
            {status !== 'delivered' && (
              <Button kind="quiet" icon="restore" isBusy={busyId === id} onClick={() => void retry(id)}>
                Retry<span class="for-readers"> {id}</span>
              </Button>
            )}
          </li>
        ))}
      </ol>
      <Button onClick={reload}>Refresh</Button>
    </details>
  );
}
