/** What a call of the client throws. client.ts decides which responses are errors. */

/** An error response of the service. docs/reference/errors.md lists the numbers and what to do. */
export class PlantStoreError extends Error {
  override readonly name = 'PlantStoreError';
  /** The stable number of the error, status x 100 + n; status x 100 if it comes from a proxy. */
  readonly number: number;
  /** The HTTP status of the response. */
  readonly status: number;
  /** Seconds to wait before the request is sent again. Undefined if the service did not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(number: number, status: number, message: string, retryAfterSeconds?: number) {
    super(message);
    this.number = number;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * `network`: no connection, or it was closed. `timeout`: no response in time. `response`: it
 * does not come from a plant store, or is incomplete.
 */
export type ConnectionErrorKind = 'network' | 'timeout' | 'response';

/** There was no usable response. Whether the service executed the request is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly kind: ConnectionErrorKind;
  /** True if a response had begun, and was cut short or fell silent. */
  readonly hasBegun: boolean;

  constructor(kind: ConnectionErrorKind, message: string, cause?: unknown, hasBegun = false) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.hasBegun = hasBegun;
  }
}
