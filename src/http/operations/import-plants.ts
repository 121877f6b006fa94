/**
 * POST /plants/import: rows in, a report out. Reads no faster than the store commits, so that memory does not grow with the body, and one
 * commit is under way while the next rows are parsed.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { ServiceError } from '../../domain/errors.ts';
import type { NewPlant } from '../../domain/schemas.ts';
import type { ImportOptions, PlantStore, RowOutcome, Store } from '../../domain/store.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { ImportReport } from './import-report.ts';
import { openRows } from './import-rows.ts';
import type { Row } from '../../rows/row-reader.ts';

/** Most rows of one commit: creates of others wait for one to end, some milliseconds. */
const chunkRowsMax = 500;
/** Bytes of the body from which on what they hold is committed, however few rows that are. */
const chunkBytesMax = 262_144;
/** Longest time for which a busy store is waited for, in milliseconds. */
const busyWaitMs = 30_000;
/** The first and the longest wait between two tries, in milliseconds. */
const retryMsMin = 10;
const retryMsMax = 500;

/**
 * POST /plants/import
 * @param shutdown aborted when the rest should be sent again later.
 * @throws ServiceError `csv_header_invalid`, `request_timeout`, `shutting_down` or one of the store's; its detail says how far the import came.
 */
export async function importPlants(
  { parameters, body }: Call<'importPlants'>,
  { plants }: Store,
  shutdown: AbortSignal,
): Promise<Reply> {
  const reader = openRows(body.mediaType, body.parseRow);
  const target = { plants, options: parameters, shutdown };
  const report = new ImportReport();
  let chunk = new Chunk();
  let storing: Promise<void> = Promise.resolve();
  const store = async (): Promise<void> => {
    // In order: a later row with the same id must find the earlier one.
    await storing;
    storing = storeChunk(chunk, target, report);
    // A rejection is handled by the await above; avoid unhandledRejection until then.
    storing.catch(() => undefined);
    chunk = new Chunk();
    // Lets the batch start and other requests proceed.
    await setImmediate();
  };
  try {
    for await (const bytes of body.chunks) {
      for (const row of reader.read(bytes)) {
        chunk.rows.push(row);
        if (chunk.rows.length >= chunkRowsMax) await store();
      }
      chunk.bytes += bytes.length;
      if (chunk.bytes >= chunkBytesMax) await store();
    }
    for (const row of reader.end()) chunk.rows.push(row);
    await store();
    await storing;
  } catch (error) {
    // Wait for what was handed over, so that the progress is right.
    await storing.catch(() => undefined);
    throw withProgress(error, report);
  }
  return ok(report.toJson());
}

/** Rows in the order of the body, invalid ones included. */
class Chunk {
  readonly rows: Row<NewPlant, ServiceError>[] = [];
  /** Roughly, of the body: a text keeps the bytes in memory from which it was read. */
  bytes = 0;
}

interface Target {
  readonly plants: PlantStore;
  readonly options: ImportOptions;
  readonly shutdown: AbortSignal;
}

/** Stores the valid rows, waiting while the store is busy, and reports all of them. @throws ServiceError as the store; `shutting_down`. */
async function storeChunk({ rows }: Chunk, target: Target, report: ImportReport): Promise<void> {
  const valid = rows.flatMap((row) => ('content' in row ? [row.content] : []));
  const outcomes = valid.length === 0 ? [] : await retryWhileBusy(valid, target);
  let next = 0;
  for (const row of rows) report.add(row.line, 'content' in row ? (outcomes[next++] ?? notStored()) : row.fault);
}

async function retryWhileBusy(
  rows: readonly NewPlant[],
  { plants, options, shutdown }: Target,
): Promise<readonly RowOutcome[]> {
  const giveUpAt = performance.now() + busyWaitMs;
  for (let waitMs = retryMsMin; ; waitMs = Math.min(2 * waitMs, retryMsMax)) {
    if (shutdown.aborted) throw new ServiceError('shutting_down');
    try {
      return await plants.import(rows, options);
    } catch (error) {
      const isBusy = error instanceof ServiceError && error.code === 'store_busy';
      if (!isBusy || performance.now() + waitMs > giveUpAt) throw error;
    }
    // Ends early at a shutdown, which the next turn reports.
    await setTimeout(waitMs, undefined, { signal: shutdown }).catch(() => undefined);
  }
}

function notStored(): ServiceError {
  return new ServiceError('store_failed');
}

/** The same error, saying how far the import came. */
function withProgress(error: unknown, { lastLine }: ImportReport): unknown {
  if (!(error instanceof ServiceError) || error.code === 'csv_header_invalid') return error;
  const done = lastLine === 0 ? 'No row was stored' : `The rows up to line ${lastLine} are done`;
  return new ServiceError(error.code, {
    detail: `${done}; sending the import again finishes it`,
    cause: error.cause ?? error,
  });
}
