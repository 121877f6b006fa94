/** The field in the head of a view that shows only what contains its text. */
import { TextInput } from './text-input.tsx';

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

export function FilterField({ label, value, onInput }: FilterProps) {
  return (
    <TextInput
      class="input view-filter"
      type="search"
      dir="auto"
      placeholder="Filter"
      aria-label={label}
      value={value}
      onText={onInput}
    />
  );
}
