/** The form that makes a token. */
import { useState } from 'preact/hooks';
import type { Tokens } from '../../../src/client/client.ts';
import { CheckSet } from '../ui/check-set.tsx';
import { Choice } from '../ui/choice.tsx';
import { showSecret } from '../session/secrets.tsx';
import { TextForm } from '../session/text-form.tsx';
import { scopeNames } from '../session/scopes.ts';
import type { Scope } from '../session/session.ts';

const daySeconds = 86_400;
/** By days; '' is forever. */
const lifetimes = [
  { key: '30', name: '30 days' },
  { key: '90', name: '90 days' },
  { key: '365', name: '1 year' },
  { key: '', name: 'Never' },
];

export function NewToken({ api, onEnd }: { readonly api: Tokens; readonly onEnd: () => void }) {
  const [scopes, setScopes] = useState<readonly Scope[]>(['plants:read']);
  const [life, setLife] = useState('90');
  return (
    <TextForm
      label="Name"
      hint="What uses the token: a till, a script, a colleague."
      input={{ maxLength: 100 }}
      action="Create token"
      missing={scopes.length > 0 ? undefined : 'Choose what it can do.'}
      onSubmit={async (name) => {
        const expiry = life === '' ? {} : { expiresIn: Number(life) * daySeconds };
        return api.create({ name, scopes, ...expiry });
      }}
      onEnd={(token) => {
        onEnd();
        if (token === undefined) return;
        const advice = `Copy the token “${token.name}” now, and paste it where it is used.`;
        showSecret({ kind: 'token', id: token.id, text: token.token, advice });
      }}
    >
      <CheckSet label="What it can do" names={scopeNames} chosen={scopes} onChange={setScopes} />
      <div>
        <p class="field-label">Expires after</p>
        <Choice label="Expires after" value={life} options={lifetimes} onChange={setLife} />
      </div>
    </TextForm>
  );
}
