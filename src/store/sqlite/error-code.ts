/** Maps SQLite errors to codes, by result code, never by message (sqlite.org/rescode.html). */
import type { ErrorCode } from '../../domain/errors.ts';

/**
 * `internal`: a bug of ours; this write alone fails.
 * `store_busy`, `store_full`, `store_unavailable`: nothing was written; a retry can succeed.
 * `store_failed`: the file is damaged, or the state on disk is unknown; the process must exit.
 */
export type StoreErrorCode = Extract<
  ErrorCode,
  'internal' | 'store_busy' | 'store_full' | 'store_unavailable' | 'store_failed'
>;

/** A failure that SQLite did not report. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Extended result codes that say more than the primary one. */
const extendedCodes = new Map<number, StoreErrorCode>([
  // After a failed fsync the kernel may have dropped the data; a retry would succeed without.
  [1034, 'store_failed'], // SQLITE_IOERR_FSYNC
  [1290, 'store_failed'], // SQLITE_IOERR_DIR_FSYNC
  [8202, 'store_failed'], // SQLITE_IOERR_DATA: a checksum does not match
  [8458, 'store_failed'], // SQLITE_IOERR_CORRUPTFS
  // The system refuses to write or grow a file (ENOSPC, EDQUOT, EFBIG, EIO): no commit was.
  [778, 'store_full'], // SQLITE_IOERR_WRITE
  [1546, 'store_full'], // SQLITE_IOERR_TRUNCATE
  [4618, 'store_full'], // SQLITE_IOERR_SHMOPEN
  [4874, 'store_full'], // SQLITE_IOERR_SHMSIZE
]);

/** Primary result codes: the low byte of an extended one. */
const primaryCodes = new Map<number, StoreErrorCode>([
  [1, 'internal'], // SQLITE_ERROR
  [5, 'store_busy'], // SQLITE_BUSY
  [6, 'store_busy'], // SQLITE_LOCKED
  [7, 'store_unavailable'], // SQLITE_NOMEM
  [8, 'store_unavailable'], // SQLITE_READONLY
  [9, 'store_unavailable'], // SQLITE_INTERRUPT
  [10, 'store_unavailable'], // SQLITE_IOERR
  [11, 'store_failed'], // SQLITE_CORRUPT
  [13, 'store_full'], // SQLITE_FULL
  [14, 'store_unavailable'], // SQLITE_CANTOPEN
  [15, 'store_busy'], // SQLITE_PROTOCOL
  [18, 'internal'], // SQLITE_TOOBIG
  [19, 'internal'], // SQLITE_CONSTRAINT
  [20, 'internal'], // SQLITE_MISMATCH
  [21, 'internal'], // SQLITE_MISUSE
  [25, 'internal'], // SQLITE_RANGE
  [26, 'store_failed'], // SQLITE_NOTADB
]);

/** Returns the code of an error of SQLite or of our own. Unknown SQLite codes are fatal. */
export function toErrorCode(error: unknown): StoreErrorCode {
  if (error instanceof StoreError) return error.code;
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  if (typeof code !== 'number') return 'internal';
  return extendedCodes.get(code) ?? primaryCodes.get(code & 0xff) ?? 'store_failed';
}

/** Returns the message of an error: the only part that crosses threads. */
export function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
