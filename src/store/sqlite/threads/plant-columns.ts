/** Plants as columns, for messages between threads: half of the cost of objects. */
import { toStoredPlant } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';

export type PlantColumns = { readonly [Field in keyof Required<StoredPlant>]: readonly StoredPlant[Field][] };

export function toColumns(plants: readonly StoredPlant[]): PlantColumns {
  return {
    id: plants.map(({ id }) => id),
    name: plants.map(({ name }) => name),
    tag: plants.map(({ tag }) => tag),
  };
}

export function toPlants(columns: PlantColumns): StoredPlant[] {
  const { name, tag } = columns;
  return columns.id.map((id, at) => toStoredPlant(id, { name: name[at] ?? '', tag: tag[at] }));
}
