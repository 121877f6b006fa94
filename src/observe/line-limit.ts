/** Bounds the lines that a stranger can cause, or a neighbour that comes and goes: they do not fill a disk. */

export interface LineLimits {
  /** Maximum number of lines in a period; further ones are counted. */
  readonly linesMax: number;
  readonly periodMs: number;
}

export class LineLimit {
  readonly #limits: LineLimits;
  readonly #onRest: (lines: number) => void;
  #since = -Infinity;
  #lines = 0;
  #rest = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onRest called at the end of a period with the number of lines that were left out, before any line of the next one. */
  constructor(limits: LineLimits, onRest: (lines: number) => void) {
    this.#limits = limits;
    this.#onRest = onRest;
  }

  /** Returns whether to write a line now. */
  take(): boolean {
    const { linesMax, periodMs } = this.#limits;
    const now = performance.now();
    if (now - this.#since >= periodMs) {
      this.#end();
      this.#since = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= linesMax) return true;
    this.#rest += 1;
    this.#timer ??= setTimeout(() => this.#end(), this.#since + periodMs - now).unref();
    return false;
  }

  #end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#rest;
    this.#rest = 0;
    this.#onRest(lines);
  }
}
