/** POST /plants/import: rows in, a report out. Reads as the store commits, one chunk ahead. */
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { NewPlant } from '../../domain/schemas.ts';
import type { ImportOptions, PlantStore, Store } from '../../domain/store.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { ImportReport } from './import-report.ts';
import { openRows } from './import-rows.ts';
import { type LongRequest, retryWhileBusy } from './retry-while-busy.ts';
import { checkGroup } from './group-use.ts';
import { findRunning, noteRunning } from './running-groups.ts';
import type { Row } from '../../rows/row-reader.ts';

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
  const runningUse = findRunning(store, group)?.use;
  const running = importRows(call, store, shutdown, () => checkGroup(store.changes, group, use, runningUse));
  noteRunning(store, group, running, use);
  return running;
}

async function importRows(
  call: Call<'importPlants'>,
  { plants }: Store,
  shutdown: AbortSignal,
  check?: () => Promise<void>,
): Promise<Reply> {
  const { parameters, body, principal } = call;
  const mayBeGone = new AbortController();
  call.onGone(() => mayBeGone.abort());
  call.onHalfClosed(() => mayBeGone.abort());
  const reader = openRows(body.mediaType, body.parseRow);
  const target = {
    plants,
    options: parameters,
    by: principal.tokenId,
    isAllowed: () => call.isAllowed(),
    shutdown,
    mayBeGone: mayBeGone.signal,
  };
  const report = new ImportReport();
  let chunk = new Chunk(plants.stepRows());
  let storing: Promise<void> = Promise.resolve();
  const store = async (): Promise<void> => {
    // In order: a later row with the same id must find the earlier one.
    await storing;
    storing = storeChunk(chunk, target, report);
    // A rejection is handled by the await above; avoid unhandledRejection until then.
    storing.catch(() => undefined);
    chunk = new Chunk(plants.stepRows());
    // Lets the batch start and other requests proceed.
    await setImmediate();
  };
  try {
    if (check !== undefined) await retryWhileBusy(check, target);
    for await (const bytes of body.chunks) {
      for (const row of reader.read(bytes)) {
        chunk.rows.push(row);
        if (chunk.rows.length >= chunk.rowsMax) await store();
      }
      chunk.bytes += bytes.length;
      if (chunk.bytes >= chunkBytesMax) await store();
    }
    for (const row of reader.end()) chunk.rows.push(row);
    await store();
    await storing;
  } catch (error) {
    // Wait for the rows already submitted, so that the progress is exact.
    await storing.catch(() => undefined);
    throw withProgress(error, report);
  }
  return ok(report.toJson());
}

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

/** Once nobody may wait for the reply, rows are stored, but a busy store is not waited for. */
interface Target extends LongRequest {
  readonly plants: PlantStore;
  readonly options: ImportOptions;
  readonly by: string;
}

/**
 * Stores the valid rows, retrying while the store is busy, and reports all.
 * @throws ServiceError like the store; `shutting_down`; `token_invalid`.
 */
async function storeChunk({ rows }: Chunk, target: Target, report: ImportReport): Promise<void> {
  const valid = rows.flatMap((row) => ('content' in row ? [row.content] : []));
  const { plants, options, by } = target;
  const outcomes = valid.length === 0 ? [] : await retryWhileBusy(() => plants.import(valid, options, by), target);
  let next = 0;
  for (const row of rows) report.add(row.line, 'content' in row ? (outcomes[next++] ?? notStored()) : row.error);
}

function notStored(): ServiceError {
  return new ServiceError('store_failed');
}

function toDone(code: ErrorCode, lastLine: number): string {
  if (lastLine > 0) return `The rows up to line ${lastLine} of this request are done`;
  // It is unknown what became of the rows that were being written.
  return code === 'store_failed' ? 'The first rows may be stored' : 'No row was stored';
}

/** Returns the same error with the progress of the import. */
function withProgress(error: unknown, { lastLine }: ImportReport): unknown {
  if (!(error instanceof ServiceError) || error.code === 'csv_header_invalid' || error.code === 'group_taken')
    return error;
  const detail = `${toDone(error.code, lastLine)}; sending the import again finishes it`;
  return new ServiceError(error.code, {
    detail,
    cause: error.cause ?? error,
  });
}
