/** A segmented control: radio buttons in one frame. */
import { useId } from 'preact/hooks';

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly key: string; readonly name: string; readonly hint?: string }[];
  readonly onChange: (key: string) => void;
}

export function Choice({ label, value, options, onChange }: ChoiceProps) {
  const group = useId();
  return (
    <fieldset class="choice">
      <legend class="for-readers">{label}</legend>
      {options.map(({ key, name, hint }) => (
        <label key={key} class="choice-option" title={hint}>
          <input type="radio" name={group} checked={key === value} onChange={() => onChange(key)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}
