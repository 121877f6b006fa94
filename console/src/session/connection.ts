/** Whether the service responds. While it does not, this polls it; views that wait subscribe. */
import { isReady } from '../../../src/client/readiness.ts';
import { Observable } from '../observable.ts';
import { serviceUrl } from './service-url.ts';

export type Connection =
  { readonly isAway: false } | { readonly isAway: true; readonly nextTryAt: number; readonly isTrying: boolean };

export const connection = new Observable<Connection>({ isAway: false });

/** Calls the listener each time the service responds again. Returns a function that ends it. */
export function onBack(listener: () => void): () => void {
  return connection.subscribe(() => {
    if (!connection.value.isAway) listener();
  });
}

/** Delays between tries, in milliseconds; the last one repeats. */
const waitsMs = [1_000, 2_000, 4_000, 8_000, 10_000];

let timer: ReturnType<typeof setTimeout> | undefined;
let tries = 0;

/** Call when a request got no response: starts polling until there is one. */
export function noteAway(): void {
  if (connection.value.isAway) return;
  tries = 0;
  schedule();
}

/** Polls now instead of at the next turn. */
export async function tryNow(): Promise<void> {
  if (!connection.value.isAway || connection.value.isTrying) return;
  clearTimeout(timer);
  connection.set({ ...connection.value, isTrying: true });
  if (await isReady(serviceUrl)) connection.set({ isAway: false });
  else schedule();
}

function schedule(): void {
  const waitMs = waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 10_000;
  tries++;
  connection.set({ isAway: true, nextTryAt: Date.now() + waitMs, isTrying: false });
  timer = setTimeout(() => void tryNow(), waitMs);
}

addEventListener('online', () => void tryNow());
addEventListener('offline', () => noteAway());
