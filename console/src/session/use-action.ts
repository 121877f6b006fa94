/** Runs one action of a view at a time, and says if it failed. */
import { useState } from 'preact/hooks';
import { showNotWritten } from './show-failure.ts';

/**
 * Returns the name of the action that runs, and a function that starts one unless another runs. `doing` is what a message calls it.
 * @param onEnd called when one has ended: also one that failed may have been done.
 */
export function useAction(onEnd?: () => void) {
  const [busy, setBusy] = useState<string>();
  const run = async (name: string, doing: string, action: () => Promise<unknown>): Promise<void> => {
    if (busy !== undefined) return;
    setBusy(name);
    await action().catch((error: unknown) => showNotWritten(error, doing, `${doing} failed.`));
    setBusy(undefined);
    onEnd?.();
  };
  return { busy, run };
}
