/** The fields of a plant as flags of a command: `--name`, `--tag`, and `--no-tag` for none. */
import { type EachField, type PlantField, plantFields } from '../../domain/plant.ts';
import type { OptionText } from './add-command.ts';

/** false: `--no-` and the name of the field. */
export type FieldFlags = Readonly<Partial<Record<PlantField, string | false>>>;

/** The options of each field: its flag, and `--no-` for a field that a plant may lack. */
export type FieldOptions = EachField<readonly OptionText[]>;

/** Converts the text of each field. A function throws UsageError for a text that is no value. */
const fromFlag: EachField<(text: string) => unknown> = { name: (text) => text, tag: (text) => text };

/** Returns the value of each field: null for none, undefined if it is not given. */
export function readFields(given: FieldFlags): EachField<unknown> {
  const values = plantFields.map((field) => {
    const text = given[field];
    return [field, text === false ? null : text === undefined ? undefined : fromFlag[field](text)];
  });
  return Object.fromEntries(values) as EachField<unknown>;
}

/** Returns the flags as a list for a sentence: `--name, --tag and --no-tag`. */
export function toFlagList(options: FieldOptions): string {
  const flags = plantFields.flatMap((field) => options[field]).map(([flag]) => flag.split(' ', 1)[0] ?? '');
  return new Intl.ListFormat('en-GB').format(flags);
}
