/** Check boxes for some of a few values. */

interface SetProps<Key extends string> {
  readonly label: string;
  /** What people read, by value, in the order of the boxes. */
  readonly names: Readonly<Record<Key, string>>;
  readonly chosen: readonly Key[];
  readonly reasons?: Readonly<Partial<Record<Key, string | undefined>>>;
  readonly onChange: (chosen: readonly Key[]) => void;
}

export function CheckSet<Key extends string>({ label, names, chosen, reasons, onChange }: SetProps<Key>) {
  const keys = Object.keys(names) as Key[];
  return (
    <fieldset class="check-set">
      <legend class="field-label">{label}</legend>
      {keys.map((key) => {
        const reason = reasons?.[key];
        return (
          <label key={key} class="check">
            <input
              type="checkbox"
              disabled={reason !== undefined}
              checked={chosen.includes(key) && reason === undefined}
              onChange={({ currentTarget: { checked } }) =>
                onChange(keys.filter((each) => (each === key ? checked : chosen.includes(each))))
              }
            />
            <span>
              {names[key]} {reason !== undefined && <small class="soft">({reason})</small>}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
