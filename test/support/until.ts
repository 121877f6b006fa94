/** Waits for what no event tells. */
import assert from 'node:assert/strict';
import { now, sleep } from './real-clock.ts';

/** Ends a hang, in milliseconds. */
const withinMs = 120_000;

/** Resolves to what `ask` returns as soon as that is neither false nor undefined. @param what completes "It never came that". */
export async function until<Found>(
  ask: () => Found | Promise<Found>,
  what: string,
): Promise<Exclude<Found, false | undefined>> {
  for (const giveUpAt = now() + withinMs; ;) {
    const found = await ask();
    if (found !== false && found !== undefined) return found as Exclude<Found, false | undefined>;
    assert.ok(now() < giveUpAt, `It never came that ${what}`);
    await sleep(10);
  }
}
