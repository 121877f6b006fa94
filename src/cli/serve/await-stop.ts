/** The end of a service: the first signal begins it, a second one ends the process. */
import type { Config } from '../../config/load-config.ts';
import type { Log } from '../../observe/log.ts';
import type { CommandContext, StopSignal } from '../command-context.ts';

export interface Stop {
  /** Aborted by the first signal: the service is not ready any more. */
  readonly stopping: AbortSignal;
  /** Aborted after the delay: the service accepts no more connections, and ends what is endless. */
  readonly shutdown: AbortController;
  /** Resolves to the first signal, after the delay. */
  readonly stopped: Promise<StopSignal>;
}

export function awaitStop(context: CommandContext, { drainDelayMs }: Pick<Config, 'drainDelayMs'>, log: Log): Stop {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  const stopping = new AbortController();
  const shutdown = new AbortController();
  context.onStopSignal((signal) => {
    // What was acknowledged is on disk already: exiting at once loses nothing.
    if (stopping.signal.aborted) context.exitNow(1);
    stopping.abort();
    const end = (): void => {
      shutdown.abort();
      resolve(signal);
    };
    if (drainDelayMs === 0) {
      end();
      return;
    }
    log.info({ signal, delayMs: drainDelayMs }, 'Not ready any more; connections are accepted until the delay ends');
    setTimeout(end, drainDelayMs).unref();
  });
  return { stopping: stopping.signal, shutdown, stopped: promise };
}
