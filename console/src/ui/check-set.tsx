/** Check boxes for some of a few values. */

interface SetProps<Key extends string> {
  readonly label: string;
  /** What people read, by value, in the order of the boxes. */
  readonly names: Readonly<Record<Key, string>>;
  readonly chosen: readonly Key[];
  readonly onChange: (chosen: readonly Key[]) => void;
}

export function CheckSet<Key extends string>({ label, names, chosen, onChange }: SetProps<Key>) {
  const keys = Object.keys(names) as Key[];
  return (
    <fieldset class="check-set">
      <legend class="field-label">{label}</legend>
      {keys.map((key) => (
        <label key={key} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(key)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(keys.filter((each) => (each === key ? checked : chosen.includes(each))))
            }
          />
          <span>{names[key]}</span>
        </label>
      ))}
    </fieldset>
  );
}
