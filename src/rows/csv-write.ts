/** Plants as CSV (RFC 4180), with a guard against spreadsheet formulas. Used by the service and the console. */

export interface CsvRow {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

export const csvHeader = 'id,name,tag\r\n';

/** An absent tag is an empty field, an empty tag `""`. */
export function toCsvLine({ id, name, tag }: CsvRow): string {
  return `${id},${toField(name)},${tag === undefined ? '' : tag === '' ? '""' : toField(tag)}\r\n`;
}

/** What a spreadsheet would run as a formula (OWASP, CSV Injection), and the guard itself. */
const guarded = /^[=+\-@\t\r']/;
const quoted = /[",\r\n]/;

function toField(text: string): string {
  const field = guarded.test(text) ? `'${text}` : text;
  return quoted.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Removes the guard; any other leading `'` is kept. */
export function withoutGuard(field: string): string {
  return /^'[=+\-@\t\r']/.test(field) ? field.slice(1) : field;
}
