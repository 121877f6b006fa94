/** One signal out of two reasons to give up: the caller's abort, and a time in which nothing came. What is given up is not known here. */

export class Deadline {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasPassed = false;

  /** The time runs from now on. */
  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    outer?.addEventListener('abort', this.#onAbort);
    if (outer?.aborted === true) this.#onAbort();
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the time is what ended it. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** The time runs anew: something came, or is waited for again. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#hasPassed = true;
      this.#controller.abort();
    }, this.#timeoutMs);
  }

  /** The time stands still: nothing is waited for. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** The signal never fires again. */
  close(): void {
    this.pause();
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }

  /** Ends what the signal was handed to, for no fault. */
  cancel(): void {
    this.close();
    this.#controller.abort();
  }
}
