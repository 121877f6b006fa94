/**
 * POST /plants/import: rows in, a report out. Reads no faster than the store commits, so that memory does not grow with the body, and one
 * commit is under way while the next rows are parsed.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { ServiceError } from '../../domain/errors.ts';
import type { ImportPlantsParameters, NewPlant } from '../../domain/schemas.ts';
import type { PlantStore } from '../../domain/store.ts';
import { ImportReport } from './import-report.ts';
import { type Answer, ok } from '../wire/reply.ts';
import type { Row, RowReader } from './row-reader.ts';

/** Most rows of one commit: creates of others wait for one to end, some milliseconds. */
const chunkRowsMax = 500;
/** Bytes of the body from which on what they hold is committed, however few rows that are. */
const chunkBytesMax = 262_144;
/** Longest time for which a busy store is waited for, in milliseconds. */
const busyWaitMs = 30_000;
/** The first and the longest wait between two tries, in milliseconds. */
const retryMsMin = 10;
const retryMsMax = 500;

export interface Import {
  /** The body. */
  readonly pieces: AsyncIterable<Buffer>;
  readonly rows: RowReader<NewPlant>;
  readonly options: ImportPlantsParameters;
  /** True once the service is to stop: the rest may be sent again. */
  readonly isDraining: () => boolean;
}

/**
 * POST /plants/import
 * @throws ServiceError `csv_header_invalid`, `request_timeout`, `shutting_down` or one of the store's; its detail says how far the import came.
 */
export async function importPlants(task: Import, plants: PlantStore): Promise<Answer> {
  const report = new ImportReport();
  let chunk = new Chunk();
  let storing: Promise<void> = Promise.resolve();
  const store = async (): Promise<void> => {
    // In order: a later row with the same id must find the earlier one.
    await storing;
    storing = storeChunk(chunk, task, plants, report);
    // Met by the await above, perhaps only after more rows have been read.
    storing.catch(() => undefined);
    chunk = new Chunk();
    // The batch leaves for its thread now, and other requests have their turn.
    await setImmediate();
  };
  try {
    for await (const piece of task.pieces) {
      for (const row of task.rows.read(piece)) {
        chunk.rows.push(row);
        if (chunk.rows.length >= chunkRowsMax) await store();
      }
      chunk.bytes += piece.length;
      if (chunk.bytes >= chunkBytesMax) await store();
    }
    for (const row of task.rows.end()) chunk.rows.push(row);
    await store();
    await storing;
  } catch (error) {
    // What was handed over is committed, or not, before it is told how far the import came.
    await storing.catch(() => undefined);
    throw withProgress(error, report);
  }
  return ok(report.toJson());
}

/** Rows in the order of the body, faulty ones among them. */
class Chunk {
  readonly rows: Row<NewPlant>[] = [];
  /** Roughly, of the body: a text that was read keeps the piece in memory from which it comes. */
  bytes = 0;
}

/** Stores the rows that can be, waiting for a busy store, and counts all of them. @throws ServiceError as the store; `shutting_down`. */
async function storeChunk({ rows }: Chunk, task: Import, plants: PlantStore, report: ImportReport): Promise<void> {
  const right = rows.flatMap((row) => ('content' in row ? [row.content] : []));
  const outcomes = right.length === 0 ? [] : await withPatience(() => plants.import(right, task.options), task);
  let next = 0;
  for (const row of rows) report.add(row.line, 'content' in row ? (outcomes[next++] ?? notStored()) : row.fault);
}

async function withPatience<T>(attempt: () => Promise<T>, { isDraining }: Import): Promise<T> {
  const giveUpAt = performance.now() + busyWaitMs;
  for (let waitMs = retryMsMin; ; waitMs = Math.min(2 * waitMs, retryMsMax)) {
    if (isDraining()) throw new ServiceError('shutting_down');
    try {
      return await attempt();
    } catch (error) {
      const isBusy = error instanceof ServiceError && error.code === 'store_busy';
      if (!isBusy || performance.now() + waitMs > giveUpAt) throw error;
    }
    await setTimeout(waitMs);
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
