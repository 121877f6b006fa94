/** Announces what happened to plants, so that each view can show it without reading everything again. */
import { areEqual, type Change, type Plant, type StoredPlant } from '../../../src/client/client.ts';
import { Listeners } from '../observable.ts';

export interface LoggedChange extends Change {
  /** This page made it: it is no news. */
  readonly isOwn: boolean;
  /** This page has announced what follows it: it is not to be shown. */
  readonly isOutdated: boolean;
}

export type Announcement =
  /** This page has written a plant. */
  | { readonly kind: 'stored'; readonly plant: StoredPlant; readonly isNew: boolean }
  | { readonly kind: 'deleted'; readonly id: bigint }
  /** Many at once: read everything again. */
  | { readonly kind: 'many' }
  | { readonly kind: 'logged'; readonly changes: readonly LoggedChange[] };

export const announcements = new Listeners<Announcement>();

export function isSamePlant(one: Plant | undefined, other: Plant | undefined): boolean {
  return one === undefined || other === undefined ? one === other : areEqual(one, other);
}
