/** What this token may do, how the page looks, and the way out. */
import { useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Icon } from '../ui/icons.tsx';
import { setTheme, theme } from '../ui/theme.ts';
import { type Session, signOut } from './session.ts';

export function SessionView({ current: { canRead, canWrite, isKept } }: { readonly current: Session }) {
  const look = useValue(theme);
  const missing = [...(canRead ? [] : ['plants:read']), ...(canWrite ? [] : ['plants:write'])];
  return (
    <section class="view view-session" aria-labelledby="session-title">
      <header class="view-head">
        <h1 id="session-title">Session</h1>
      </header>
      <div class="settings">
        <section class="setting">
          <h2>This token</h2>
          <ul class="rights">
            <Right isAllowed={canRead} scope="plants:read">
              See, search, export and label plants
            </Right>
            <Right isAllowed={canWrite} scope="plants:write">
              Add, change, delete and import plants
            </Right>
          </ul>
          {missing.length > 0 && (
            <>
              <p class="setting-text">For a token that may do more, ask whoever runs the service:</p>
              <pre class="command" tabIndex={0}>
                <code>npm run -s plant-store -- token create --name me --scope plants:read plants:write</code>
              </pre>
            </>
          )}
          <p class="setting-text">
            {isKept ? 'It is kept until this tab is closed.' : 'It is forgotten when the page is left or reloaded.'}
          </p>
          <Button onClick={signOut}>Sign out</Button>
        </section>
        <section class="setting">
          <h2>Appearance</h2>
          <Choice
            label="Appearance"
            value={look}
            options={[
              { key: 'system', name: 'As the system' },
              { key: 'light', name: 'Light' },
              { key: 'dark', name: 'Dark' },
            ]}
            onChange={setTheme}
          />
        </section>
      </div>
    </section>
  );
}

interface RightProps {
  readonly isAllowed: boolean;
  readonly scope: string;
  readonly children: string;
}

function Right({ isAllowed, scope, children }: RightProps) {
  return (
    <li class={isAllowed ? 'right right-yes' : 'right right-no'}>
      <Icon name={isAllowed ? 'check' : 'close'} />
      <span>
        <span class="for-readers">{isAllowed ? 'May: ' : 'May not: '}</span>
        {children}
        <small>
          {isAllowed ? 'has' : 'lacks'} <code>{scope}</code>
        </small>
      </span>
    </li>
  );
}
