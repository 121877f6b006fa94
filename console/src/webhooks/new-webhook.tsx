/** The form that adds a webhook. */
import { useId, useState } from 'preact/hooks';
import { toReason } from '../session/reasons.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import type { Delivery, Webhooks } from '../../../src/client/client.ts';
import { noteFailure } from '../session/note-failure.ts';

/** What people read instead of the names of the API. */
export const eventNames: Readonly<Record<Delivery['event'], string>> = {
  'plant.created': 'Plant created',
  'plant.replaced': 'Plant changed',
  'plant.deleted': 'Plant deleted',
};

const events: readonly Delivery['event'][] = ['plant.created', 'plant.replaced', 'plant.deleted'];

interface NewProps {
  readonly api: Webhooks;
  readonly onCreated: (hook: { readonly id: string; readonly secret: string }) => void;
  /** It may have been added all the same. */
  readonly onFailed: () => void;
}

export function NewWebhook({ api, onCreated, onFailed }: NewProps) {
  const id = useId();
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState(events);
  const [error, setError] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const add = async (): Promise<void> => {
    setBusy(true);
    try {
      onCreated(await api.create({ url: url.trim(), events: chosen }));
      setUrl('');
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
        if (!isBusy) void add();
      }}
    >
      <Field id={id} label="URL" hint="The service sends each change to this address, signed." error={error}>
        <input
          id={id}
          class="input"
          type="url"
          placeholder="https://shop.example/hooks/plants"
          autocomplete="off"
          spellcheck={false}
          value={url}
          aria-describedby={`${id}-hint`}
          aria-invalid={error !== undefined}
          onInput={({ currentTarget: { value } }) => setUrl(value)}
        />
      </Field>
      <fieldset class="hook-events">
        <legend class="field-label">Events</legend>
        {events.map((event) => (
          <label key={event} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(event)}
              onChange={({ currentTarget: { checked } }) =>
                setChosen(events.filter((each) => (each === event ? checked : chosen.includes(each))))
              }
            />
            <span>{eventNames[event]}</span>
          </label>
        ))}
      </fieldset>
      <Button kind="main" type="submit" isBusy={isBusy} disabled={url.trim() === '' || chosen.length === 0}>
        Add webhook
      </Button>
    </form>
  );
}
