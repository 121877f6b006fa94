/**
 * A state that an operator should know of, such as a full disk: one line at level `error` when it
 * begins, or `warn` if something else still works in its place, and one at `info` when it ends, not one for each request that meets it.
 */
import type { LogFields } from './log.ts';

/** Minimum time between two lines that say that it began, in milliseconds. */
const intervalMs = 60_000;

export interface StateLineOptions {
  /** The message when it begins. */
  readonly began: string;
  /** The message when it ends. */
  readonly ended: string;
  /** The level of the line when the state begins. Default: error. */
  readonly level?: 'error' | 'warn';
  /** How long it must last to be worth a line, in milliseconds. */
  readonly lastsMsMin?: number;
  /** Time without a further note after which it can end, in milliseconds. */
  readonly quietMs?: number;
}

type StateLog = Readonly<Record<'error' | 'warn' | 'info', (fields: LogFields, message: string) => void>>;

export class StateLine {
  readonly #log: StateLog;
  readonly #now: () => number;
  readonly #options: Required<StateLineOptions>;
  #since: number | undefined;
  #notedAt = 0;
  #times = 0;
  #isLogged = false;
  #loggedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds of a monotonic clock. */
  constructor(log: StateLog, now: () => number, options: StateLineOptions) {
    this.#log = log;
    this.#now = now;
    this.#options = { level: 'error', lastsMsMin: 0, quietMs: 0, ...options };
  }

  /** Call each time that the state shows. @param times how often it did. */
  note(fields: LogFields, times = 1): void {
    const now = this.#now();
    const { lastsMsMin, quietMs, began, level } = this.#options;
    if (this.#since === undefined || (!this.#isLogged && now - this.#notedAt > Math.max(quietMs, lastsMsMin))) {
      this.#since = now;
      this.#times = 0;
    }
    this.#notedAt = now;
    this.#times += times;
    if (this.#isLogged || now - this.#since < lastsMsMin || now - this.#loggedAt < intervalMs) return;
    this.#isLogged = true;
    this.#loggedAt = now;
    this.#log[level](fields, began);
  }

  /** Call when the opposite shows. Ends the state, now or once it was quiet for long enough. */
  end(fields: LogFields = {}): void {
    if (this.#since === undefined) return;
    const now = this.#now();
    const waitMs = this.#notedAt + this.#options.quietMs - now;
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.end(fields);
      }, waitMs).unref();
      return;
    }
    const seconds = Math.round((now - this.#since) / 1000);
    if (this.#isLogged) this.#log.info({ ...fields, seconds, times: this.#times }, this.#options.ended);
    this.#since = undefined;
    this.#isLogged = false;
  }
}
