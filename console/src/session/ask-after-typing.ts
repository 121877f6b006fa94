/** Requests for what is typed or scrolled to: not before a pause, and aborted by what follows. */
import { noteError } from './session.ts';

export const typingMs = 140;

/** Returns a function that aborts. */
export function askAfterTyping(ask: (signal: AbortSignal) => Promise<void>): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => {
    ask(signal).catch((error: unknown) => {
      if (!signal.aborted) noteError(error);
    });
  }, typingMs);
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}
