/** Plants as CSV (RFC 4180), with a guard against spreadsheet formulas. */
import { plantFields } from '../domain/plant.ts';
import type { StoredPlant } from '../domain/schemas.ts';
import { toJson } from '../json/to-json.ts';

export const csvHeader = `${['id', ...plantFields].join()}\r\n`;

/** An absent value is an empty field, an empty one `""`; an empty name needs no quotes. */
export function toCsvLine(plant: StoredPlant): string {
  let line = `${plant.id}`;
  for (const field of plantFields) {
    const value: unknown = plant[field];
    if (value === undefined || value === null) line += ',';
    else if (typeof value !== 'string') line += `,${toJson(value)}`;
    else line += value === '' && field !== 'name' ? ',""' : `,${toField(value)}`;
  }
  return `${line}\r\n`;
}

/**
 * Where a spreadsheet might see a formula (OWASP, CSV Injection): at the start of a field, and
 * after anything that separates cells or rows when the file is read with another separator. The
 * guard `'` goes there, before quotes, spaces and invisible characters, which spreadsheets
 * drop; it guards itself too.
 */
const start = String.raw`(?:[^\S\t\r\n]|["\u200b-\u200f\u2060])*[=+\-@'＝＋－＠]`;
const beforeFormula = new RegExp(`^(?=${start}|[\\t\\r\\n])|(?<=[;\\t\\r\\n])(?=${start})`, 'g');
const guard = new RegExp(`^'(?=${start}|[\\t\\r\\n])|(?<=[;\\t\\r\\n])'(?=${start})`, 'g');
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
