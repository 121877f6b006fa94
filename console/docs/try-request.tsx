/** The dialog that sends a real request: parameters, body and token in, the response as it came out. */
import { render } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Operation } from './operation.ts';
import { type HeaderField, receive, type Received, toHeaders, toTarget } from './send-request.ts';
import { currentToken, keepToken } from './token.ts';
import { ContentFields, ParameterField, SelectField, toContent, TokenField } from './try-fields.tsx';

/** Opens the dialog for an operation of the service at `serverUrl`. */
export function openTryRequest(operation: Operation, serverUrl: string): void {
  const place = document.createElement('div');
  document.body.append(place);
  const close = (): void => {
    render(null, place);
    place.remove();
  };
  render(<TryRequest operation={operation} serverUrl={serverUrl} onClose={close} />, place);
}

interface TryProps {
  readonly operation: Operation;
  readonly serverUrl: string;
  readonly onClose: () => void;
}

function TryRequest({ operation, serverUrl, onClose }: TryProps) {
  const { method, path, summary, parameters, bodies, accepts, needsToken } = operation;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(parameters.map(({ name, example }) => [name, example])),
  );
  const [content, setContent] = useState(() => toContent(bodies, [...bodies.keys()][0] ?? ''));
  const [accept, setAccept] = useState(accepts[0] ?? 'application/json');
  const [received, setReceived] = useState<Received | string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);

  const target = serverUrl + toTarget(path, parameters, values);
  const send = async (): Promise<void> => {
    setBusy(true);
    setReceived(undefined);
    if (needsToken) keepToken();
    try {
      const headers = toHeaders(toFields(operation, values, accept, content.mediaType));
      const body = content.mediaType === '' ? {} : { body: content.body };
      setReceived(await receive(target, { method, headers, cache: 'no-store', ...body }));
    } catch (error) {
      setReceived(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <dialog ref={dialog} class="try" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form
        class="try-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void send();
        }}
      >
        <header class="try-head">
          <h2 id={`${id}-title`}>{summary}</h2>
          <button type="button" class="try-close" aria-label="Close" onClick={() => dialog.current?.close()}>
            ×
          </button>
        </header>
        <p class="try-target">
          <b>{method}</b> <code>{target}</code>
        </p>
        {needsToken && <TokenField id={`${id}-token`} />}
        {parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            id={`${id}-${parameter.name}`}
            parameter={parameter}
            value={values[parameter.name] ?? ''}
            onInput={(value) => setValues((before) => ({ ...before, [parameter.name]: value }))}
          />
        ))}
        {accepts.length > 1 && (
          <SelectField id={`${id}-accept`} label="Accept" options={accepts} value={accept} onChange={setAccept} />
        )}
        {bodies.size > 0 && <ContentFields id={id} bodies={bodies} content={content} onChange={setContent} />}
        <button type="submit" class="try-send" aria-busy={isBusy}>
          {isBusy ? 'Sending' : 'Send'}
        </button>
      </form>
      <Response received={received} />
    </dialog>
  );
}

function toFields(
  { parameters, needsToken }: Operation,
  values: Readonly<Record<string, string>>,
  accept: string,
  mediaType: string,
): readonly HeaderField[] {
  const token = needsToken ? currentToken() : '';
  return [
    ...parameters
      .filter(({ in: where }) => where === 'header')
      .map(({ name }) => ({ name, value: values[name] ?? '' })),
    { name: 'accept', value: accept },
    { name: 'content-type', value: mediaType },
    { name: 'authorization', value: token && `Bearer ${token}`, label: 'the access token' },
  ].filter(({ value }) => value !== '');
}

/** @param received a text says why there is none. */
function Response({ received }: { readonly received: Received | string | undefined }) {
  return (
    <section class="try-response" aria-label="Response" aria-live="polite">
      {typeof received === 'string' && <p class="try-failed">{received}</p>}
      {typeof received === 'object' && (
        <>
          <p>
            <b>{received.status}</b> in {received.ms} ms
          </p>
          <details>
            <summary>Response headers</summary>
            <pre tabIndex={0}>{received.headers}</pre>
          </details>
          <pre class="try-body" tabIndex={0}>
            {received.body === '' ? 'No body' : received.body}
          </pre>
        </>
      )}
    </section>
  );
}
