/** A wait of at least some time. */
import { now, sleep } from './real-clock.ts';

/**
 * Resolves once this time has passed. A timer alone may fire early: it counts from the start of its turn of the
 * event loop, which is long in a busy process.
 */
export async function passTime(ms: number): Promise<void> {
  for (const end = now() + ms; ;) {
    const leftMs = end - now();
    if (leftMs <= 0) return;
    await sleep(Math.ceil(leftMs));
  }
}
