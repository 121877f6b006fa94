/** Plants as JSON, in the shapes of the description. Hand-written, since ids exceed a double. */
import { plantFields } from '../../domain/plant.ts';
import type { Plant, StoredPlant } from '../../domain/schemas.ts';
import { escapeUnsafe, toJson } from '../../json/to-json.ts';

/** The StoredPlant shape, with an exact id. */
export function toStoredPlantJson(plant: StoredPlant): string {
  return escapeUnsafe(toRowJson(plant));
}

/** As `toStoredPlantJson`, for whoever escapes many rows at once. */
export function toRowJson(plant: StoredPlant): string {
  return `{"id":${plant.id}${toMembers(plant)}}`;
}

/** The Plant shape: no id. */
export function toPlantJson(plant: Plant): string {
  return escapeUnsafe(`{${toMembers(plant).slice(1)}}`);
}

const members = plantFields.map((field) => ({ field, head: `,${JSON.stringify(field)}:` }));

/** The fields that the plant has, each after a comma. */
function toMembers(plant: Plant): string {
  let json = '';
  for (const { field, head } of members) {
    const value: unknown = plant[field];
    if (value === undefined || value === null) continue;
    json += head + (typeof value === 'string' ? JSON.stringify(value) : toJson(value));
  }
  return json;
}
