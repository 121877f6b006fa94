/** The field in the head of a view that shows only what contains its text. */

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

export function FilterField({ label, value, onInput }: FilterProps) {
  return (
    <input
      class="input view-filter"
      type="search"
      dir="auto"
      autocomplete="off"
      placeholder="Filter"
      aria-label={label}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}
