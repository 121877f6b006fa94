/** Counts and times what a program does for some seconds. */
import type { LoadResult } from '../load.ts';

/** Steps of the histogram, in microseconds; its last step holds all that took longer. */
const stepUs = 20;
const steps = 250_000;

export class LoadMeter {
  readonly #times = new Uint32Array(steps);
  readonly #startedAt = performance.now();
  readonly #cpuBefore = process.cpuUsage();
  readonly #seconds: number;
  #requests = 0;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  isOver(): boolean {
    return performance.now() - this.#startedAt > this.#seconds * 1000;
  }

  async time(work: () => Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    await work();
    const step = Math.min(steps - 1, Math.trunc(((performance.now() - startedAt) * 1000) / stepUs));
    this.#times[step] = (this.#times[step] ?? 0) + 1;
    this.#requests += 1;
  }

  toResult(issued: number): LoadResult {
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    return {
      requests: this.#requests,
      failures: 0,
      issued,
      seconds: (performance.now() - this.#startedAt) / 1000,
      p50Ms: this.#percentile(0.5),
      p99Ms: this.#percentile(0.99),
      cpuSeconds: (user + system) / 1e6,
    };
  }

  #percentile(share: number): number {
    let left = this.#requests * share;
    const step = this.#times.findIndex((count) => (left -= count) <= 0);
    return (step * stepUs) / 1000;
  }
}
