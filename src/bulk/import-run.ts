/**
 * One import: rows in, slice by slice, a report out. Reads the next slice while the store commits one.
 * What the bytes mean is for the reader of rows.
 */
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { NewPlant } from '../domain/schemas.ts';
import type { ImportRules, RowOutcome, Store } from '../domain/store.ts';
import { toJson } from '../json/to-json.ts';
import type { Row, RowReader } from '../rows/row-reader.ts';
import { type GroupUse, requireGroup } from './group.ts';
import { Report, withProgress } from './report.ts';
import { toRetryWhileBusy } from './retry-while-busy.ts';
import type { RunOptions } from './run-options.ts';

/** Bytes of the body after which a slice ends, with any number of rows. */
const sliceBytesMax = 262_144;

export interface ImportSource {
  /** Read only as fast as the rows are stored. */
  readonly chunks: AsyncIterable<Buffer>;
  readonly reader: RowReader<NewPlant, ServiceError>;
}

export interface ImportRunOptions extends RunOptions {
  readonly rules: ImportRules;
  /** Aborted once nobody may wait for the report: a busy store is not waited for then. */
  readonly mayBeGone: AbortSignal;
}

/**
 * Resolves to the report, as JSON.
 * @throws ServiceError `store_busy` at once if there is no place.
 * @throws ServiceError `csv_header_invalid`, `group_taken`, `shutting_down`, `token_invalid`, an
 * error of the chunks or of the store; the detail gives the progress.
 */
export async function runImport(source: ImportSource, store: Store, options: ImportRunOptions): Promise<string> {
  const { rules, principal, groups, places } = options;
  const { group } = rules;
  const use: GroupUse = { by: principal.tokenId, action: 'import' };
  if (group !== undefined) groups.require(group, use);
  const free = places.take(principal.limitKey);
  const report = storeSlices(source, store, options, use).finally(free);
  if (group !== undefined) groups.add(group, use, report);
  return report;
}

async function storeSlices(
  { chunks, reader }: ImportSource,
  { plants, changes }: Store,
  options: ImportRunOptions,
  use: GroupUse,
): Promise<string> {
  const { rules, principal } = options;
  const { group } = rules;
  const retryWhileBusy = toRetryWhileBusy(options);
  const write: WriteRows = (rows) => retryWhileBusy(() => plants.import(rows, rules, principal.tokenId));
  const report = new RowReport();
  let slice = new Slice();
  let storing: Promise<void> = Promise.resolve();
  const storeNext = async (): Promise<void> => {
    // In order: a later row with the same id must find the earlier one.
    await storing;
    storing = storeSlice(slice, write, report);
    // A rejection is handled by the next wait for it; avoid unhandledRejection until then.
    storing.catch(() => undefined);
    slice = new Slice();
    // Lets the commit start and other requests proceed.
    await setImmediate();
  };
  try {
    if (group !== undefined) await retryWhileBusy(() => requireGroup(changes, group, use));
    for await (const bytes of untilFailed(chunks, () => storing)) {
      for (const row of reader.read(bytes)) {
        slice.rows.push(row);
        if (slice.rows.length >= plants.bulkRows()) await storeNext();
      }
      slice.bytes += bytes.length;
      if (slice.bytes >= sliceBytesMax) await storeNext();
    }
    for (const row of reader.end()) slice.rows.push(row);
    await storeNext();
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

/** Rows in the order of the body, including invalid ones. One write has the valid rows. */
class Slice {
  readonly rows: Row<NewPlant, ServiceError>[] = [];
  /** Approximate: each text keeps its part of the body in memory. */
  bytes = 0;
}

/** Stores the valid rows, and counts all. */
async function storeSlice({ rows }: Slice, write: WriteRows, report: RowReport): Promise<void> {
  const valid = rows.flatMap((row) => ('content' in row ? [row.content] : []));
  const outcomes = valid.length === 0 ? [] : await write(valid);
  let next = 0;
  for (const row of rows) report.add(row.line, 'content' in row ? (outcomes[next++] ?? notStored()) : row.error);
}

function notStored(): ServiceError {
  return new ServiceError('store_failed');
}

class RowReport {
  /** First line of the last added row; 0 if there is none. */
  lastLine = 0;
  readonly #report = new Report(['created', 'unchanged', 'replaced', 'skipped']);

  /** Adds the next row. */
  add(line: number, outcome: RowOutcome | ServiceError): void {
    this.lastLine = line;
    if (outcome === 'taken') this.#report.refuse({ line }, new ServiceError('plant_id_taken'));
    else if (outcome instanceof ServiceError) this.#report.refuse({ line }, outcome);
    else this.#report.add(outcome);
  }

  toJson(): string {
    return toJson({ ...this.#report.toCounts(), errors: this.#report.errors });
  }
}

function describeProgress(code: ErrorCode, lastLine: number): string {
  if (lastLine > 0) return `The rows up to line ${lastLine} of this request are done`;
  // The store does not know whether the last rows were written.
  return code === 'store_failed' ? 'The first rows may be stored' : 'No row was stored';
}
