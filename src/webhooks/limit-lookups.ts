/** Bounds the look-ups of names that are under way: each holds one of the few threads of libuv. */
import type { Resolve } from './addresses.ts';

/**
 * Look-ups under way at the same time. libuv runs two, half of its four threads, for the process as
 * a whole: more would only wait there, before those of the host of the database.
 */
const lookupsMax = 2;

/**
 * Returns a look-up that waits while `lookupsMax` are under way: a slow one cannot be
 * cancelled, and counts until it ends. One that has waited for `waitMsMax` is not made: its
 * request has timed out.
 */
export function limitLookups(resolve: Resolve, waitMsMax: number): Resolve {
  let underWay = 0;
  let waiting: { readonly until: number; readonly start: () => void }[] = [];
  const startNext = (): void => {
    waiting = waiting.filter(({ until }) => until > performance.now());
    const next = waiting.shift();
    if (next === undefined) underWay -= 1;
    else next.start();
  };
  return async (hostname) => {
    if (underWay < lookupsMax) underWay += 1;
    else await new Promise<void>((start) => waiting.push({ until: performance.now() + waitMsMax, start }));
    try {
      return await resolve(hostname);
    } finally {
      startNext();
    }
  };
}
