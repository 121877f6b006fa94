/** Progress of a long command: a bar on a terminal, a plain line every few seconds elsewhere. */
import type { Output } from '../command-context.ts';
import { toCount } from './to-count.ts';

/** On a terminal, in milliseconds: smooth, and little work. */
const redrawMs = 100;
/** Elsewhere, in milliseconds: few lines in the log of a job. */
const lineMs = 5_000;
/** Characters. */
const barWidth = 24;

export interface ProgressState {
  /** Absent if they are not counted. */
  readonly bytes?: number;
  /** Rows so far. */
  readonly rows: bigint;
}

export class Progress {
  readonly #output: Output;
  readonly #now: () => number;
  /** Undefined if unknown. */
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
    const elapsedMs = now - this.#startedAt;
    if (!this.#output.isTTY) {
      this.#output.write(`${toProgressText(state, elapsedMs, this.#totalBytes)}\n`);
      return;
    }
    const line = toProgressLine(state, elapsedMs, this.#totalBytes, (this.#output.columns ?? 80) - 1);
    this.#draw(line);
    this.#isDrawn = true;
  }

  /** Erases the bar, so that a line can be written. */
  clear(): void {
    if (this.#isDrawn) this.#draw('');
    this.#isDrawn = false;
  }

  /** To the first column; then erases the rest of the line. */
  #draw(line: string): void {
    void this.#output.writeAll(new TextEncoder().encode(`\r${line}\u001b[K`));
  }
}

/** `45%, 12.3 MB, 310,000 rows, 300,512 rows/s, 12 s left`. */
export function toProgressText(state: ProgressState, elapsedMs: number, totalBytes?: number): string {
  const { percent, left, size, rows, rate } = toParts(state, elapsedMs, totalBytes);
  return [percent, size, rows, rate, left].filter((part) => part !== undefined).join(', ');
}

/** The most informative line that fits: without the bar, then the rate, the size, the time left. */
function toProgressLine(
  state: ProgressState,
  elapsedMs: number,
  totalBytes: number | undefined,
  width: number,
): string {
  const { percent, left, size, rows } = toParts(state, elapsedMs, totalBytes);
  const toText = (...parts: readonly (string | undefined)[]): string =>
    parts.filter((part) => part !== undefined).join(', ');
  const full = toProgressText(state, elapsedMs, totalBytes);
  const lines = [
    `${toBar(state.bytes, totalBytes)}${full}`,
    full,
    toText(percent, size, rows, left),
    toText(percent, rows, left),
    toText(percent, rows),
    percent ?? rows,
  ];
  return lines.find((line) => line.length <= width) ?? '';
}

function toParts(
  { bytes, rows }: ProgressState,
  elapsedMs: number,
  totalBytes: number | undefined,
): Record<'rows', string> & Record<'percent' | 'size' | 'rate' | 'left', string | undefined> {
  const seconds = elapsedMs / 1000;
  const part = totalBytes === undefined || totalBytes === 0 || bytes === undefined ? undefined : bytes / totalBytes;
  return {
    percent: part === undefined ? undefined : `${Math.floor(part * 100)}%`,
    size: bytes === undefined ? undefined : toSize(bytes),
    rows: toCount(rows, 'row'),
    rate: seconds > 0 ? `${Math.round(Number(rows) / seconds).toLocaleString('en')} rows/s` : undefined,
    left: part !== undefined && part > 0 && part < 1 ? `${toDuration((seconds / part) * (1 - part))} left` : undefined,
  };
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

function toBar(bytes: number | undefined, totalBytes: number | undefined): string {
  if (totalBytes === undefined || totalBytes === 0 || bytes === undefined) return '';
  const full = Math.min(barWidth, Math.floor((bytes / totalBytes) * barWidth));
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] `;
}
