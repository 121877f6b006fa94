/** An error response of the service, made from a registry entry. http/reply.ts serialises it. */
import { errors } from './error-registry.ts';

/** The registry key of an error; stable, like its number. */
export type ErrorCode = keyof typeof errors;

/** Maximum length of `detail` in UTF-16 units: no caller can inflate a response. */
const detailLengthMax = 300;

/** An error that the service returns: its registry entry goes out, its `cause` to the log. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;

  /** @param detail one more sentence for the caller, without secrets, SQL or stack. */
  constructor(code: ErrorCode, options: { readonly detail?: string | undefined; readonly cause?: unknown } = {}) {
    const { detail, cause } = options;
    super(
      detail === undefined ? errors[code].message : `${errors[code].message}. ${detail.slice(0, detailLengthMax)}`,
      cause === undefined ? undefined : { cause },
    );
    this.code = code;
    this.detail = detail;
  }

  /** int32, the `error` member of the response. */
  get number(): number {
    return errors[this.code].number;
  }

  /** The HTTP status: the first digits of the number. */
  get status(): number {
    return Math.floor(this.number / 100);
  }
}
