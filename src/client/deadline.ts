/** Combines two reasons to abort in one signal: the caller's signal, and a time without data. */
import { timerMsMax } from './retry.ts';

export class Deadline {
  readonly timeoutMs: number;
  /** True if the time-out aborted the request. */
  hasPassed = false;
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Starts the time. */
  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.timeoutMs = timeoutMs;
    this.#outer = outer;
    outer?.addEventListener('abort', this.#onAbort);
    if (outer?.aborted === true) this.#onAbort();
    this.restart();
  }

  /** Starts the time again: data arrived, or is waited for again. */
  restart(): void {
    clearTimeout(this.#timer);
    // As good as forever.
    if (this.timeoutMs > timerMsMax) return;
    this.#timer = setTimeout(() => {
      this.hasPassed = true;
      this.#controller.abort();
    }, this.timeoutMs);
  }

  /** Stops the time while nobody waits for data. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Detaches from the caller's signal and the time; the signal never fires again. */
  close(): void {
    this.pause();
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }

  /** Aborts the request without reporting a timeout. */
  cancel(): void {
    this.close();
    this.#controller.abort();
  }
}
