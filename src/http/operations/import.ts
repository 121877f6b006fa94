/** POST /plants/import: rows in, a report out. Reads as the store commits, one chunk ahead. */
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { NewPlant } from '../../domain/schemas.ts';
import type { RowOutcome, Store } from '../../domain/store.ts';
import { toJson } from '../../json/to-json.ts';
import type { Row } from '../../rows/row-reader.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { runInGroup } from './group.ts';
import { openRows } from './import-rows.ts';
import { Tally, toRetryWhileBusy, withProgress } from './long-write.ts';

/** Bytes of the body that trigger a commit, with any number of rows. */
const chunkBytesMax = 262_144;

/**
 * POST /plants/import
 * @param shutdown aborted if the client should send the rest later.
 * @throws ServiceError `csv_header_invalid`, `group_taken`, `request_timeout`, `shutting_down`,
 * `token_invalid` or an error of the store; the detail gives the progress.
 */
export function importPlants(call: Call<'importPlants'>, store: Store, shutdown: AbortSignal): Promise<Reply> {
  const { group } = call.parameters;
  if (group === undefined) return importRows(call, store, shutdown);
  const use = { by: call.principal.tokenId, action: 'import' } as const;
  return runInGroup(store, group, use, (check) => importRows(call, store, shutdown, check));
}

async function importRows(
  call: Call<'importPlants'>,
  { plants }: Store,
  shutdown: AbortSignal,
  check?: () => Promise<void>,
): Promise<Reply> {
  const { parameters, body, principal } = call;
  // Once nobody may wait for the reply, rows are stored, but a busy store is not waited for.
  const mayBeGone = new AbortController();
  call.onGone(() => mayBeGone.abort());
  call.onHalfClosed(() => mayBeGone.abort());
  const retryWhileBusy = toRetryWhileBusy({ isAllowed: () => call.isAllowed(), shutdown, mayBeGone: mayBeGone.signal });
  const write: WriteRows = (rows) => retryWhileBusy(() => plants.import(rows, parameters, principal.tokenId));
  const reader = openRows(body.mediaType, body.parseRow);
  const report = new Report();
  let chunk = new Chunk(plants.bulkRows());
  let storing: Promise<void> = Promise.resolve();
  const storeRows = async (): Promise<void> => {
    // In order: a later row with the same id must find the earlier one.
    await storing;
    storing = storeChunk(chunk, write, report);
    // A rejection is handled by the await above; avoid unhandledRejection until then.
    storing.catch(() => undefined);
    chunk = new Chunk(plants.bulkRows());
    // Lets the commit start and other requests proceed.
    await setImmediate();
  };
  try {
    if (check !== undefined) await retryWhileBusy(check);
    for await (const bytes of body.chunks) {
      for (const row of reader.read(bytes)) {
        chunk.rows.push(row);
        if (chunk.rows.length >= chunk.rowsMax) await storeRows();
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
    throw withProgress(error, (code) => toProgress(code, report.lastLine));
  }
  return ok(report.toJson());
}

/** Stores rows, all in one transaction. */
type WriteRows = (rows: readonly NewPlant[]) => Promise<readonly RowOutcome[]>;

/** Rows in the order of the body, including invalid ones. */
class Chunk {
  readonly rows: Row<NewPlant, ServiceError>[] = [];
  readonly rowsMax: number;
  /** Approximate: each text keeps its part of the body in memory. */
  bytes = 0;

  constructor(rowsMax: number) {
    this.rowsMax = rowsMax;
  }
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

function toProgress(code: ErrorCode, lastLine: number): string {
  return `${toDone(code, lastLine)}; sending the import again finishes it`;
}

function toDone(code: ErrorCode, lastLine: number): string {
  if (lastLine > 0) return `The rows up to line ${lastLine} of this request are done`;
  // It is unknown what became of the rows that were being written.
  return code === 'store_failed' ? 'The first rows may be stored' : 'No row was stored';
}
