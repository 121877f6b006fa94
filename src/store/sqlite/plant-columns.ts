/** Plants as columns, the form in which many of them cross threads. */
import type { StoredPlant } from '../../domain/schemas.ts';

export interface PlantColumns {
  readonly ids: BigInt64Array;
  readonly names: readonly string[];
  readonly tags: readonly (string | undefined)[];
}

export function toColumns(plants: readonly StoredPlant[]): PlantColumns {
  return {
    ids: BigInt64Array.from(plants, ({ id }) => id),
    names: plants.map(({ name }) => name),
    tags: plants.map(({ tag }) => tag),
  };
}

export function toPlants({ ids, names, tags }: PlantColumns): StoredPlant[] {
  return names.map((name, index) => {
    const id = ids[index] ?? 0n;
    const tag = tags[index];
    return tag === undefined ? { id, name } : { id, name, tag };
  });
}
