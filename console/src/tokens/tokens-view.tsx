/** Tokens: who has access, with which scopes, until when; make and revoke them. */
import { useState } from 'preact/hooks';
import type { Token, Tokens, TokenWithSecret } from '../../../src/client/client.ts';
import type { Session } from '../session/session.ts';
import { useAction } from '../session/use-action.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { Ago, toDay } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { ManagedList } from '../ui/managed-list.tsx';
import { ManagedView } from '../ui/managed-view.tsx';
import { Question } from '../ui/question.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { NewToken } from './new-token.tsx';
import { scopeNames } from './scope-names.ts';

export function TokensView({ current }: { readonly current: Session }) {
  return (
    <ManagedView current={current} title="Tokens" needs="tokens:manage" what="manage tokens" settingOn="all">
      <AllTokens api={current.client.tokens} ownId={current.own?.id} />
    </ManagedView>
  );
}

interface TokensProps {
  readonly api: Tokens;
  /** The token that the person is signed in with. */
  readonly ownId: string | undefined;
}

function AllTokens({ api, ownId }: TokensProps) {
  const loaded = useLoaded(async (options) => (await api.list(options)).toReversed(), [api]);
  const { reload } = loaded;
  /** Made here, and not put away yet. */
  const [made, setMade] = useState<readonly TokenWithSecret[]>([]);
  const putAway = (id: string): void => setMade((shown) => shown.filter((each) => each.id !== id));
  const { busy, run } = useAction(reload);
  const toCreator = ({ createdBy }: Token): string | undefined =>
    createdBy !== undefined && createdBy === ownId ? 'you' : loaded.value?.find(({ id }) => id === createdBy)?.name;
  return (
    <>
      <NewToken
        api={api}
        onCreated={(token) => {
          setMade((shown) => [token, ...shown]);
          reload();
        }}
        onFailed={reload}
      />
      {made.map(({ id, name, token }) => (
        <ShownOnce
          key={id}
          text={token}
          advice={`Copy the token “${name}” to where it is needed now.`}
          what="the token"
          onDone={() => putAway(id)}
        />
      ))}
      <ManagedList loaded={loaded} what="the tokens">
        {(token) => (
          <>
            <TokenHead token={token} isOwn={token.id === ownId} creator={toCreator(token)} />
            {token.state === 'active' && (
              <Revoke
                name={token.name}
                isOwn={token.id === ownId}
                isBusy={busy === token.id}
                onRevoke={() => void run(token.id, () => api.revoke(token.id).then(() => putAway(token.id)))}
              />
            )}
          </>
        )}
      </ManagedList>
    </>
  );
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
        <code>{id}</code> ·{' '}
        {scopes.length > 0 ? scopes.map((scope) => scopeNames[scope]).join(', ') : 'scopes of the OpenID provider'}
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

interface RevokeProps {
  readonly name: string;
  readonly isOwn: boolean;
  readonly isBusy: boolean;
  readonly onRevoke: () => void;
}

function Revoke({ name, isOwn, isBusy, onRevoke }: RevokeProps) {
  const [isAsked, setAsked] = useState(false);
  return isAsked ? (
    <Question
      text={`What uses the token stops working. ${isOwn ? 'You are signed in with it, and will be signed out. ' : ''}This cannot be undone.`}
      yes="Revoke it"
      isBusy={isBusy}
      onYes={onRevoke}
      onNo={() => setAsked(false)}
    />
  ) : (
    <div class="managed-actions">
      <Button kind="danger" onClick={() => setAsked(true)}>
        Revoke<span class="for-readers"> {name}</span>
      </Button>
    </div>
  );
}
