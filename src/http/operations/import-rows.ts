/** The rows of an import's body as plants: NDJSON or CSV by its media type. How bytes become rows is in ndjson-read.ts and csv-read.ts. */
import { ServiceError } from '../../domain/errors.ts';
import type { NewPlant } from '../../domain/schemas.ts';
import { parseInt64 } from '../../json/int64.ts';
import { parseJsonText } from '../wire/body.ts';
import { type CsvField, CsvReader } from './csv-read.ts';
import { withoutGuard } from '../../rows/csv-write.ts';
import { NdjsonReader } from './ndjson-read.ts';
import type { Row, RowReader } from './row-reader.ts';

/** Checks a parsed row against the schema. @throws ServiceError. */
type ToPlant = (value: unknown) => NewPlant;

/**
 * The reader for a media type; `''` means that there is no body.
 * @throws ServiceError `body_missing`.
 */
export function openRows(mediaType: string, toPlant: ToPlant): RowReader<NewPlant> {
  if (mediaType === 'text/csv') return new CsvPlants(toPlant);
  if (mediaType === 'application/x-ndjson') return new NdjsonPlants(toPlant);
  throw new ServiceError('body_missing');
}

class NdjsonPlants implements RowReader<NewPlant> {
  readonly #reader = new NdjsonReader();
  readonly #toPlant: (text: string) => NewPlant;

  constructor(toPlant: ToPlant) {
    this.#toPlant = (text) => {
      // Members that a plant does not have go no further.
      const { id, name, tag } = toPlant(parseJsonText(text));
      return tag === undefined ? { id, name } : { id, name, tag };
    };
  }

  *read(bytes: Buffer): Generator<Row<NewPlant>> {
    for (const row of this.#reader.read(bytes)) yield mapRow(row, this.#toPlant);
  }

  *end(): Generator<Row<NewPlant>> {
    for (const row of this.#reader.end()) yield mapRow(row, this.#toPlant);
  }
}

/** @throws ServiceError `csv_header_invalid` from `read` or `end`. */
class CsvPlants implements RowReader<NewPlant> {
  readonly #reader = new CsvReader();
  readonly #toPlant: ToPlant;
  #columns: Columns | undefined;

  constructor(toPlant: ToPlant) {
    this.#toPlant = toPlant;
  }

  *read(bytes: Buffer): Generator<Row<NewPlant>> {
    yield* this.#map(this.#reader.read(bytes));
  }

  *end(): Generator<Row<NewPlant>> {
    yield* this.#map(this.#reader.end());
    if (this.#columns === undefined) throw new ServiceError('csv_header_invalid');
  }

  *#map(rows: Iterable<Row<readonly CsvField[]>>): Generator<Row<NewPlant>> {
    for (const row of rows) {
      const columns = this.#columns;
      if (columns === undefined) this.#columns = toColumns(row);
      else yield mapRow(row, (fields) => this.#toPlant(toValue(fields, columns)));
    }
  }
}

function mapRow<Content>(row: Row<Content>, toPlant: (content: Content) => NewPlant): Row<NewPlant> {
  if ('fault' in row) return row;
  const { line } = row;
  try {
    return { line, content: toPlant(row.content) };
  } catch (fault) {
    if (!(fault instanceof ServiceError)) throw fault;
    return { line, fault };
  }
}

/** Where each member of a plant stands in a row; `tag` is -1 when there is no such column. */
interface Columns {
  readonly count: number;
  readonly id: number;
  readonly name: number;
  readonly tag: number;
}

function toColumns(header: Row<readonly CsvField[]>): Columns {
  if ('fault' in header) throw new ServiceError('csv_header_invalid', { cause: header.fault });
  const names = header.content;
  const [id, name, tag] = ['id', 'name', 'tag'].map((column) => {
    if (names.indexOf(column) !== names.lastIndexOf(column))
      throw new ServiceError('csv_header_invalid', { detail: `It names "${column}" twice` });
    return names.indexOf(column);
  });
  if (id === undefined || name === undefined || tag === undefined || id === -1 || name === -1)
    throw new ServiceError('csv_header_invalid');
  return { count: names.length, id, name, tag };
}

/** The members as JSON would have them. */
function toValue(fields: readonly CsvField[], { count, id, name, tag }: Columns): NewPlant {
  if (fields.length !== count) {
    throw new ServiceError('csv_malformed', { detail: `It has ${fields.length} fields, the header line ${count}` });
  }
  const number = parseInt64(fields[id] ?? '');
  if (number === undefined) throw new ServiceError('plant_id_invalid');
  const plant = { id: number, name: withoutGuard(fields[name] ?? '') };
  const tagField = fields[tag];
  return tagField === undefined ? plant : { ...plant, tag: withoutGuard(tagField) };
}
