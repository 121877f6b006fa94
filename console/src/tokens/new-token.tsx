/** The form that makes a token. */
import { useId, useState } from 'preact/hooks';
import type { Token, Tokens, TokenWithSecret } from '../../../src/client/client.ts';
import { noteFailure } from '../session/note-failure.ts';
import { toReason } from '../session/reasons.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Field } from '../ui/field.tsx';

type Scope = Token['scopes'][number];

/** What people read beside the names of the API. */
const scopeNames: Readonly<Record<Scope, string>> = {
  'plants:read': 'View plants',
  'plants:write': 'Change plants',
  'webhooks:manage': 'Manage webhooks',
  'tokens:manage': 'Manage tokens',
};
const scopes = Object.keys(scopeNames) as Scope[];

const daySeconds = 86_400;
/** By days; '' is forever. */
const lifetimes = [
  { key: '30', name: 'In 30 days' },
  { key: '90', name: 'In 90 days' },
  { key: '365', name: 'In a year' },
  { key: '', name: 'Never' },
];

interface NewProps {
  readonly api: Tokens;
  readonly onCreated: (token: TokenWithSecret) => void;
  /** It may have been made all the same. */
  readonly onFailed: () => void;
}

export function NewToken({ api, onCreated, onFailed }: NewProps) {
  const id = useId();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(['plants:read']);
  const [life, setLife] = useState('90');
  const [error, setError] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    setBusy(true);
    try {
      const expiry = life === '' ? {} : { expiresIn: Number(life) * daySeconds };
      onCreated(await api.create({ name: name.trim(), scopes: chosen, ...expiry }));
      setName('');
      setError(undefined);
    } catch (failure) {
      noteFailure(failure);
      setError(toReason(failure));
      onFailed();
    }
    setBusy(false);
  };
  return (
    <form
      class="hook-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void create();
      }}
    >
      <Field id={id} label="Name" hint="What uses the token: a till, a script, a colleague." error={error}>
        <input
          id={id}
          class="input"
          maxLength={100}
          autocomplete="off"
          value={name}
          aria-describedby={`${id}-hint`}
          aria-invalid={error !== undefined}
          onInput={({ currentTarget: { value } }) => setName(value)}
        />
      </Field>
      <fieldset class="hook-events">
        <legend class="field-label">Scopes</legend>
        {scopes.map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setChosen(scopes.filter((each) => (each === scope ? checked : chosen.includes(each))))
              }
            />
            <span>{scopeNames[scope]}</span>
          </label>
        ))}
      </fieldset>
      <div>
        <p class="field-label">Expires</p>
        <Choice label="Expires" value={life} options={lifetimes} onChange={setLife} />
      </div>
      <Button kind="main" type="submit" isBusy={isBusy} disabled={name.trim() === '' || chosen.length === 0}>
        Create token
      </Button>
    </form>
  );
}
