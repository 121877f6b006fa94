/** The sign-in page: a token, and whether this browser keeps it. */
import type { Ref } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { type ControlProps, Field } from '../ui/field.tsx';
import { Mark } from '../ui/icons.tsx';
import { keptDays } from './kept-token.ts';
import { farewell, type Scope, signIn } from './session.ts';
import { scopeNames, tokenCommand } from './scopes.ts';

export function SignIn() {
  const input = useRef<HTMLInputElement>(null);
  const reason = useValue(farewell);
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | undefined>(undefined);
  useLayoutEffect(() => input.current?.focus(), []);

  const enter = async (): Promise<void> => {
    setBusy(true);
    // Read from the field itself: a password manager may fill it without an event.
    const wrong = await signIn(input.current?.value ?? '', isKept);
    if (wrong === undefined) return;
    setBusy(false);
    setError(wrong);
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
          <p class="soft">Sign in with your access token.</p>
        </header>
        {reason !== undefined && (
          <p class="note note-warn" role="alert">
            {reason}
          </p>
        )}
        {/* Password managers save a password under a user name. */}
        <input
          type="text"
          name="username"
          autocomplete="username"
          value={`Plant Store ${location.host}`}
          hidden
          readOnly
        />
        <Field
          label="Token"
          error={error}
          hint={
            isKept
              ? 'Use this on your own devices only.'
              : 'Kept until you close this tab. On a phone that scans labels, tick the box: each label opens a new tab.'
          }
        >
          {(control) => <TokenInput {...control} inputRef={input} onInput={() => setError(undefined)} />}
        </Field>
        <label class="check">
          <input type="checkbox" checked={isKept} onChange={({ currentTarget: { checked } }) => setKept(checked)} />
          <span>Stay signed in on this browser for {keptDays} days</span>
        </label>
        <Button kind="main" type="submit" isBusy={isBusy}>
          {isBusy ? 'Signing in' : 'Sign in'}
        </Button>
        {tokenHelp}
      </form>
    </main>
  );
}

interface InputProps extends ControlProps {
  readonly inputRef: Ref<HTMLInputElement>;
  readonly onInput: () => void;
}

/** Like a password, but can be shown. */
function TokenInput({ inputRef, ...control }: InputProps) {
  const [isShown, setShown] = useState(false);
  return (
    <div class="beside">
      <input
        {...control}
        ref={inputRef}
        class="input input-token"
        name="password"
        {...(isShown ? { type: 'text' } : { type: 'password' })}
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck={false}
      />
      <button type="button" class="button button-plain" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        <span>{isShown ? 'Hide' : 'Show'}</span>
      </button>
    </div>
  );
}

const tokenHelp = (
  <details class="door-help">
    <summary>Where do I get a token?</summary>
    <p>The first one is in the data folder of the service. By default:</p>
    <Command text="cat data/initial-token" what="the command" />
    <p>It is lost? Create one in the folder of Plant Store, on the computer that runs it:</p>
    <Command text={tokenCommand(Object.keys(scopeNames) as Scope[])} what="the command" />
  </details>
);
