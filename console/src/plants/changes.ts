/** Tells everybody on the page what became of a plant, so that each view shows it without reading all again. */
import type { StoredPlant } from '../../../src/client/client.ts';

export type Change =
  | { readonly kind: 'stored'; readonly plant: StoredPlant; readonly isNew: boolean }
  | { readonly kind: 'deleted'; readonly id: bigint }
  /** Many at once: everything is to be read again. */
  | { readonly kind: 'many' };

const listeners = new Set<(change: Change) => void>();

export function announce(change: Change): void {
  for (const listener of [...listeners]) listener(change);
}

/** Returns what ends the listening. */
export function onAnnounced(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
