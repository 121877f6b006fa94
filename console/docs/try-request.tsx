/** The dialog that sends a real request: parameters, body and token in, the response as it came out. */
import { render } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Operation, Parameter } from './operation.ts';
import { type HeaderField, receive, type Received, toHeaders, toTarget } from './send-request.ts';
import { currentToken, isTokenKept, setToken } from './token.ts';

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
  const [mediaType, setMediaType] = useState([...bodies.keys()][0] ?? '');
  const examples = [...(bodies.get(mediaType) ?? [])];
  const [body, setBody] = useState(examples[0]?.[1] ?? '');
  const [accept, setAccept] = useState(accepts[0] ?? 'application/json');
  const [token, setTokenText] = useState(currentToken());
  const [isKept, setKept] = useState(isTokenKept());
  const [received, setReceived] = useState<Received | string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);

  const target = serverUrl + toTarget(path, parameters, values);
  const send = async (): Promise<void> => {
    setBusy(true);
    setToken(token, isKept);
    setReceived(undefined);
    const fields = parameters
      .filter(({ in: where }) => where === 'header')
      .map(({ name }): HeaderField => ({ name, value: values[name] ?? '' }));
    fields.push({ name: 'accept', value: accept }, { name: 'content-type', value: mediaType });
    if (needsToken && token.trim() !== '')
      fields.push({ name: 'authorization', value: `Bearer ${token.trim()}`, label: 'the access token' });
    try {
      const headers = toHeaders(fields.filter(({ value }) => value !== ''));
      setReceived(await receive(target, { method, headers, cache: 'no-store', ...(mediaType === '' ? {} : { body }) }));
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
        {needsToken && (
          <div class="try-field">
            <label for={`${id}-token`}>Access token</label>
            <input
              id={`${id}-token`}
              type="password"
              autocomplete="off"
              placeholder="Required. The first one is in data/initial-token."
              value={token}
              onInput={({ currentTarget: { value } }) => setTokenText(value)}
            />
            <label class="try-check">
              <input
                type="checkbox"
                checked={isKept}
                onChange={({ currentTarget: { checked } }) => {
                  setKept(checked);
                  setToken(token, checked);
                }}
              />
              Keep the token in this browser
            </label>
          </div>
        )}
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
        {bodies.size > 1 && (
          <SelectField
            id={`${id}-type`}
            label="Content-Type"
            options={[...bodies.keys()]}
            value={mediaType}
            onChange={(type) => {
              setMediaType(type);
              setBody([...(bodies.get(type)?.values() ?? [])][0] ?? '');
            }}
          />
        )}
        {examples.length > 1 && (
          <SelectField
            id={`${id}-example`}
            label="Example"
            options={examples.map(([name]) => name)}
            value={examples.find(([, text]) => text === body)?.[0] ?? ''}
            onChange={(name) => setBody(bodies.get(mediaType)?.get(name) ?? '')}
          />
        )}
        {bodies.size > 0 && (
          <div class="try-field">
            <label for={`${id}-body`}>Body</label>
            <textarea
              id={`${id}-body`}
              rows={Math.min(12, body.split('\n').length + 1)}
              spellcheck={false}
              value={body}
              onInput={({ currentTarget: { value } }) => setBody(value)}
            />
          </div>
        )}
        <button type="submit" class="try-send" aria-busy={isBusy}>
          {isBusy ? 'Sending' : 'Send'}
        </button>
      </form>
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
    </dialog>
  );
}

interface ParameterFieldProps {
  readonly id: string;
  readonly parameter: Parameter;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function ParameterField({ id, parameter, value, onInput }: ParameterFieldProps) {
  const { name, required, isList, options, in: where } = parameter;
  const label = `${name} (${where}${required ? ', required' : ''}${isList ? ', several with commas' : ''})`;
  if (options.length > 0)
    return <SelectField id={id} label={label} options={['', ...options]} value={value} onChange={onInput} />;
  return (
    <div class="try-field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        required={required}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  );
}

interface SelectFieldProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function SelectField({ id, label, options, value, onChange }: SelectFieldProps) {
  return (
    <div class="try-field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  );
}
