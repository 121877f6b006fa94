/** The form that adds or changes a webhook. */
import { useState } from 'preact/hooks';
import type { Delivery, Webhook } from '../../../src/client/client.ts';
import { CheckSet } from '../ui/check-set.tsx';
import { TextForm } from '../session/text-form.tsx';

/** What people read instead of the names of the API. */
export const eventNames: Readonly<Record<Delivery['event'], string>> = {
  'plant.created': 'Plant created',
  'plant.replaced': 'Plant changed',
  'plant.deleted': 'Plant deleted',
};

interface FormProps<Result> {
  /** The webhook that is changed; absent: a new one. */
  readonly webhook?: Webhook;
  readonly onSubmit: (fields: Pick<Webhook, 'url' | 'events'>) => Promise<Result>;
  readonly onEnd: (result?: Result) => void;
}

export function WebhookForm<Result>({ webhook, onSubmit, onEnd }: FormProps<Result>) {
  const [events, setEvents] = useState(webhook?.events ?? (Object.keys(eventNames) as Delivery['event'][]));
  return (
    <TextForm
      label="URL"
      hint="Begins with https://. You get its secret next."
      initial={webhook?.url ?? ''}
      input={{ type: 'url', placeholder: 'https://shop.example/hooks/plants' }}
      action={webhook === undefined ? 'Add webhook' : 'Save'}
      missing={events.length > 0 ? undefined : 'Choose at least one event.'}
      onSubmit={(url) => onSubmit({ url, events }).catch(nameUrl)}
      onEnd={onEnd}
    >
      <CheckSet label="Events" names={eventNames} chosen={events} onChange={setEvents} />
    </TextForm>
  );
}

/** The form has no other text than the URL. */
function nameUrl(error: unknown): never {
  if (error instanceof Error) error.message = error.message.replace('Invalid webhook. "url"', 'The URL');
  throw error;
}
