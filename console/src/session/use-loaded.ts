/** What a request returns, for a view: read again on demand, and while it is followed, every few seconds. */
import { type Inputs, useEffect, useState } from 'preact/hooks';
import type { CallOptions } from '../../../src/client/client.ts';
import { onBack } from './connection.ts';
import { noteFailure } from './note-failure.ts';

/** Pause between a response and the next request, in milliseconds. */
const pauseMs = 5_000;

export interface Loaded<Value> {
  /** Undefined until the first response; the last one after a failure. */
  readonly value?: Value;
  readonly error?: unknown;
  readonly reload: () => void;
}

interface Options {
  /** Whether to read again every few seconds, while the page is visible. */
  readonly isFollowed?: boolean;
}

/**
 * @param load undefined: nothing is read.
 * @param inputs what `load` depends on.
 */
export function useLoaded<Value>(
  load: ((options: CallOptions) => Promise<Value>) | undefined,
  inputs: Inputs,
  { isFollowed = false }: Options = {},
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
          noteFailure(error);
          setState((last) => ({ ...last, error }));
        },
      )
      .finally(() => {
        if (isFollowed && !signal.aborted) timer = setTimeout(reloadIfVisible, pauseMs);
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [...inputs, edition]);
  const reloadIfVisible = (): void => {
    if (!document.hidden) reload();
  };
  useEffect(() => onBack(reload), []);
  useEffect(() => {
    if (!isFollowed) return undefined;
    document.addEventListener('visibilitychange', reloadIfVisible);
    return () => document.removeEventListener('visibilitychange', reloadIfVisible);
  }, [isFollowed]);
  return { ...state, reload };
}
