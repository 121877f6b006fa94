/** What a failure of SQLite means for the writes that met it. */
import type { ErrorCode } from '../../domain/errors.ts';

/** Thrown when a reader, perhaps of another process, keeps the log from being copied and written anew. */
export class LogHeldError extends Error {
  override readonly name = 'LogHeldError';

  constructor() {
    super('a reader keeps the write-ahead log from being copied');
  }
}

/** Result codes of SQLite (sqlite.org/rescode.html) after which nothing was written and a later try can succeed. */
const passingCodes = new Map<number, ErrorCode>([
  [5, 'store_busy'],
  [13, 'store_full'],
]);

/** What a failed batch means: `store_failed` when the process must not write on, since the state of the disk is unknown. */
export function toErrorCode(error: unknown): ErrorCode {
  if (error instanceof LogHeldError) return 'store_busy';
  const code =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
  // The low byte of an extended result code is the primary one.
  return (code === undefined ? undefined : passingCodes.get(code & 0xff)) ?? 'store_failed';
}
