/** Webhooks: add, test, pause and delete them. Deliveries are in deliveries.tsx. */
import { useEffect, useState } from 'preact/hooks';
import { PlantStoreError, type Webhook, type Webhooks } from '../../../src/client/client.ts';
import { navigate, viewChange } from '../route.ts';
import { onBack } from '../session/connection.ts';
import { toReason } from '../session/reasons.ts';
import type { Session } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { ScopeNotice } from '../ui/notice.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { showToast } from '../ui/toasts.tsx';
import { Deliveries } from './deliveries.tsx';
import { eventNames, NewWebhook } from './new-webhook.tsx';
import { noteFailure } from '../session/note-failure.ts';

export function WebhooksView({ current }: { readonly current: Session }) {
  const { webhooks: api } = current.client;
  const [hooks, setHooks] = useState<readonly Webhook[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  /** The new secrets that nobody has put away yet, by the id of their webhook. */
  const [secrets, setSecrets] = useState<ReadonlyMap<string, string>>(new Map());
  const [edition, setEdition] = useState(0);
  const reload = (): void => setEdition((count) => count + 1);
  useEffect(() => {
    const controller = new AbortController();
    api.list({ signal: controller.signal }).then(
      (found) => {
        setHooks(found);
        setError(undefined);
      },
      (failure: unknown) => {
        if (controller.signal.aborted) return;
        noteFailure(failure);
        setError(failure);
      },
    );
    return () => controller.abort();
  }, [api, edition]);
  useEffect(() => onBack(reload), []);
  const showSecret = ({ id, secret }: { readonly id: string; readonly secret: string }): void => {
    setSecrets((shown) => new Map(shown).set(id, secret));
    reload();
  };
  const hideSecret = (id: string): void => setSecrets((shown) => new Map([...shown].filter(([each]) => each !== id)));
  return (
    <section class="view view-webhooks" aria-labelledby="webhooks-title">
      <header class="view-head">
        <div class="view-title">
          <Button
            kind="quiet"
            icon="back"
            label="Back to the settings"
            onClick={() => navigate(viewChange('settings'))}
          />
          <h1 id="webhooks-title">Webhooks</h1>
        </div>
      </header>
      {error instanceof PlantStoreError && error.status === 403 ? (
        <ScopeNotice needs="webhooks:manage" what="manage webhooks" />
      ) : (
        <div class="webhooks scroll" tabIndex={0} role="region" aria-label="All webhooks">
          {error !== undefined && (
            <div class="inline-alert" role="alert">
              <p>Could not load the webhooks. {toReason(error)}</p>
              <Button onClick={reload}>Try again</Button>
            </div>
          )}
          <NewWebhook api={api} onCreated={showSecret} onFailed={reload} />
          <ul class="hooks" aria-busy={hooks === undefined && error === undefined}>
            {hooks?.map((hook) => (
              <li key={hook.id} class="hook">
                <HookHead hook={hook} />
                {secrets.has(hook.id) && (
                  <ShownOnce
                    text={secrets.get(hook.id) ?? ''}
                    advice="Copy the secret to your receiver now."
                    what="the secret"
                    onDone={() => hideSecret(hook.id)}
                  />
                )}
                <HookActions api={api} hook={hook} onChanged={reload} onSecret={showSecret} />
                <Deliveries api={api} hookId={hook.id} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function HookHead({ hook }: { readonly hook: Webhook }) {
  const { url, events, enabled, disabledReason, notice, failingSince } = hook;
  return (
    <div class="hook-head">
      <h2>{url}</h2>
      <p>
        {enabled ? (failingSince === undefined ? 'Enabled' : 'Failing') : 'Disabled'} ·{' '}
        {events.map((event) => eventNames[event]).join(', ')}
      </p>
      {disabledReason !== undefined && <p class="hook-bad">{disabledReason}</p>}
      {enabled && failingSince !== undefined && (
        <p class="hook-bad">
          First failure <Ago at={failingSince} />
        </p>
      )}
      {notice !== undefined && <p class="hook-bad">{notice}</p>}
    </div>
  );
}

interface ActionsProps {
  readonly api: Webhooks;
  readonly hook: Webhook;
  readonly onChanged: () => void;
  readonly onSecret: (hook: { readonly id: string; readonly secret: string }) => void;
}

function HookActions({ api, hook: { id, url, enabled }, onChanged, onSecret }: ActionsProps) {
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const [isDeleting, setDeleting] = useState(false);
  const run = async (what: string, action: () => Promise<void>): Promise<void> => {
    if (busy !== undefined) return;
    setBusy(what);
    try {
      await action();
    } catch (error) {
      noteFailure(error);
      showToast({ text: toReason(error), isBad: true });
      // It may have been deleted elsewhere.
      onChanged();
    }
    setBusy(undefined);
  };
  const test = async (): Promise<void> => {
    const { delivered, responseStatus, error } = await api.test(id);
    if (delivered) showToast({ text: `The receiver responded with status ${responseStatus ?? ''}.` });
    else showToast({ text: `The test failed. ${error ?? ''}`, isBad: true });
    onChanged();
  };
  const button = (name: string, action: () => Promise<void>, kind: 'plain' | 'danger' = 'plain') => (
    <Button kind={kind} isBusy={busy === name} onClick={() => void run(name, action)}>
      {name}
      <span class="for-readers"> {url}</span>
    </Button>
  );
  return (
    <div class="hook-actions">
      {isDeleting ? (
        <>
          {button(
            'Delete with all deliveries',
            async () => {
              await api.delete(id);
              onChanged();
            },
            'danger',
          )}
          <Button onClick={() => setDeleting(false)}>Keep</Button>
        </>
      ) : (
        <>
          {button('Send test', test)}
          {button(enabled ? 'Disable' : 'Enable', async () => {
            await api.update(id, { enabled: !enabled });
            onChanged();
          })}
          {button('New secret', async () => onSecret(await api.rotateSecret(id)))}
          <Button kind="danger" icon="bin" onClick={() => setDeleting(true)}>
            Delete<span class="for-readers"> {url}</span>
          </Button>
        </>
      )}
    </div>
  );
}
