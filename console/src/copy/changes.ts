/** Announces what happened to plants, so that each view can show it without reading everything again. */
import type { Change, Plant, StoredPlant } from '../../../src/client/client.ts';
import { areEqual } from '../../../src/domain/plant.ts';

/** A change from the log of the service. */
export interface LoggedChange extends Change {
  /** This page made it: it is no news. */
  readonly isOwn: boolean;
  /** This page has announced what follows it: it is not to be shown. */
  readonly isOutdated: boolean;
}

/** What this page has learned of one plant. */
export type PlantAnnouncement =
  | { readonly kind: 'stored'; readonly plant: StoredPlant; readonly isNew: boolean }
  /** Read just now, perhaps newer than what a view shows. */
  | { readonly kind: 'seen'; readonly plant: StoredPlant }
  | { readonly kind: 'deleted'; readonly id: bigint };

export type Announcement =
  | PlantAnnouncement
  /** Many at once: read everything again. */
  | { readonly kind: 'many' }
  /** New in the log. */
  | { readonly kind: 'logged'; readonly changes: readonly LoggedChange[] };

const listeners = new Set<(announcement: Announcement) => void>();

export function announce(announcement: Announcement): void {
  for (const listener of [...listeners]) listener(announcement);
}

/** Returns a function that stops listening. */
export function onAnnounced(listener: (announcement: Announcement) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The plants of an announcement as they are now; undefined: deleted. */
export function plantsOf(announcement: Announcement): ReadonlyMap<bigint, StoredPlant | undefined> {
  switch (announcement.kind) {
    case 'stored':
    case 'seen':
      return new Map([[announcement.plant.id, announcement.plant]]);
    case 'deleted':
      return new Map([[announcement.id, undefined]]);
    case 'logged':
      return new Map(lastChangesOf(announcement.changes).map(({ id, plant }) => [id, plant]));
    case 'many':
      return new Map();
  }
}

/**
 * The last change of each plant, unless it is outdated. Those of this page, too: what others did before may have been shown since it was
 * announced.
 */
export function lastChangesOf(changes: readonly LoggedChange[]): readonly LoggedChange[] {
  return [...new Map(changes.map((change) => [change.id, change])).values()].filter(({ isOutdated }) => !isOutdated);
}

export function isSamePlant(one: Plant | undefined, other: Plant | undefined): boolean {
  return one === undefined || other === undefined ? one === other : areEqual(one, other);
}
