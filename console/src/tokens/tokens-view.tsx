/** Tokens: who has access, with which scopes, until when; make and revoke them. */
import { useEffect, useState } from 'preact/hooks';
import { PlantStoreError, type Token, type TokenWithSecret } from '../../../src/client/client.ts';
import { navigate, viewChange } from '../route.ts';
import { onBack } from '../session/connection.ts';
import { noteFailure } from '../session/note-failure.ts';
import { toReason } from '../session/reasons.ts';
import type { Session } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { ScopeNotice } from '../ui/notice.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { showToast } from '../ui/toasts.tsx';
import { NewToken } from './new-token.tsx';

export function TokensView({ current }: { readonly current: Session }) {
  const { tokens: api } = current.client;
  const [tokens, setTokens] = useState<readonly Token[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  /** Made here, and not put away yet. */
  const [made, setMade] = useState<TokenWithSecret | undefined>(undefined);
  const [edition, setEdition] = useState(0);
  const reload = (): void => setEdition((count) => count + 1);
  useEffect(() => {
    const controller = new AbortController();
    api.list({ signal: controller.signal }).then(
      (found) => {
        setTokens(found.toReversed());
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
  const revoke = async ({ id }: Token): Promise<void> => {
    try {
      await api.revoke(id);
    } catch (failure) {
      noteFailure(failure);
      showToast({ text: toReason(failure), isBad: true });
    }
    reload();
  };
  return (
    <section class="view view-webhooks" aria-labelledby="tokens-title">
      <header class="view-head">
        <div class="view-title">
          <Button
            kind="quiet"
            icon="back"
            label="Back to the settings"
            onClick={() => navigate(viewChange('settings'))}
          />
          <h1 id="tokens-title">Tokens</h1>
        </div>
      </header>
      {error instanceof PlantStoreError && error.status === 403 ? (
        <ScopeNotice needs="tokens:manage" what="manage tokens" />
      ) : (
        <div class="webhooks scroll" tabIndex={0} role="region" aria-label="All tokens">
          {error !== undefined && (
            <div class="inline-alert" role="alert">
              <p>Could not load the tokens. {toReason(error)}</p>
              <Button onClick={reload}>Try again</Button>
            </div>
          )}
          <NewToken
            api={api}
            onCreated={(token) => {
              setMade(token);
              reload();
            }}
            onFailed={reload}
          />
          {made !== undefined && (
            <ShownOnce
              text={made.token}
              advice={`Copy the token “${made.name}” to where it is needed now.`}
              what="the token"
              onDone={() => setMade(undefined)}
            />
          )}
          <ul class="hooks" aria-busy={tokens === undefined && error === undefined}>
            {tokens?.map((token) => (
              <li key={token.id} class="hook">
                <TokenHead token={token} />
                {token.state === 'active' && <Revoke name={token.name} onRevoke={() => revoke(token)} />}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function TokenHead({
  token: { id, name, scopes, state, createdAt, expiresAt, revokedAt, lastUsedAt },
}: {
  readonly token: Token;
}) {
  return (
    <div class="hook-head">
      <h2>{name}</h2>
      <p>
        <code>{id}</code> · {scopes.length > 0 ? scopes.join(', ') : 'scopes of the OpenID provider'}
      </p>
      <p>
        Created <Ago at={createdAt} /> ·{' '}
        {lastUsedAt === undefined ? (
          'never used'
        ) : (
          <>
            last used <Ago at={lastUsedAt} />
          </>
        )}
        {state === 'active' && expiresAt !== undefined && <> · expires on {dateFormat.format(new Date(expiresAt))}</>}
      </p>
      {state === 'revoked' && <p class="hook-bad">Revoked {revokedAt !== undefined && <Ago at={revokedAt} />}</p>}
      {state === 'expired' && <p class="hook-bad">Expired {expiresAt !== undefined && <Ago at={expiresAt} />}</p>}
    </div>
  );
}

const dateFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

interface RevokeProps {
  readonly name: string;
  readonly onRevoke: () => Promise<void>;
}

/** Asks first: what uses the token stops working. */
function Revoke({ name, onRevoke }: RevokeProps) {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked)
    return (
      <div class="hook-actions">
        <Button kind="danger" onClick={() => setAsked(true)}>
          Revoke<span class="for-readers"> {name}</span>
        </Button>
      </div>
    );
  return (
    <div class="hook-actions">
      <Button kind="danger" onClick={() => void onRevoke()}>
        Revoke for good: what uses it stops working
      </Button>
      <Button onClick={() => setAsked(false)}>Keep</Button>
    </div>
  );
}
