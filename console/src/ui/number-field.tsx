/** A field for a small whole number from 1 on: the maximum in place of a larger one; anything else is not taken. */

interface NumberProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

export function NumberField({ label, value, max, onChange }: NumberProps) {
  return (
    <label class="number-field">
      <span class="field-label">{label}</span>
      <input
        class="input"
        type="number"
        min={1}
        max={max}
        value={value}
        onInput={({ currentTarget }) => {
          const next = currentTarget.valueAsNumber;
          if (Number.isInteger(next) && next >= 1) onChange(Math.min(next, max));
        }}
        onBlur={({ currentTarget }) => {
          currentTarget.value = String(value);
        }}
      />
    </label>
  );
}
