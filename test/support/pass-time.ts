/** A wait of at least some time. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves once this time has passed by `performance.now()`. A timer alone may fire early: it counts from the start of its turn of the
 * event loop, which is long in a busy process.
 */
export async function passTime(ms: number): Promise<void> {
  for (const end = performance.now() + ms; ;) {
    const leftMs = end - performance.now();
    if (leftMs <= 0) return;
    await sleep(Math.ceil(leftMs));
  }
}
