/** The door: a token, and whether this tab keeps it. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Mark } from '../ui/icons.tsx';
import { farewell, signIn } from './session.ts';

export function SignIn() {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const reason = useValue(farewell);
  const [token, setToken] = useState('');
  const [isShown, setShown] = useState(false);
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  useEffect(() => input.current?.focus(), []);

  const enter = async (): Promise<void> => {
    setBusy(true);
    const wrong = await signIn(token, isKept);
    if (wrong === undefined) return;
    setBusy(false);
    setFault(wrong);
    input.current?.focus();
  };

  return (
    <main class="door">
      <form
        class="door-card"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void enter();
        }}
      >
        <header class="door-head">
          <Mark />
          <h1>Plant Store</h1>
          <p>Sign in with a token to see and keep plants.</p>
        </header>
        {reason !== undefined && (
          <p class="note note-warn" role="alert">
            {reason}
          </p>
        )}
        <Field id={id} label="Token" fault={fault} hint="It stays in this page only, and is forgotten when you leave.">
          <div class="input-row">
            <input
              id={id}
              ref={input}
              class="input input-token"
              {...(isShown ? { type: 'text' } : { type: 'password' })}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={token}
              aria-describedby={`${id}-hint`}
              aria-invalid={fault !== undefined}
              onInput={({ currentTarget: { value } }) => {
                setToken(value);
                setFault(undefined);
              }}
            />
            <button type="button" class="button button-plain" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
              <span>{isShown ? 'Hide' : 'Show'}</span>
            </button>
          </div>
        </Field>
        <label class="check">
          <input type="checkbox" checked={isKept} onChange={({ currentTarget: { checked } }) => setKept(checked)} />
          <span>Stay signed in until this tab is closed</span>
        </label>
        <Button kind="main" type="submit" isBusy={isBusy}>
          {isBusy ? 'Signing in' : 'Sign in'}
        </Button>
        <details class="door-help">
          <summary>Where do I get a token?</summary>
          <p>The first one is in a file in the data folder of the service:</p>
          <pre class="command" tabIndex={0}>
            <code>cat data/initial-token</code>
          </pre>
          <p>Whoever runs the service can make more:</p>
          <pre class="command" tabIndex={0}>
            <code>npm run -s plant-store -- token create --name me --scope plants:read plants:write</code>
          </pre>
        </details>
      </form>
    </main>
  );
}
