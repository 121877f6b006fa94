/**
 * One import: rows in, a report out. Reads as the store commits, one chunk ahead. What the bytes
 * mean is for the reader of rows.
 */
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { NewPlant } from '../domain/schemas.ts';
import type { ImportOptions, RowOutcome, Store } from '../domain/store.ts';
import { toJson } from '../json/to-json.ts';
import type { Row, RowReader } from '../rows/row-reader.ts';
import { runInGroup } from './group.ts';
import { toRetryWhileBusy } from './retry-while-busy.ts';
import { Tally, withProgress } from './tally.ts';

/** Bytes of the body that trigger a commit, with any number of rows. */
const chunkBytesMax = 262_144;

export interface ImportSource {
  /** Read only as fast as the rows are stored. */
  readonly chunks: AsyncIterable<Buffer>;
  readonly reader: RowReader<NewPlant, ServiceError>;
}

export interface ImportRunOptions {
  readonly rules: ImportOptions;
  /** The id of the token that the changes are made with. */
  readonly by: string;
  /** Resolves to whether that token is still valid. Never rejects. */
  readonly isAllowed: () => Promise<boolean>;
  /** Aborted if the client should send the rest later. */
  readonly shutdown: AbortSignal;
  /** Aborted once nobody may wait for the report: a busy store is not waited for then. */
  readonly mayBeGone: AbortSignal;
}

/**
 * Resolves to the report, as JSON.
 * @throws ServiceError `csv_header_invalid`, `group_taken`, `shutting_down`, `token_invalid`, an
 * error of the chunks or of the store; the detail gives the progress.
 */
export function runImport(source: ImportSource, store: Store, options: ImportRunOptions): Promise<string> {
  const { rules, by } = options;
  const { group } = rules;
  if (group === undefined) return importRows(source, store, options);
  return runInGroup(store, group, { by, action: 'import' }, (check) => importRows(source, store, options, check));
}

async function importRows(
  { chunks, reader }: ImportSource,
  { plants }: Store,
  options: ImportRunOptions,
  check?: () => Promise<void>,
): Promise<string> {
  const retryWhileBusy = toRetryWhileBusy(options);
  const write: WriteRows = (rows) => retryWhileBusy(() => plants.import(rows, options.rules, options.by));
  const report = new Report();
  let chunk = new Chunk();
  let storing: Promise<void> = Promise.resolve();
  const storeRows = async (): Promise<void> => {
    // In order: a later row with the same id must find the earlier one.
    await storing;
    storing = storeChunk(chunk, write, report);
    // A rejection is handled by the next wait for it; avoid unhandledRejection until then.
    storing.catch(() => undefined);
    chunk = new Chunk();
    // Lets the commit start and other requests proceed.
    await setImmediate();
  };
  try {
    if (check !== undefined) await retryWhileBusy(check);
    for await (const bytes of untilFailed(chunks, () => storing)) {
      for (const row of reader.read(bytes)) {
        chunk.rows.push(row);
        if (chunk.rows.length >= plants.bulkRows()) await storeRows();
      }
      chunk.bytes += bytes.length;
      if (chunk.bytes >= chunkBytesMax) await storeRows();
    }
    for (const row of reader.end()) chunk.rows.push(row);
    await storeRows();
    await storing;
  } catch (error) {
    // Wait for the rows already submitted, so that the progress is exact.
    await storing.catch(() => undefined);
    throw withProgress(
      error,
      (code) => describeProgress(code, report.lastLine),
      'sending the import again finishes it',
    );
  }
  return report.toJson();
}

/** Ends with the rejection of what is stored meanwhile, also while no chunk comes: a client that pauses gets its answer. */
async function* untilFailed(chunks: AsyncIterable<Buffer>, storing: () => Promise<void>): AsyncGenerator<Buffer, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = iterator.next();
      const result = await Promise.race([next, storing().then(() => next)]);
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    // Not awaited: it ends with the next chunk, or when the client was silent for too long.
    iterator.return?.().catch(() => undefined);
  }
}

/** Stores rows with one call of the port. */
type WriteRows = (rows: readonly NewPlant[]) => Promise<readonly RowOutcome[]>;

/** Rows in the order of the body, including invalid ones. */
class Chunk {
  readonly rows: Row<NewPlant, ServiceError>[] = [];
  /** Approximate: each text keeps its part of the body in memory. */
  bytes = 0;
}

/** Stores the valid rows and reports all. */
async function storeChunk({ rows }: Chunk, write: WriteRows, report: Report): Promise<void> {
  const valid = rows.flatMap((row) => ('content' in row ? [row.content] : []));
  const outcomes = valid.length === 0 ? [] : await write(valid);
  let next = 0;
  for (const row of rows) report.add(row.line, 'content' in row ? (outcomes[next++] ?? notStored()) : row.error);
}

function notStored(): ServiceError {
  return new ServiceError('store_failed');
}

class Report {
  /** First line of the last added row; 0 if there is none. */
  lastLine = 0;
  readonly #tally = new Tally(['created', 'unchanged', 'replaced', 'skipped']);

  /** Adds the next row. */
  add(line: number, outcome: RowOutcome | ServiceError): void {
    this.lastLine = line;
    if (outcome === 'taken') this.#tally.refuse({ line }, new ServiceError('plant_id_taken'));
    else if (outcome instanceof ServiceError) this.#tally.refuse({ line }, outcome);
    else this.#tally.add(outcome);
  }

  toJson(): string {
    return toJson({ ...this.#tally.toCounts(), errors: this.#tally.errors });
  }
}

function describeProgress(code: ErrorCode, lastLine: number): string {
  if (lastLine > 0) return `The rows up to line ${lastLine} of this request are done`;
  // The store does not know whether the last rows were written.
  return code === 'store_failed' ? 'The first rows may be stored' : 'No row was stored';
}
