/** A field for one line of text. */
import type { InputHTMLAttributes } from 'preact';

interface InputProps extends Omit<InputHTMLAttributes, 'onInput'> {
  readonly value: string;
  readonly onText: (text: string) => void;
}

export function TextInput({ onText, ...input }: InputProps) {
  return (
    <input
      class="input"
      autocomplete="off"
      spellcheck={false}
      {...(input as InputHTMLAttributes)}
      onInput={({ currentTarget: { value } }) => onText(value)}
    />
  );
}
