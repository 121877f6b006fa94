/** Ctrl-C for a command that must tidy up: the first one is an abort, the second ends the process at once. */
import type { CommandContext } from '../command-context.ts';

/** What a shell expects of a program that was interrupted: 128 + the number of SIGINT. */
export const stoppedExitCode = 130;

export function toStopSignal(context: CommandContext): AbortSignal {
  const controller = new AbortController();
  context.onStopSignal(() => {
    if (controller.signal.aborted) context.exitNow(stoppedExitCode);
    controller.abort();
  });
  return controller.signal;
}
