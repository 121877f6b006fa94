/** How far a long command is: a bar that redraws itself on a terminal, a plain line every few seconds elsewhere. What is moved is not known here. */
import type { Output } from '../command-context.ts';
import { toCount } from './to-count.ts';

/** On a terminal, in milliseconds: smooth, and little work. */
const redrawMs = 100;
/** Elsewhere, in milliseconds: few lines in the log of a job. */
const lineMs = 5_000;
/** Characters. */
const barWidth = 24;

export interface ProgressState {
  readonly bytes: number;
  /** Rows so far. */
  readonly rows: bigint;
}

export class Progress {
  readonly #output: Output;
  readonly #now: () => number;
  /** Undefined: how much there is to come is not known. */
  readonly #totalBytes: number | undefined;
  readonly #startedAt: number;
  #shownAt: number;
  #isDrawn = false;

  constructor(output: Output, now: () => number, totalBytes?: number) {
    this.#output = output;
    this.#now = now;
    this.#totalBytes = totalBytes;
    this.#startedAt = now();
    this.#shownAt = this.#startedAt;
  }

  update(state: ProgressState): void {
    const now = this.#now();
    if (now - this.#shownAt < (this.#output.isTTY ? redrawMs : lineMs)) return;
    this.#shownAt = now;
    const text = toProgressText(state, now - this.#startedAt, this.#totalBytes);
    if (!this.#output.isTTY) {
      this.#output.write(`${text}\n`);
      return;
    }
    const line = `${toBar(state.bytes, this.#totalBytes)}${text}`.slice(0, (this.#output.columns ?? 80) - 1);
    // To the first column, and away with what was longer.
    this.#output.write(`\r${line}\u001b[K`);
    this.#isDrawn = true;
  }

  /** Wipes the bar, so that a line can be written. */
  clear(): void {
    if (this.#isDrawn) this.#output.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}

/** `45%, 12.3 MB, 310,000 rows, 300,512 rows/s, 12 s left`. */
export function toProgressText({ bytes, rows }: ProgressState, elapsedMs: number, totalBytes?: number): string {
  const parts: string[] = [];
  const part = totalBytes === undefined || totalBytes === 0 ? undefined : bytes / totalBytes;
  if (part !== undefined) parts.push(`${Math.floor(part * 100)}%`);
  parts.push(toSize(bytes), toCount(rows, 'row'));
  const seconds = elapsedMs / 1000;
  if (seconds > 0) parts.push(`${Math.round(Number(rows) / seconds).toLocaleString('en')} rows/s`);
  if (part !== undefined && part > 0 && part < 1) parts.push(`${toDuration((seconds / part) * (1 - part))} left`);
  return parts.join(', ');
}

/** Decimal units, as tools for disks and networks show them. */
export function toSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function toDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function toBar(bytes: number, totalBytes: number | undefined): string {
  if (totalBytes === undefined || totalBytes === 0) return '';
  const full = Math.min(barWidth, Math.floor((bytes / totalBytes) * barWidth));
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] `;
}
