/** Webhooks: add them, and see how each does, while the view is open. */
import { useState } from 'preact/hooks';
import type { Webhooks } from '../../../src/client/client.ts';
import type { Session } from '../session/session.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { ManagedList } from '../ui/managed-list.tsx';
import { ManagedView } from '../ui/managed-view.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';

export function WebhooksView({ current }: { readonly current: Session }) {
  return (
    <ManagedView current={current} title="Webhooks" needs="webhooks:manage" what="manage webhooks" settingOn="phones">
      <AllWebhooks api={current.client.webhooks} />
    </ManagedView>
  );
}

function AllWebhooks({ api }: { readonly api: Webhooks }) {
  const loaded = useLoaded((options) => api.list(options), [api], { isFollowed: true });
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
      <p>
        A webhook tells another program, such as your web shop, when plants change. Enter the URL where that program
        takes requests.
      </p>
      <WebhookForm onSubmit={async (fields) => showSecret(await api.create(fields))} onFailed={reload} />
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
