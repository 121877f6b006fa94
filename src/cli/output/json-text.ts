/** Values as commands write them for programs. */
import { toJson } from '../../json/to-json.ts';

/** One value a line. */
export function toJsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${toJson(value)}\n`).join('');
}

/** One JSON array, with an item a line. */
export function toJsonArray(values: readonly unknown[]): string {
  return values.length === 0 ? '[]\n' : `[\n${values.map((value) => `  ${toJson(value)}`).join(',\n')}\n]\n`;
}
