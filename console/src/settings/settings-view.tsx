/** Settings: what the token allows, where it is kept, and how the page looks. */
import type { JSX } from 'preact';
import { useValue } from '../observable.ts';
import { navigate, viewChange } from '../route.ts';
import { scopeNames, tokenCommand } from '../session/scopes.ts';
import { toDay } from '../ui/ago.tsx';
import { ask } from '../session/ask.tsx';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Command } from '../ui/command.tsx';
import { Icon } from '../ui/icons.tsx';
import { showKeys } from '../session/keys-dialog.tsx';
import { toCount } from '../ui/numbers.ts';
import { setTheme, theme } from '../ui/theme.ts';
import { countDrafts } from '../session/drafts.ts';
import { hasSecrets } from '../session/secrets.tsx';
import { awayText } from '../session/reasons.ts';
import { sandboxIdle, sandboxLine } from '../session/sandbox.ts';
import { serviceUrl } from '../session/service-url.ts';
import { maySee, type Scope, signOut, useSession } from '../session/session.ts';
import { View } from '../ui/view.tsx';

interface SettingsProps {
  /** Beside `Webhooks`. */
  readonly webhooksMark: JSX.Element;
  /** Whether signing out stops an import. */
  readonly isImporting: () => boolean;
}

export function SettingsView({ webhooksMark, isImporting }: SettingsProps) {
  const current = useSession();
  const look = useValue(theme);
  return (
    <View name="settings">
      <div class="settings scroll" tabIndex={0} role="region" aria-label="All settings">
        <TokenSetting isImporting={isImporting} />
        <section class="setting">
          <h2>Appearance</h2>
          <Choice
            label="Appearance"
            value={look}
            options={[
              { key: 'system', name: 'System' },
              { key: 'light', name: 'Light' },
              { key: 'dark', name: 'Dark' },
            ]}
            onChange={setTheme}
          />
        </section>
        {maySee(current, 'webhooks:manage') && (
          <section class="setting">
            <h2>Webhooks {webhooksMark}</h2>
            <p class="soft">Send changes of plants to other programs.</p>
            <Button onClick={() => navigate(viewChange('webhooks'))}>Manage webhooks</Button>
          </section>
        )}
        {sandboxIdle === undefined && maySee(current, 'tokens:manage') && (
          <section class="setting">
            <h2>Tokens</h2>
            <p class="soft">See who has access, and make or revoke tokens.</p>
            <Button onClick={() => navigate(viewChange('tokens'))}>Manage tokens</Button>
          </section>
        )}
        <section class="setting">
          <h2>API</h2>
          <p class="soft">
            For programs: <a href={`${serviceUrl}/docs`}>API documentation</a>.
          </p>
        </section>
        <section class="setting">
          <h2>Keyboard</h2>
          <p class="soft">Press ? to see them.</p>
          <Button onClick={showKeys}>Show the keys</Button>
        </section>
      </div>
    </View>
  );
}

/** Of the token that the first start makes. */
const firstName = 'initial';

function TokenSetting({ isImporting }: Pick<SettingsProps, 'isImporting'>) {
  const { own, canRead, canWrite, kept } = useSession();
  return (
    <section class="setting">
      <h2>Access token</h2>
      {own === undefined ? (
        <p class="soft">{awayText}</p>
      ) : (
        <>
          <p>
            <b class="author">{own.name}</b>,{' '}
            {own.expiresAt === undefined ? 'does not expire' : `expires on ${toDay(own.expiresAt)}`}
          </p>
          {own.name === firstName && own.scopes.includes('tokens:manage') && (
            <p class="soft">
              Others see your changes as “{firstName}”. Create a token with your name, and sign in with it.
            </p>
          )}
          <ul class="rights">
            {(Object.keys(scopeNames) as Scope[]).map((scope) => (
              <Right key={scope} scope={scope} isAllowed={own.scopes.includes(scope)} />
            ))}
          </ul>
        </>
      )}
      {!(canRead && canWrite) && (
        <>
          <p class="soft">To get a token that can view and change plants, run this on the computer of the service:</p>
          <Command text={tokenCommand(['plants:read', 'plants:write'])} what="the command" />
        </>
      )}
      <p class="soft">
        {sandboxIdle !== undefined
          ? sandboxLine
          : kept === undefined
            ? 'The token is kept in this tab until you close it or sign out. You need it again in other tabs.'
            : `You are signed in on this browser until ${toDay(kept.expiresAt)}. Signing out applies to all tabs, and deletes what is not saved there.`}
      </p>
      {sandboxIdle === undefined && <Button onClick={() => askSignOut(isImporting())}>Sign out</Button>}
    </section>
  );
}

function askSignOut(isImporting: boolean): void {
  const drafts = countDrafts();
  const text = [
    isImporting && 'An import is running. Signing out stops it.',
    drafts > 0 && `Signing out deletes the unsaved changes of ${toCount(drafts, 'plant')}.`,
    hasSecrets() && 'A new token or secret is still on its page. Copy it first: it cannot be shown again.',
  ]
    .filter(Boolean)
    .join(' ');
  if (text === '') signOut();
  else ask({ text, yes: 'Sign out', kind: 'final', onYes: signOut });
}

function Right({ scope, isAllowed }: { readonly scope: Scope; readonly isAllowed: boolean }) {
  return (
    <li class={isAllowed ? 'right right-yes' : 'right right-no'} title={scope}>
      <Icon name={isAllowed ? 'check' : 'close'} />
      <span>
        <span class="for-readers">{isAllowed ? 'Allowed: ' : 'Not allowed: '}</span>
        {scopeNames[scope]}
      </span>
    </li>
  );
}
