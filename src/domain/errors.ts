/** The error that the service answers, made from an entry of the registry. How it becomes bytes is not decided here: http/reply.ts does that. */
import { errors } from './error-registry.ts';

/** The registry's key of an error, stable like its number. */
export type ErrorCode = keyof typeof errors;

/** Longest `detail` that goes out, in UTF-16 units; a longer one is cut, so that no caller can make an answer grow. */
const detailLengthMax = 300;

/** An error that the service answers: its registry entry goes out, its `cause` goes to the log. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;

  /** @param detail one sentence more for the caller, without secrets, SQL or stack. */
  constructor(code: ErrorCode, options: { readonly detail?: string; readonly cause?: unknown } = {}) {
    const { detail, cause } = options;
    super(
      detail === undefined ? errors[code].message : `${errors[code].message}. ${detail.slice(0, detailLengthMax)}`,
      cause === undefined ? undefined : { cause },
    );
    this.code = code;
  }

  /** int32, the `error` member of the answer. */
  get number(): number {
    return errors[this.code].number;
  }

  /** The HTTP status that the number begins with. */
  get status(): number {
    return Math.floor(this.number / 100);
  }
}
