/** The selected plants, for labels or deletion. The selection survives scrolling and filtering. */
import type { StoredPlant } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { session } from '../session/session.ts';
import { onAnnounced, plantsOf } from './changes.ts';

export type Selection = ReadonlyMap<bigint, StoredPlant>;

/** Maximum size of a selection: its ids must fit into an address. */
export const selectionMax = 500;

export const selection = new Observable<Selection>(new Map());

export function toggleSelected(plant: StoredPlant): void {
  const next = new Map(selection.value);
  if (!next.delete(plant.id) && next.size < selectionMax) next.set(plant.id, plant);
  selection.set(next);
}

/** Adds the plants, up to the maximum. */
export function selectAll(plants: readonly StoredPlant[]): void {
  const next = new Map(selection.value);
  for (const plant of plants) if (next.size < selectionMax) next.set(plant.id, plant);
  selection.set(next);
}

export function clearSelection(): void {
  selection.set(new Map());
}

session.subscribe(() => {
  if (session.value === undefined) clearSelection();
});
onAnnounced((announcement) => {
  const changed = [...plantsOf(announcement)].filter(([id]) => selection.value.has(id));
  if (changed.length === 0) return;
  const next = new Map(selection.value);
  for (const [id, plant] of changed) {
    if (plant === undefined) next.delete(id);
    else next.set(id, plant);
  }
  selection.set(next);
});
