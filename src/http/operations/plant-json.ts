/** Plants as JSON: the shapes of the description. Written by hand, for an id has more digits than a double. */
import type { Plant, StoredPlant } from '../../domain/schemas.ts';

/** The StoredPlant shape; the id in digits. */
export function toStoredPlantJson({ id, name, tag }: StoredPlant): string {
  return tag === undefined
    ? `{"id":${id},"name":${JSON.stringify(name)}}`
    : `{"id":${id},"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`;
}

/** The Plant shape: never an id, and no `tag` when there is none. */
export function toPlantJson({ name, tag }: Plant): string {
  return tag === undefined
    ? `{"name":${JSON.stringify(name)}}`
    : `{"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`;
}
