/** Webhooks: add them, and see how each does, while the view is open. */
import { useState } from 'preact/hooks';
import type { Webhooks } from '../../../src/client/client.ts';
import type { Session } from '../session/session.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { Button } from '../ui/button.tsx';
import { ManagedList } from '../session/managed-list.tsx';
import { ManagedView } from '../session/managed-view.tsx';
import { TitledModal } from '../ui/modal.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';

export function WebhooksView({ current }: { readonly current: Session }) {
  const [isAdding, setAdding] = useState(false);
  const action = (
    <Button kind="main" icon="plus" onClick={() => setAdding(true)}>
      New webhook
    </Button>
  );
  return (
    <ManagedView
      current={current}
      title="Webhooks"
      needs="webhooks:manage"
      what="manage webhooks"
      isSetting
      action={action}
    >
      <AllWebhooks api={current.client.webhooks} isAdding={isAdding} onAdded={() => setAdding(false)} />
    </ManagedView>
  );
}

interface WebhooksProps {
  readonly api: Webhooks;
  readonly isAdding: boolean;
  readonly onAdded: () => void;
}

function AllWebhooks({ api, isAdding, onAdded }: WebhooksProps) {
  const loaded = useLoaded((options) => api.list(options), [api], { everyMs: 5_000 });
  const { reload } = loaded;
  /** The new secrets that nobody has put away yet, by the id of their webhook. */
  const [secrets, setSecrets] = useState<ReadonlyMap<string, string>>(new Map());
  const showSecret = ({ id, secret }: { readonly id: string; readonly secret: string }): void => {
    setSecrets((shown) => new Map(shown).set(id, secret));
    reload();
  };
  const hideSecret = (id: string): void => setSecrets((shown) => new Map([...shown].filter(([each]) => each !== id)));
  return (
    <>
      <p class="soft">
        A webhook tells another program, such as your web shop, when plants change. Add the URL where that program takes
        requests.
      </p>
      {isAdding && (
        <TitledModal label="New webhook" kind="side-panel" onClose={onAdded}>
          {(close) => (
            <WebhookForm
              onSubmit={async (fields) => {
                showSecret(await api.create(fields));
                close();
              }}
              onFailed={reload}
              onCancel={close}
            />
          )}
        </TitledModal>
      )}
      <ManagedList loaded={loaded} what="the webhooks">
        {(webhook) => (
          <>
            <WebhookState webhook={webhook} />
            {secrets.has(webhook.id) && (
              <ShownOnce
                text={secrets.get(webhook.id) ?? ''}
                advice="Copy the secret to your receiver now."
                what="the secret"
                onDone={() => hideSecret(webhook.id)}
              />
            )}
            <WebhookActions api={api} webhook={webhook} onChanged={reload} onSecret={showSecret} />
            <Deliveries api={api} webhook={webhook} onChanged={reload} />
          </>
        )}
      </ManagedList>
    </>
  );
}
