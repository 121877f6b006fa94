/** Whether the service responds. While it does not, this polls it; views that wait subscribe. */
import { isReady } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { serviceUrl } from './service-url.ts';

export interface Connection {
  readonly isAway: boolean;
  /** While it is away: asks it now. */
  readonly isTrying: boolean;
}

const present: Connection = { isAway: false, isTrying: false };
export const connection = new Observable(present);

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
let tries = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Call when a request got no response: starts polling until there is one. */
export function noteAway(): void {
  if (!connection.value.isAway) schedule(0);
}

/** Polls now instead of at the next turn. */
export async function tryNow(): Promise<void> {
  const { isAway, isTrying } = connection.value;
  if (!isAway || isTrying) return;
  clearTimeout(timer);
  connection.set({ isAway, isTrying: true });
  if (await isReady(serviceUrl)) connection.set(present);
  else schedule(tries + 1);
}

/** The turn after so many tries in vain. */
function schedule(count: number): void {
  tries = count;
  connection.set({ isAway: true, isTrying: false });
  timer = setTimeout(() => void tryNow(), waitsMs[Math.min(count, waitsMs.length - 1)]);
}

addEventListener('online', () => void tryNow());
addEventListener('offline', () => noteAway());
