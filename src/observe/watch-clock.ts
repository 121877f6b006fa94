/** Logs when the system clock jumps. Ages have a monotonic clock: nothing is removed by it. */
import type { Log } from './log.ts';

const intervalMs = 10_000;
/** Smaller steps are usual corrections. */
const jumpMsMin = 60_000;
/** Any earlier time is wrong. */
const programAt = Date.UTC(2026, 0);

/** Returns a function that ends it. @param now milliseconds since 1970. */
export function watchClock(log: Log, now: () => number): () => void {
  let wall = now();
  let elapsed = performance.now();
  if (wall < programAt)
    log.warn(
      { time: new Date(wall).toISOString() },
      'The system clock is wrong: it is before the release of this program',
    );
  const look = (): void => {
    const passedMs = performance.now() - elapsed;
    const jumpMs = now() - wall - passedMs;
    wall = now();
    elapsed += passedMs;
    if (Math.abs(jumpMs) < jumpMsMin) return;
    log.warn(
      { seconds: Math.round(jumpMs / 1000) },
      'The system clock jumped. Nothing is removed early: ages are measured by a monotonic clock',
    );
  };
  const timer = setInterval(look, intervalMs).unref();
  return () => clearInterval(timer);
}
