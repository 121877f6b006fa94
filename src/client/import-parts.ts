/** Sends an import in parts and adds up the reports. Does not decide where parts are cut. */
import type { ImportReport } from '../domain/schemas.ts';
import { parseReport } from './responses.ts';
import { cutIntoParts, divide, type ImportSource, type Part } from './parts.ts';
import { toQuery } from './query.ts';
import type { Transport } from './transport.ts';

/** Format of rows: one JSON object a line, or RFC 4180 with a header line. */
export type RowFormat = 'application/x-ndjson' | 'text/csv';

export interface ImportProgress {
  /** Bytes of the source that the service has taken. */
  readonly bytes: number;
  /** What became of the rows so far. */
  readonly report: ImportReport;
}

export interface ImportOptions {
  readonly mediaType: RowFormat;
  /** What to do with a row whose id exists with another name or tag. Default `fail`: refuse that row only. */
  readonly onConflict?: 'fail' | 'skip' | 'replace' | undefined;
  /** True: validate only, nothing is saved. A part does not see the rows of an earlier one. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Called after each part is on disk. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Approximate bytes of one request, and of a retry. Default 4 MiB; needs twice that in memory. */
  readonly partBytes?: number | undefined;
  /**
   * Time-out of one part, in milliseconds: for its upload and its report. Default 120,000. After one, this part and the next ones are sent in
   * halves, down to about 64 KiB, unless `onConflict` is `replace`: then a part that may be stored is never sent again.
   */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A part is not divided further for a slow connection. */
const partBytesMin = 65_536;

/** Ends the retries of a part that is to be divided. */
class TooLarge extends Error {}

function giveUp(): never {
  throw new TooLarge();
}

/** Refused rows that a report lists; the same limit as the service's. */
const errorsMax = 1_000;

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
): Promise<ImportReport> {
  const { mediaType, onConflict, dryRun, onProgress, partBytes = 4_194_304, timeoutMs = 120_000, signal } = options;
  if (!(partBytes >= 1)) throw new RangeError('Cannot import: "partBytes" must be at least 1');
  const isCsv = mediaType === 'text/csv';
  const parts = cutIntoParts(source, { isCsv, partBytes });
  const send = async ({ body }: Part, onTimeout: (() => void) | undefined): Promise<ImportReport> => {
    const answer = await transport.send({
      method: 'POST',
      path: `/plants/import${toQuery({ onConflict, dryRun })}`,
      headers: { 'content-type': mediaType },
      body,
      timeoutMs,
      signal,
      repetition: onConflict === 'replace' && dryRun !== true ? 'harmful-in-parts' : 'harmless',
      onTimeout,
    });
    return parseReport(answer.text);
  };
  let report = emptyReport;
  /** Smaller after each time-out. */
  let bytesMax = partBytes;
  const toSize = async (some: readonly Part[]): Promise<readonly Part[]> =>
    (await Promise.all(some.map((part) => divide(part, { isCsv, partBytes: bytesMax })))).flat();
  try {
    // The next part is read while this one is on its way.
    let next = readAhead(parts);
    for (;;) {
      const { done, value } = await unlessAborted(next, signal);
      if (done === true) return report;
      next = readAhead(parts);
      let waiting = bytesMax < partBytes ? await toSize([value]) : [value];
      for (let part = waiting[0]; part !== undefined; part = waiting[0]) {
        const bytes = Math.min(bytesMax, part.body.length);
        try {
          const added = await send(part, bytes > partBytesMin ? giveUp : undefined);
          report = addReports(report, added, BigInt(part.lineOffset));
          onProgress?.({ bytes: part.sourceBytes, report });
          waiting = waiting.slice(1);
        } catch (error) {
          if (!(error instanceof TooLarge)) throw error;
          bytesMax = Math.max(partBytesMin, Math.floor(bytes / 2));
          waiting = await toSize(waiting);
        }
      }
    }
  } finally {
    // Not awaited: a stalled source may never return.
    parts.return().catch(() => undefined);
  }
}

/** @param lineOffset is added to the lines of `part`. */
export function addReports(sum: ImportReport, part: ImportReport, lineOffset: bigint): ImportReport {
  const errors = part.errors.map((row) => ({ ...row, line: row.line + lineOffset }));
  return {
    read: sum.read + part.read,
    created: sum.created + part.created,
    unchanged: sum.unchanged + part.unchanged,
    replaced: sum.replaced + part.replaced,
    skipped: sum.skipped + part.skipped,
    refused: sum.refused + part.refused,
    errors: [...sum.errors, ...errors].slice(0, errorsMax),
  };
}

/** A rejection waits for whoever awaits the part, and is forgotten if an abort or another failure comes first. */
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
