/** Plants into CSV: RFC 4180, with a guard for spreadsheets that csv-read.ts takes away. */
import type { StoredPlant } from '../../domain/schemas.ts';

export const csvHeader = 'id,name,tag\r\n';

/** An absent tag is an empty field, an empty tag `""`. */
export function toCsvLine({ id, name, tag }: StoredPlant): string {
  return `${id},${toField(name)},${tag === undefined ? '' : tag === '' ? '""' : toField(tag)}\r\n`;
}

/** What a spreadsheet takes for a formula (OWASP, CSV Injection), and the guard itself. */
const guarded = /^[=+\-@\t\r']/;
const quoted = /[",\r\n]/;

function toField(text: string): string {
  const field = guarded.test(text) ? `'${text}` : text;
  return quoted.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Takes the guard away where there is one: a text that begins with `'` and was not exported may keep it. */
export function withoutGuard(field: string): string {
  return /^'[=+\-@\t\r']/.test(field) ? field.slice(1) : field;
}
