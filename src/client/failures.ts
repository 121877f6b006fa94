/** What a request failed of, from what fetch, its stream or its deadline throws. */
import type { Deadline } from './deadline.ts';
import { ConnectionError } from './errors.ts';
import { describeFailure } from './node-failures.ts';

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
  return new ConnectionError('network', `${what}: ${describeFailure(error)}`, error, hasBegun);
}
