/** Webhooks: add them, and see how each does, while the view is open. */
import { useState } from 'preact/hooks';
import { ManagedView } from '../session/managed-view.tsx';
import { useSession } from '../session/session.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { ShownOnce } from '../ui/shown-once.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';

export function WebhooksView() {
  const api = useSession().client.webhooks;
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
    <ManagedView
      name="webhooks"
      one="webhook"
      intro="A webhook tells another program, such as your web shop, when plants change. Add the URL where that program takes requests."
      loaded={loaded}
      form={(close) => (
        <WebhookForm
          onSubmit={async (fields) => {
            showSecret(await api.create(fields));
            close();
          }}
          onFailed={reload}
          onCancel={close}
        />
      )}
    >
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
          <WebhookActions webhook={webhook} onChanged={reload} onSecret={showSecret} />
          <Deliveries webhook={webhook} onChanged={reload} />
        </>
      )}
    </ManagedView>
  );
}
