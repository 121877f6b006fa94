/** Plants as commands show them to people. */
import { type PlantField, plantFields } from '../../domain/plant.ts';
import type { Plant, StoredPlant } from '../../domain/schemas.ts';
import { toTable } from './to-table.ts';

/** @param width of the terminal. */
export function toPlantTable(
  plants: readonly (StoredPlant & { readonly etag?: string })[],
  width: number | undefined,
): string {
  const hasEtag = plants.some(({ etag }) => etag !== undefined);
  const head = ['ID', ...fieldHeads, ...(hasEtag ? ['ETAG'] : [])];
  const rows = plants.map((plant) => [
    plant.id.toString(),
    ...plantFields.map((field) => toCell(plant, field)),
    ...(plant.etag === undefined ? [] : [plant.etag]),
  ]);
  return toTable([head, ...rows], { width, uncut: [0, 1 + plantFields.length] });
}

export const fieldHeads = plantFields.map((field) => field.toUpperCase());

/** An absent value is a blank cell, and the empty text is "". A plant may have an empty name. */
export function toCell(plant: Plant, field: PlantField): string {
  const value: unknown = plant[field] ?? '';
  return value === '' && plant[field] === '' && field !== 'name' ? '""' : String(value);
}
