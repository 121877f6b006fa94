/** Secrets that the service shows only once: on their page until somebody has put them away, also after a visit to another. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Observable, useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Icon } from '../ui/icons.tsx';
import { ofSession } from './session.ts';

interface Secret {
  readonly kind: 'token' | 'secret';
  /** Of the token or the webhook. */
  readonly id: string;
  readonly text: string;
  /** Where it belongs, such as "Copy the secret to your receiver now." */
  readonly advice: string;
}

/** The newest first. */
const secrets = ofSession(() => new Observable<readonly Secret[]>([]));

export function hasSecrets(): boolean {
  return secrets().value.length > 0;
}

addEventListener('beforeunload', (event) => {
  if (hasSecrets()) event.preventDefault();
});

/** In place of an earlier one. */
export function showSecret(secret: Secret): void {
  putAway(secret.id);
  secrets().set([secret, ...secrets().value]);
}

export function putAway(id: string): void {
  secrets().set(secrets().value.filter((secret) => secret.id !== id));
}

export function Secrets({ kind }: Pick<Secret, 'kind'>) {
  return useValue(secrets()).map((secret) => secret.kind === kind && <ShownOnce key={secret.text} {...secret} />);
}

function ShownOnce({ kind, id, text, advice }: Secret) {
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => card.current?.querySelector('button')?.focus(), []);
  return (
    <div class="shown-once" role="status" ref={card}>
      <p>
        <Icon name="key" /> {advice} It is shown only once.
      </p>
      <Command text={text} what={`the ${kind}`} />
      <Button onClick={() => putAway(id)}>Done</Button>
    </div>
  );
}
