/** What a request failed of, from what fetch, its stream or its deadline throws. */
import type { Deadline } from './deadline.ts';
import { ConnectionError } from './errors.ts';
import { codeOf } from './retry.ts';

/**
 * Why a request ended before its response was complete.
 * @param hasBegun whether the response had.
 */
export function toFailure(
  error: unknown,
  deadline: Deadline,
  signal: AbortSignal | undefined,
  hasBegun: boolean,
): unknown {
  if (error instanceof ConnectionError) return error;
  if (signal?.aborted === true) return signal.reason;
  if (deadline.hasPassed)
    return new ConnectionError(
      'timeout',
      `Timed out: no ${hasBegun ? 'data for' : 'response within'} ${deadline.timeoutMs} ms`,
      error,
      hasBegun,
    );
  const what = hasBegun ? 'The response was cut short' : 'Cannot reach the service';
  return new ConnectionError('network', `${what}: ${describe(error)}`, error, hasBegun);
}

/** fetch says only "fetch failed": the reason is in the cause of its error, or a code. */
function describe(error: unknown): string {
  // The text of OpenSSL names its source files.
  if (codeOf(error) === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'it does not use TLS; use http:// if that is intended';
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = inner instanceof Error ? inner.message.replaceAll(/\s+/g, ' ') : '';
  return message === '' ? (codeOf(error) ?? 'the connection failed') : message;
}
