/** The rows of an import as plants: NDJSON or CSV by media type. src/rows splits the bytes. */
import { ServiceError } from '../../domain/errors.ts';
import { type EachField, type PlantField, pickPlant, plantFields } from '../../domain/plant.ts';
import type { NewPlant } from '../../domain/schemas.ts';
import { describeInvalidInt64, parseInt64 } from '../../json/int64.ts';
import { explainCsvRow } from '../../rows/csv-errors.ts';
import { type CsvField, CsvReader } from '../../rows/csv-reader.ts';
import { withoutGuard } from '../../rows/csv-write.ts';
import { NdjsonReader } from '../../rows/ndjson-reader.ts';
import type { Row, RowError, RowReader } from '../../rows/row-reader.ts';
import { parseJsonText } from '../wire/body.ts';

type PlantRow = Row<NewPlant, ServiceError>;
type PlantReader = RowReader<NewPlant, ServiceError>;

/** Checks a parsed row against the schema. @throws ServiceError. */
type ToPlant = (value: unknown) => NewPlant;

/**
 * Returns the reader for a media type; `''` means no body.
 * @throws ServiceError `body_missing`.
 */
export function openRows(mediaType: string, toPlant: ToPlant): PlantReader {
  if (mediaType === 'text/csv') return openCsv(toPlant);
  if (mediaType === 'application/x-ndjson') return openNdjson(toPlant);
  throw new ServiceError('body_missing');
}

function openNdjson(toPlant: ToPlant): PlantReader {
  const reader = new NdjsonReader();
  const toOwnMembers = (text: string): NewPlant => {
    const plant = toPlant(parseJsonText(text));
    return pickPlant(plant.id, plant);
  };
  return {
    *read(bytes) {
      for (const row of reader.read(bytes)) yield mapRow(row, toOwnMembers);
    },
    *end() {
      for (const row of reader.end()) yield mapRow(row, toOwnMembers);
    },
  };
}

/** Opens a reader whose `read` and `end` throw ServiceError `csv_header_invalid`. */
function openCsv(toPlant: ToPlant): PlantReader {
  const reader = new CsvReader(explainCsvRow);
  let columns: Columns | undefined;
  function* map(rows: Iterable<Row<readonly CsvField[], RowError>>): Generator<PlantRow> {
    for (const row of rows) {
      const known = columns;
      if (known === undefined) columns = toColumns(row);
      else yield mapRow(withRemedy(row), (fields) => toPlant(toValue(fields, known)));
    }
  }
  return {
    read: (bytes) => map(reader.read(bytes)),
    *end() {
      yield* map(reader.end());
      if (columns === undefined) throw new ServiceError('csv_header_invalid');
    },
  };
}

function mapRow<Content>(row: Row<Content, RowError>, toPlant: (content: Content) => NewPlant): PlantRow {
  const { line } = row;
  if ('error' in row) return { line, error: toError(row.error) };
  try {
    return { line, content: toPlant(row.content) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { line, error };
  }
}

/** The remedy for other encodings of spreadsheets. */
const saveAsUtf8 = 'In a spreadsheet, save the file as "CSV UTF-8"';
const wrongEncoding = `The file is not UTF-8. ${saveAsUtf8}`;

function withRemedy<Content>(row: Row<Content, RowError>): Row<Content, RowError> {
  const isWrong = 'error' in row && row.error.code === 'body_not_utf8';
  return isWrong ? { line: row.line, error: { code: 'body_not_utf8', detail: saveAsUtf8 } } : row;
}

/** Converts the text of each field of a plant. What is invalid may stay: the schema refuses it. */
const fromText: EachField<(text: string) => unknown> = { name: withoutGuard, tag: withoutGuard };

interface Columns {
  readonly count: number;
  readonly id: number;
  /** The fields that the header names, each with its column. */
  readonly fields: readonly { readonly field: PlantField; readonly at: number }[];
}

function toError({ code, detail }: RowError): ServiceError {
  return new ServiceError(code, { detail });
}

function toColumns(header: Row<readonly CsvField[], RowError>): Columns {
  if ('error' in header) {
    const { code, detail } = header.error;
    throw new ServiceError('csv_header_invalid', { detail: code === 'body_not_utf8' ? wrongEncoding : detail });
  }
  // UTF-16 without a byte order mark: ASCII with U+0000 in between.
  if (header.content.some((field) => field?.includes('\0') === true))
    throw new ServiceError('csv_header_invalid', { detail: wrongEncoding });
  if (/^sep=/i.test(header.content[0] ?? ''))
    throw new ServiceError('csv_header_invalid', { detail: 'The separator must be a comma, semicolon or tab' });
  const names = header.content.map((field) => field?.trim().toLowerCase());
  const find = (column: string): number => {
    const at = names.indexOf(column.toLowerCase());
    if (at !== names.lastIndexOf(column.toLowerCase()))
      throw new ServiceError('csv_header_invalid', { detail: `It names "${column}" twice` });
    return at;
  };
  const id = find('id');
  const fields = plantFields.map((field) => ({ field, at: find(field) })).filter(({ at }) => at !== -1);
  if (!fields.some(({ field }) => field === 'name')) throw new ServiceError('csv_header_invalid');
  if (id === -1)
    throw new ServiceError('csv_header_invalid', {
      detail: 'It has no column "id"; the console can import the file with new ids',
    });
  return { count: names.length, id, fields };
}

/** Returns the members as in JSON. */
function toValue(fields: readonly CsvField[], { count, id, fields: columns }: Columns): unknown {
  if (fields.length !== count) {
    const lineBreaks = fields.reduce((sum, field) => sum + (field?.split('\n').length ?? 1) - 1, 0);
    const hint = lineBreaks === 0 ? '' : `. A field spans ${lineBreaks + 1} lines; a quote may lack its end`;
    throw new ServiceError('csv_malformed', {
      detail: `It has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}, the header line ${count}${hint}`,
    });
  }
  const text = fields[id] ?? '';
  const number = parseInt64(text);
  if (number === undefined) throw new ServiceError('plant_id_invalid', { detail: `It ${describeInvalidInt64(text)}` });
  const plant: Record<string, unknown> = { id: number, name: '' };
  for (const { field, at } of columns) {
    const value = fields[at];
    if (value !== undefined) plant[field] = fromText[field](value);
  }
  return plant;
}
