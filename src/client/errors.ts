/** What a call of the client throws, besides the caller's own abort. Which answers are errors is decided by client.ts. */

/** An error that the service answered. docs/reference/errors.md lists the numbers, each with its remedy. */
export class PlantStoreError extends Error {
  override readonly name = 'PlantStoreError';
  /** The stable number of the error, status x 100 + n; status x 100 when something between here and the service answered. */
  readonly number: number;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Seconds to wait before the same request is sent again. Undefined when the service named none. */
  readonly retryAfterSeconds: number | undefined;

  constructor(number: number, status: number, message: string, retryAfterSeconds?: number) {
    super(message);
    this.number = number;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * `network`: no connection, or one that was cut. `timeout`: nothing came in time. `answer`: what answered is no plant store,
 * or its answer did not arrive as it was sent.
 */
export type ConnectionFault = 'network' | 'timeout' | 'answer';

/** No usable answer came. Whether the service acted on the request is then unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly fault: ConnectionFault;

  constructor(fault: ConnectionFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}
