/** Plants as JSON, in the shapes of the description. Hand-written, since ids exceed a double. */
import type { Plant, StoredPlant } from '../../domain/schemas.ts';

/** The StoredPlant shape, with an exact id. */
export function toStoredPlantJson({ id, name, tag }: StoredPlant): string {
  return tag === undefined
    ? `{"id":${id},"name":${JSON.stringify(name)}}`
    : `{"id":${id},"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`;
}

/** The Plant shape: no id, and no `tag` if absent. */
export function toPlantJson({ name, tag }: Plant): string {
  return tag === undefined
    ? `{"name":${JSON.stringify(name)}}`
    : `{"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`;
}
