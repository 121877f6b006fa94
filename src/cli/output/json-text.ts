/** Values as commands write them for programs. */
import { toJson } from '../../json/to-json.ts';

/** Writes each value as a line of JSON. */
export function toJsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${toJson(value)}\n`).join('');
}

/** Writes a JSON array with one item a line. */
export function toJsonArray(values: readonly unknown[]): string {
  return values.length === 0 ? '[]\n' : `[\n${values.map((value) => `  ${toJson(value)}`).join(',\n')}\n]\n`;
}
