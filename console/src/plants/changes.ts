/** Announces what happened to plants, so that each view can show it without reading everything again. */
import type { StoredPlant } from '../../../src/client/client.ts';

export type Change =
  | { readonly kind: 'stored'; readonly plant: StoredPlant; readonly isNew: boolean }
  /** Read just now, perhaps newer than what a view shows. */
  | { readonly kind: 'seen'; readonly plant: StoredPlant }
  | { readonly kind: 'deleted'; readonly id: bigint }
  /** Many at once: read everything again. */
  | { readonly kind: 'many' };

const listeners = new Set<(change: Change) => void>();

export function announce(change: Change): void {
  for (const listener of [...listeners]) listener(change);
}

/** Returns a function that stops listening. */
export function onAnnounced(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
