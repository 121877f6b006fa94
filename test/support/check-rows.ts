/** Checks the format of an export, NDJSON or CSV, row by row. Tests check the rows themselves. */
import { membersOf } from '../../src/contract/description.ts';
import { parseInt64 } from '../../src/json/int64.ts';
import { parseJson } from '../../src/json/parse-json.ts';
import { contract } from './read-contract.ts';

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
const schemas = membersOf(membersOf(contract.document['components'])['schemas']);
const columns = ['id', ...Object.keys(membersOf(membersOf(schemas['Plant'])['properties']))];

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
  const texts = values.map(unquote);
  if (texts.some((text) => /^"*[=+\-@\t\r\n＝＋－＠]|[;\t\r\n]"*[=+\-@＝＋－＠]/.test(text)))
    return 'has a text that a spreadsheet takes for a formula';
  const plain = texts.map((text) =>
    text.replace(/^'(?="*[=+\-@\t\r\n'＝＋－＠])/, '').replaceAll(/([;\t\r\n])'(?="*[=+\-@'＝＋－＠])/g, '$1'),
  );
  const members = columns.slice(1).map((field, at) => {
    const isText = field === 'name' || field === 'tag';
    return [field, isText ? plain[at] : (parseInt64(plain[at] ?? '') ?? plain[at])];
  });
  // An empty field is an absent one; a name is always there.
  const present = members.filter(([field], at) => field === 'name' || values[at] !== '');
  return checkRow({ id: number, ...Object.fromEntries(present) });
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
