/** The end of a service: the first signal begins it, a second one ends the process. */
import type { CommandContext, StopSignal } from '../command-context.ts';

export interface Stop {
  /** Aborted by the first signal. */
  readonly shutdown: AbortController;
  /** Resolves to the first signal. */
  readonly stopped: Promise<StopSignal>;
}

export function awaitStop(context: CommandContext): Stop {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  const shutdown = new AbortController();
  context.onStopSignal((signal) => {
    // What was acknowledged is on disk already: exiting at once loses nothing.
    if (shutdown.signal.aborted) context.exitNow(1);
    shutdown.abort();
    resolve(signal);
  });
  return { shutdown, stopped: promise };
}
