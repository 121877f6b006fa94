/** Webhooks: add them, and see how each does, while the view is open. */
import type { WebhookWithSecret } from '../../../src/client/client.ts';
import { ManagedView } from '../session/managed-view.tsx';
import { showSecret } from '../session/secrets.tsx';
import { useSession } from '../session/session.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';

export function WebhooksView() {
  const api = useSession().client.webhooks;
  const loaded = useLoaded((options) => api.list(options), [api], 5_000);
  const { reload } = loaded;
  const onSecret = (webhook?: WebhookWithSecret): void => {
    reload();
    if (webhook === undefined) return;
    const { id, url, secret: text } = webhook;
    showSecret({ kind: 'secret', id, text, advice: `Copy the secret to your receiver at ${url} now.` });
  };
  return (
    <ManagedView
      name="webhooks"
      one="webhook"
      intro="A webhook tells another program, such as your web shop, when plants change. Add the URL where that program takes requests."
      loaded={loaded}
      form={<WebhookForm onSubmit={(fields) => api.create(fields)} onEnd={onSecret} />}
    >
      {(webhook) => (
        <>
          <WebhookState webhook={webhook} />
          <WebhookActions webhook={webhook} onChanged={reload} onSecret={onSecret} />
          <Deliveries webhook={webhook} onChanged={reload} />
        </>
      )}
    </ManagedView>
  );
}
