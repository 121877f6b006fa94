/**
 * Plants as columns, for messages between threads: copying one text per column takes 0.6 us per
 * plant, objects take 3 us.
 */
import type { StoredPlant } from '../../../domain/schemas.ts';

export interface PlantColumns {
  readonly ids: BigInt64Array;
  /** Joined by U+0000, which no name has. */
  readonly names: string;
  /** Likewise. An absent tag is empty; any other is prefixed with "=". */
  readonly tags: string;
}

const separator = '\0';

export function toColumns(plants: readonly StoredPlant[]): PlantColumns {
  return {
    ids: BigInt64Array.from(plants, ({ id }) => id),
    names: plants.map(({ name }) => name).join(separator),
    tags: plants.map(({ tag }) => (tag === undefined ? '' : `=${tag}`)).join(separator),
  };
}

export function toPlants(columns: PlantColumns): StoredPlant[] {
  const names = columns.names.split(separator);
  const tags = columns.tags.split(separator);
  return Array.from(columns.ids, (id, index) => {
    const [name, tag] = [names[index] ?? '', tags[index] ?? ''];
    return tag === '' ? { id, name } : { id, name, tag: tag.slice(1) };
  });
}
