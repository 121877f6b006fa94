/** What can be done with a webhook. What cannot be undone is asked for first. */
import { useState } from 'preact/hooks';
import type { Webhook, WebhookWithSecret } from '../../../src/client/client.ts';
import { putAway } from '../session/secrets.tsx';
import { useSession } from '../session/session.ts';
import { useAction } from '../session/use-action.ts';
import { ask } from '../session/ask.tsx';
import { Button } from '../ui/button.tsx';
import { TitledModal } from '../ui/modal.tsx';
import { showToast } from '../session/toasts.tsx';
import { WebhookForm } from './webhook-form.tsx';

const urlMax = 60;

interface ActionsProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
  readonly onSecret: (webhook: WebhookWithSecret) => void;
}

export function WebhookActions({ webhook, onChanged, onSecret }: ActionsProps) {
  const api = useSession().client.webhooks;
  const { id, url, enabled } = webhook;
  const [isEdited, setEdited] = useState(false);
  // It may have been deleted elsewhere.
  const { busy, run } = useAction(onChanged);
  const test = async (): Promise<void> => {
    const { delivered, responseStatus, error } = await api.test(id);
    const receiver = url.length > urlMax ? `${url.slice(0, urlMax)}…` : url;
    if (delivered) showToast({ text: `Test sent to ${receiver}: status ${responseStatus ?? ''}.` });
    else showToast({ text: `The test of ${receiver} failed. ${error ?? ''}`, isBad: true });
  };
  const askForSecret = (): void =>
    ask({
      text: `Make a new secret for ${url}? It is shown once. The old one stays valid for 24 hours: until then, each request is signed with both.`,
      yes: 'Make a new secret',
      onYes: () => void run('New secret', 'Making a new secret', () => api.rotateSecret(id).then(onSecret)),
    });
  const askToDelete = (): void =>
    ask({
      text: `Delete ${url} and its deliveries? What waits is not sent. This cannot be undone.`,
      yes: 'Delete it',
      kind: 'final',
      onYes: () => void run('Delete', 'Deleting the webhook', () => api.delete(id).then(() => putAway(id))),
    });
  const button = (name: string, onClick: () => void, kind: 'plain' | 'danger' = 'plain') => (
    <Button kind={kind} isBusy={busy === name} onClick={onClick}>
      {name}
      <span class="for-readers"> {url}</span>
    </Button>
  );
  const change = enabled ? 'Disable' : 'Enable';
  return (
    <div class="managed-actions">
      {button('Send a test', () => void run('Send a test', 'Sending a test', test))}
      {button(
        change,
        () =>
          void run(change, enabled ? 'Disabling the webhook' : 'Enabling the webhook', () =>
            api.update(id, { enabled: !enabled }),
          ),
      )}
      {button('Edit', () => setEdited(true))}
      {button('New secret', askForSecret)}
      {button('Delete', askToDelete, 'danger')}
      {isEdited && (
        <TitledModal label="Edit webhook" kind="side-panel" onClose={() => setEdited(false)}>
          {() => (
            <WebhookForm webhook={webhook} onSubmit={(fields) => api.update(id, fields)} onEnd={() => onChanged()} />
          )}
        </TitledModal>
      )}
    </div>
  );
}
