/** The plants that are selected in one list: another filter is another list, so what is selected is always in it. Without a browser. */
import type { Batch, PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { applyPatch } from '../../../src/domain/plant.ts';
import { Observable } from '../observable.ts';
import { type Announcement, plantsOf } from '../copy/changes.ts';
import { matches } from '../copy/filter.ts';

/** Maximum number of plants that are selected one by one: as many as a request can name. */
export const selectionMax = 1_000;

/** Some plants, or all that match a filter. */
export class Selection {
  /** None if all of a filter are selected. */
  readonly plants: ReadonlyMap<bigint, StoredPlant>;
  /** All that match are selected, also those that are not loaded, or match later. */
  readonly filter: PlantFilter | undefined;

  constructor(plants: Selection['plants'] = new Map(), filter?: PlantFilter) {
    this.plants = plants;
    this.filter = filter;
  }

  get isEmpty(): boolean {
    return this.filter === undefined && this.plants.size === 0;
  }

  has(id: bigint): boolean {
    return this.filter !== undefined || this.plants.has(id);
  }
}

export class PickedPlants {
  readonly selection = new Observable(new Selection());
  #filter: PlantFilter;

  constructor(filter: PlantFilter) {
    this.#filter = filter;
  }

  /** Call with the filter of the list whenever it may have changed. */
  show(filter: PlantFilter): void {
    const isSame = filter.tag === this.#filter.tag && filter.search === this.#filter.search;
    this.#filter = filter;
    if (!isSame) this.clear();
  }

  /** Whether the plant is in the list, also while that is still being loaded. */
  fits(plant: StoredPlant): boolean {
    return matches(plant, this.#filter);
  }

  /** @param loaded the rows at hand: they are what stays selected, without the plant, if all that match were. */
  toggle(plant: StoredPlant, loaded: readonly StoredPlant[] = []): void {
    const { plants, filter } = this.selection.value;
    const next = filter === undefined ? new Map(plants) : toMap(loaded.filter(({ id }) => id !== plant.id));
    if (!next.delete(plant.id) && filter === undefined && next.size < selectionMax) next.set(plant.id, plant);
    this.selection.set(new Selection(next));
  }

  /** Adds the plants, up to the maximum. */
  add(plants: readonly StoredPlant[]): void {
    if (this.selection.value.filter === undefined)
      this.selection.set(new Selection(toMap([...this.selection.value.plants.values(), ...plants])));
  }

  /** Selects all plants of the list. */
  addAll(): void {
    this.selection.set(new Selection(undefined, this.#filter));
  }

  clear(): void {
    if (!this.selection.value.isEmpty) this.selection.set(new Selection());
  }

  /**
   * A plant that is deleted, or leaves the list because it changed, is no longer selected. After many changes, none is but those that a batch
   * has tagged.
   */
  hear(announcement: Announcement): void {
    if (announcement.kind === 'many') this.#keepTagged(announcement.batch);
    const { plants } = this.selection.value;
    const changed = [...plantsOf(announcement)].filter(([id]) => plants.has(id));
    if (changed.length === 0) return;
    const next = new Map(plants);
    for (const [id, plant] of changed) {
      if (plant !== undefined && this.fits(plant)) next.set(id, plant);
      else next.delete(id);
    }
    this.selection.set(new Selection(next));
  }

  /** What a batch has tagged stays selected as far as it is in the list. */
  #keepTagged(batch: Batch | undefined): void {
    const { plants, filter } = this.selection.value;
    if (batch?.action !== 'setTag' && batch?.action !== 'clearTag') this.clear();
    else if (batch.plants instanceof Array) {
      const ids = new Set(batch.plants);
      const patch = { tag: batch.action === 'setTag' ? batch.tag : null };
      const tagged = [...plants.values()].filter(({ id }) => ids.has(id)).map((plant) => applyPatch(plant, patch));
      this.selection.set(new Selection(toMap(tagged.filter((plant) => this.fits(plant)))));
    } else if (filter === undefined || filter.tag !== undefined) this.clear();
  }
}

function toMap(plants: readonly StoredPlant[]): Map<bigint, StoredPlant> {
  return new Map([...new Map(plants.map((plant) => [plant.id, plant]))].slice(0, selectionMax));
}
