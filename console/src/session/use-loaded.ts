/** What a request returns, for a view: read again on demand, or after a while. */
import { type Inputs, useEffect, useState } from 'preact/hooks';
import type { CallOptions } from '../../../src/client/client.ts';
import { onBack } from './connection.ts';
import { noteError } from './session.ts';

export interface Loaded<Value> {
  /** Undefined until the first response; the last one after a failure. */
  readonly value?: Value;
  readonly error?: unknown;
  readonly reload: () => void;
}

/**
 * @param load undefined: nothing is read.
 * @param inputs what `load` depends on.
 * @param everyMs pause between a response and the next request, while the page is visible. Absent: it is read once.
 */
export function useLoaded<Value>(
  load: ((options: CallOptions) => Promise<Value>) | undefined,
  inputs: Inputs,
  everyMs?: number,
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({});
  const [edition, setEdition] = useState(0);
  const reload = (): void => setEdition((count) => count + 1);
  useEffect(() => {
    if (load === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    load({ signal })
      .then(
        (value) => setState({ value }),
        (error: unknown) => {
          if (signal.aborted) return;
          noteError(error);
          setState((last) => ({ ...last, error }));
        },
      )
      .finally(() => {
        if (everyMs !== undefined && !signal.aborted) timer = setTimeout(reloadIfVisible, everyMs);
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [...inputs, edition]);
  const reloadIfVisible = (): void => {
    if (!document.hidden) reload();
  };
  useEffect(() => {
    const stopWaiting = onBack(reload);
    if (everyMs !== undefined) document.addEventListener('visibilitychange', reloadIfVisible);
    return () => {
      stopWaiting();
      document.removeEventListener('visibilitychange', reloadIfVisible);
    };
  }, []);
  return { ...state, reload };
}
