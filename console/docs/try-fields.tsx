/** The fields of the dialog that sends a request. */
import { useState } from 'preact/hooks';
import type { Operation, Parameter } from './operation.ts';
import { currentToken, isTokenKept, setToken } from './token.ts';

export function TokenField({ id }: { readonly id: string }) {
  const [token, setTokenText] = useState(currentToken());
  const [isKept, setKept] = useState(isTokenKept());
  return (
    <div class="try-field">
      <label for={id}>Access token</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        placeholder="Required. The first one is in data/initial-token."
        value={token}
        onInput={({ currentTarget: { value } }) => {
          setTokenText(value);
          setToken(value, isKept);
        }}
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
  );
}

export interface Content {
  /** '' without a body. */
  readonly mediaType: string;
  readonly body: string;
}

/** The first example of the media type. */
export function toContent(bodies: Operation['bodies'], mediaType: string): Content {
  return { mediaType, body: [...(bodies.get(mediaType)?.values() ?? [])][0] ?? '' };
}

interface ContentProps extends Pick<Operation, 'bodies'> {
  readonly id: string;
  readonly content: Content;
  readonly onChange: (content: Content) => void;
}

export function ContentFields({ id, bodies, content, onChange }: ContentProps) {
  const { mediaType, body } = content;
  const examples = [...(bodies.get(mediaType) ?? [])];
  return (
    <>
      {bodies.size > 1 && (
        <SelectField
          id={`${id}-type`}
          label="Content-Type"
          options={[...bodies.keys()]}
          value={mediaType}
          onChange={(type) => onChange(toContent(bodies, type))}
        />
      )}
      {examples.length > 1 && (
        <SelectField
          id={`${id}-example`}
          label="Example"
          options={examples.map(([name]) => name)}
          value={examples.find(([, text]) => text === body)?.[0] ?? ''}
          onChange={(name) => onChange({ mediaType, body: bodies.get(mediaType)?.get(name) ?? '' })}
        />
      )}
      <div class="try-field">
        <label for={`${id}-body`}>Body</label>
        <textarea
          id={`${id}-body`}
          rows={Math.min(12, body.split('\n').length + 1)}
          spellcheck={false}
          value={body}
          onInput={({ currentTarget: { value } }) => onChange({ mediaType, body: value })}
        />
      </div>
    </>
  );
}

interface ParameterFieldProps {
  readonly id: string;
  readonly parameter: Parameter;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export function ParameterField({ id, parameter, value, onInput }: ParameterFieldProps) {
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

export function SelectField({ id, label, options, value, onChange }: SelectFieldProps) {
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
