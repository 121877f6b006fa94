/** Sends an import in parts and adds up the reports. Does not decide where parts are cut. */
import type { ImportReport } from '../domain/schemas.ts';
import { importPrefix, makeGroup } from './make-group.ts';
import { parseReport } from './responses.ts';
import { cutIntoParts, type ImportSource, type Part } from './parts.ts';
import { toQuery } from './query.ts';
import type { Transport } from './transport.ts';

/** Format of rows: one JSON object a line, or RFC 4180 with a header line. */
export type RowFormat = 'application/x-ndjson' | 'text/csv';

export interface ImportResult extends ImportReport {
  /** The group of the changes, by which `batch` can undo them. */
  readonly group: string;
}

export interface ImportProgress {
  /** Bytes of the source that the service has taken. */
  readonly bytes: number;
  /** What became of the rows so far. */
  readonly report: ImportResult;
}

export interface ImportOptions {
  readonly mediaType: RowFormat;
  /** What to do with a row whose id has another name or tag. Default `fail`: refuse that row. */
  readonly onConflict?: 'fail' | 'skip' | 'replace' | undefined;
  /** True: validate only. Rows are compared with the stored plants, not with each other. Default false. */
  readonly dryRun?: boolean | undefined;
  /** The group of the changes: 1 to 64 letters, digits, `_` and `-`. Default: a new one. */
  readonly group?: string | undefined;
  /** Called after each part is on disk. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /**
   * Most bytes of one request, and of a retry, unless one row is longer. Default 1,000,000:
   * proxies commonly take 1 MiB.
   */
  readonly partBytes?: number | undefined;
  /** Time-out of one part, in milliseconds: for its upload and its report. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Refused rows that a report lists; the same limit as the service's. */
export const errorsMax = 1_000;

/** Report of an import that has not started. */
export const emptyReport: ImportReport = {
  read: 0n,
  created: 0n,
  unchanged: 0n,
  replaced: 0n,
  skipped: 0n,
  refused: 0n,
  errors: [],
};

export async function importParts(
  transport: Transport,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportResult> {
  const { mediaType, onConflict, dryRun, group = makeGroup(importPrefix), onProgress, signal } = options;
  const { partBytes = 1_000_000, timeoutMs = 120_000 } = options;
  if (!(partBytes >= 1)) throw new RangeError('Cannot import: "partBytes" must be at least 1');
  const request = {
    method: 'POST',
    path: `/plants/import${toQuery({ onConflict, dryRun, group })}`,
    headers: { 'content-type': mediaType },
    timeoutMs,
    signal,
    repetition: onConflict === 'replace' && dryRun !== true ? 'harmful-in-parts' : 'harmless',
  } as const;
  const parts = cutIntoParts(source, { isCsv: mediaType === 'text/csv', partBytes });
  let report = { group, ...emptyReport };
  try {
    // The next part is read while this one is on its way.
    let next = readAhead(parts);
    for (;;) {
      const { done, value: part } = await unlessAborted(next, signal);
      if (done === true) return report;
      next = readAhead(parts);
      const answer = await transport.send({ ...request, body: part.body });
      report = addReports(report, parseReport(answer.text), BigInt(part.lineOffset));
      onProgress?.({ bytes: part.sourceBytes, report });
    }
  } finally {
    // Not awaited: a stalled source may never return.
    parts.return().catch(() => undefined);
  }
}

/** Adds up the reports of parts; lists the first 1,000 errors. @param lineOffset is added to the lines of `part`. */
export function addReports<Sum extends ImportReport>(sum: Sum, part: ImportReport, lineOffset: bigint): Sum {
  const errors = part.errors.map((row) => ({ ...row, line: row.line + lineOffset }));
  return {
    ...sum,
    read: sum.read + part.read,
    created: sum.created + part.created,
    unchanged: sum.unchanged + part.unchanged,
    replaced: sum.replaced + part.replaced,
    skipped: sum.skipped + part.skipped,
    refused: sum.refused + part.refused,
    errors: [...sum.errors, ...errors].slice(0, errorsMax),
  };
}

/** A rejection waits for whoever awaits the part; after an abort or another failure nobody does. */
function readAhead(parts: AsyncIterator<Part, void, undefined>): Promise<IteratorResult<Part, void>> {
  const next = parts.next();
  next.catch(() => undefined);
  return next;
}

/** What the promise resolves to, or the signal's reason as soon as the caller aborts. */
async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
