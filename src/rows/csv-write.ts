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

/**
 * Where a spreadsheet might see a formula (OWASP, CSV Injection): at the start of a field, and after anything that separates
 * cells or rows when the file is read with another separator. The guard `'` goes there, before quotes; it guards itself too.
 */
const beforeFormula = /^(?="*[=+\-@\t\r\n'＝＋－＠])|(?<=[;\t\r\n])(?="*[=+\-@'＝＋－＠])/g;
const guard = /^'(?="*[=+\-@\t\r\n'＝＋－＠])|(?<=[;\t\r\n])'(?="*[=+\-@'＝＋－＠])/g;
/** Most texts have none of these. */
const mayNeedGuard = /[=+\-@\t\r\n'＝＋－＠]/;
const quoted = /[",\r\n]/;

function toField(text: string): string {
  const field = mayNeedGuard.test(text) ? text.replace(beforeFormula, "'") : text;
  return quoted.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Removes the guards; any other `'` is kept. */
export function withoutGuard(field: string): string {
  return field.includes("'") ? field.replace(guard, '') : field;
}
