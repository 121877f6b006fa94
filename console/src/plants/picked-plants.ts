/** The plants that are selected in one list: another filter is another list, so what is selected is always in it. Without a browser. */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { type Announcement, plantsOf } from './changes.ts';
import { matches } from './filter.ts';

export type Selection = ReadonlyMap<bigint, StoredPlant>;

/** Maximum size of a selection: its ids must fit into an address. */
export const selectionMax = 500;

export class PickedPlants {
  readonly selection = new Observable<Selection>(new Map());
  #filter: PlantFilter;

  constructor(filter: PlantFilter) {
    this.#filter = filter;
  }

  /** Call with the filter of the list whenever it may have changed. */
  show(filter: PlantFilter): void {
    const isSame = filter.tag === this.#filter.tag && filter.name === this.#filter.name;
    this.#filter = filter;
    if (!isSame) this.clear();
  }

  /** Whether the plant is in the list, also while that is still being loaded. */
  fits(plant: StoredPlant): boolean {
    return matches(plant, this.#filter);
  }

  toggle(plant: StoredPlant): void {
    const next = new Map(this.selection.value);
    if (!next.delete(plant.id) && next.size < selectionMax) next.set(plant.id, plant);
    this.selection.set(next);
  }

  /** Adds the plants, up to the maximum. */
  add(plants: readonly StoredPlant[]): void {
    const next = new Map(this.selection.value);
    for (const plant of plants) if (next.size < selectionMax) next.set(plant.id, plant);
    this.selection.set(next);
  }

  clear(): void {
    if (this.selection.value.size > 0) this.selection.set(new Map());
  }

  /** A plant that is deleted, or leaves the list because it changed, is no longer selected. */
  hear(announcement: Announcement): void {
    const selected = this.selection.value;
    const changed = [...plantsOf(announcement)].filter(([id]) => selected.has(id));
    if (changed.length === 0) return;
    const next = new Map(selected);
    for (const [id, plant] of changed) {
      if (plant !== undefined && this.fits(plant)) next.set(id, plant);
      else next.delete(id);
    }
    this.selection.set(next);
  }
}
