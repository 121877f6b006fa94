/** Checks the format of an export, NDJSON or CSV, row by row. Tests check the rows themselves. */
import { parseInt64 } from '../../src/json/int64.ts';
import { parseJson } from '../../src/json/parse-json.ts';
import { fieldSchemas, requiredFields, typesOf } from './field-values.ts';

/** Returns the violation of a row, or undefined. */
export type CheckRow = (row: unknown) => string | undefined;

/** Returns one line per violation. Each line of the body is a JSON value and ends with LF. */
export function checkNdjson(body: string, checkRow: CheckRow): string[] {
  if (body === '') return [];
  if (!body.endsWith('\n')) return ['the last line does not end with LF'];
  return body
    .slice(0, -1)
    .split('\n')
    .flatMap((line, index) => {
      let row: unknown;
      try {
        row = parseJson(line);
      } catch (error) {
        return [`line ${index + 1} is no JSON: ${String(error)}`];
      }
      const violation = checkRow(row);
      return violation === undefined ? [] : [`line ${index + 1} ${violation}`];
    });
}

/** `id`, then the fields of the description. */
const columns = ['id', ...fieldSchemas.map(([field]) => field)];

/** Returns one line per violation of RFC 4180, the columns, or the guard against formulas. */
export function checkCsv(body: string, checkRow: CheckRow): string[] {
  // A byte order mark, if asked for.
  const records = splitCsv(body.replace(/^\uFEFF/, ''));
  if (records === undefined) return ['it is no CSV whose records end with CRLF'];
  const [header = [], ...rows] = records;
  if (header.join() !== columns.join()) return [`its header line is ${header.join()}`];
  return rows.flatMap((fields, index) => {
    const violation = checkFields(fields, checkRow);
    return violation === undefined ? [] : [`row ${index + 1} ${violation}`];
  });
}

function checkFields(fields: readonly string[], checkRow: CheckRow): string | undefined {
  const [id = '', ...values] = fields;
  if (fields.length !== columns.length) return `has ${fields.length} fields`;
  const number = parseInt64(id);
  if (number === undefined) return 'has an id that is no int64';
  const members: Record<string, unknown> = {};
  for (const [at, [field, schema]] of fieldSchemas.entries()) {
    const value = values[at] ?? '';
    const text = unquote(value);
    const isText = typesOf(schema).includes('string');
    if (isText && /^"*[=+\-@\t\r\n＝＋－＠]|[;\t\r\n]"*[=+\-@＝＋－＠]/.test(text))
      return 'has a text that a spreadsheet takes for a formula';
    // An empty field is an absent one.
    if (value === '' && !requiredFields.includes(field)) continue;
    members[field] = isText ? withoutGuard(text) : parseOther(text);
  }
  return checkRow({ id: number, ...members });
}

function withoutGuard(text: string): string {
  return text.replace(/^'(?="*[=+\-@\t\r\n'＝＋－＠])/, '').replaceAll(/([;\t\r\n])'(?="*[=+\-@'＝＋－＠])/g, '$1');
}

/** Parses a number or a boolean, as JSON writes it; what is neither stays text. */
function parseOther(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

const csvField = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;

/** Returns the fields of each record, with quotes; undefined if the text is malformed. */
function splitCsv(body: string): string[][] | undefined {
  const records: string[][] = [];
  let fields: string[] = [];
  csvField.lastIndex = 0;
  while (csvField.lastIndex < body.length) {
    const match = csvField.exec(body);
    if (match === null) return undefined;
    const [, field = '', end] = match;
    fields.push(field);
    if (end === ',') continue;
    records.push(fields);
    fields = [];
  }
  return fields.length === 0 ? records : undefined;
}

function unquote(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}
