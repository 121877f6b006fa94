/** Plants by their ids, with the number of plants of each tag. Knows nothing of where they come from. */
import type { StoredPlant } from '../../../src/client/client.ts';
import { type Row, toRow } from './order.ts';

export class PlantSet {
  readonly rows = new Map<bigint, Row>();
  readonly tags = new Map<string, number>();
  /** Characters of all names and tags. */
  characters = 0;

  /** @param plant undefined removes it. */
  put(id: bigint, plant: StoredPlant | undefined): void {
    this.#count(this.rows.get(id)?.plant, -1);
    if (plant === undefined) this.rows.delete(id);
    else this.rows.set(id, toRow(plant));
    this.#count(plant, 1);
  }

  #count(plant: StoredPlant | undefined, change: 1 | -1): void {
    if (plant === undefined) return;
    const { name, tag } = plant;
    this.characters += change * (name.length + (tag ?? '').length);
    if (tag === undefined) return;
    const plants = (this.tags.get(tag) ?? 0) + change;
    if (plants === 0) this.tags.delete(tag);
    else this.tags.set(tag, plants);
  }
}
