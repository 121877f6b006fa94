/** Whether the service responds. While it does not, this polls it; views that wait subscribe. */
import { isReady } from '../../../src/client/readiness.ts';
import { Observable } from '../observable.ts';
import { serviceUrl } from './service-url.ts';

interface Away {
  readonly isAway: true;
  /** In vain so far. */
  readonly tries: number;
  readonly nextTryAt: number;
  readonly isTrying: boolean;
}

export type Connection = { readonly isAway: false } | Away;

export const connection = new Observable<Connection>({ isAway: false });

/** Calls the listener each time the service responds again. Returns a function that ends it. */
export function onBack(listener: () => void): () => void {
  return connection.subscribe(() => {
    if (!connection.value.isAway) listener();
  });
}

/** Resolves when the service responds: at once if it does. */
export async function untilBack(): Promise<void> {
  if (!connection.value.isAway) return;
  await new Promise<void>((resolve) => {
    const stop = onBack(() => {
      stop();
      resolve();
    });
  });
}

/** Delays between tries, in milliseconds; the last one repeats. */
const waitsMs = [1_000, 2_000, 4_000, 8_000, 10_000];

/** Call when a request got no response: starts polling until there is one. */
export function noteAway(): void {
  if (!connection.value.isAway) schedule(0);
}

/** Polls now instead of at the next turn. */
export async function tryNow(): Promise<void> {
  const { value } = connection;
  if (!value.isAway || value.isTrying) return;
  connection.set({ ...value, isTrying: true });
  if (await isReady(serviceUrl)) connection.set({ isAway: false });
  else schedule(value.tries + 1);
}

function schedule(tries: number): void {
  const waitMs = waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 10_000;
  const next = { isAway: true, tries, nextTryAt: Date.now() + waitMs, isTrying: false } as const;
  connection.set(next);
  setTimeout(() => {
    // Unless somebody did not wait for it.
    if (connection.value === next) void tryNow();
  }, waitMs);
}

addEventListener('online', () => void tryNow());
addEventListener('offline', () => noteAway());
