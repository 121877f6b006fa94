/** Tokens: who has access, to what, until when; make and revoke them. */
import type { Token } from '../../../src/client/client.ts';
import { putAway } from '../session/secrets.tsx';
import { useSession } from '../session/session.ts';
import { serviceUrl } from '../session/service-url.ts';
import { useAction } from '../session/use-action.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { Ago, toDay } from '../ui/ago.tsx';
import { ask } from '../session/ask.tsx';
import { Button } from '../ui/button.tsx';
import { isLoopback } from '../ui/loopback.ts';
import { ManagedView } from '../session/managed-view.tsx';
import { NewToken } from './new-token.tsx';
import { scopeNames } from '../session/scopes.ts';

export function TokensView() {
  const { client, own } = useSession();
  const api = client.tokens;
  const ownId = own?.id;
  const loaded = useLoaded(async (options) => (await api.list(options)).toReversed(), [api]);
  const { reload, value = [] } = loaded;
  const { busy, run } = useAction(reload);
  const toCreator = ({ createdBy }: Token): string | undefined =>
    createdBy !== undefined && createdBy === ownId ? 'you' : value.find(({ id }) => id === createdBy)?.name;
  const askToRevoke = (token: Token): void =>
    ask({
      text: toWarning(token, value, ownId),
      yes: 'Revoke it',
      kind: 'final',
      onYes: () =>
        void run(token.id, `Revoking “${token.name}”`, () => api.revoke(token.id).then(() => putAway(token.id))),
    });
  return (
    <ManagedView
      name="tokens"
      one="token"
      intro={
        <>
          Give each person and each program a token of its own, so that you see who changed what, and can revoke one
          alone. A person signs in with it at <code>{serviceUrl}/console</code>
          {isLoopback(serviceUrl) && (
            <>
              {' '}
              on this computer (<code>docs/shop.md</code> says how to open it to others)
            </>
          )}
          ; a program sends it with each request, as the <a href={`${serviceUrl}/docs`}>API documentation</a> shows.
        </>
      }
      loaded={loaded}
      form={<NewToken api={api} onEnd={reload} />}
    >
      {(token) => (
        <>
          <TokenHead token={token} isOwn={token.id === ownId} creator={toCreator(token)} />
          {token.state === 'active' && (
            <div class="managed-actions">
              <Button kind="danger" isBusy={busy === token.id} onClick={() => askToRevoke(token)}>
                Revoke<span class="for-readers"> {token.name}</span>
              </Button>
            </div>
          )}
        </>
      )}
    </ManagedView>
  );
}

function toWarning({ id, name }: Token, all: readonly Token[], ownId: string | undefined): string {
  const managers = all.filter(({ state, scopes }) => state === 'active' && scopes.includes('tokens:manage'));
  const isLast = managers.length === 1 && managers[0]?.id === id;
  return [
    `Revoke “${name}”? What uses it stops working.`,
    ...(isLast ? ['It is the last token that can manage tokens: the next one can only be made by a command.'] : []),
    ...(id === ownId ? ['You are signed in with it, and will be signed out.'] : []),
    'This cannot be undone.',
  ].join(' ');
}

function TokenHead({
  token: { id, name, scopes, state, createdAt, expiresAt, revokedAt, lastUsedAt },
  isOwn,
  creator,
}: {
  readonly token: Token;
  readonly isOwn: boolean;
  /** Name of the token that created it. */
  readonly creator: string | undefined;
}) {
  return (
    <div class="managed-head">
      <h2>
        {name}
        {isOwn && ' (you)'}
      </h2>
      <p>
        {scopes.length > 0 ? scopes.map((scope) => scopeNames[scope]).join(', ') : 'what the OpenID provider allows'} ·{' '}
        <code>{id}</code>
      </p>
      <p>
        Created <Ago at={createdAt} /> {creator !== undefined && `by ${creator} `}·{' '}
        {lastUsedAt === undefined ? (
          'never used'
        ) : (
          <>
            last used <Ago at={lastUsedAt} />
          </>
        )}
        {state === 'active' && expiresAt !== undefined && <> · expires on {toDay(expiresAt)}</>}
      </p>
      {state !== 'active' && (
        <p class="is-bad">
          {state === 'revoked' ? 'Revoked' : 'Expired'} <Ago at={revokedAt ?? expiresAt ?? createdAt} />
        </p>
      )}
    </div>
  );
}
