/** Conversions from PostgreSQL rows to plants. */
import { plantFields, toStoredPlant } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { Rows } from '../connect/connection.ts';

/** The columns of a plant that `toPlant` reads. */
export const plantColumns = ['id', ...plantFields].join(', ');

export function toPlant(row: Rows['rows'][number]): StoredPlant {
  return toContent(row[0] as bigint, row, 1);
}

/** Converts the fields from column `at` on, in the order of `plantFields`. */
export function toContent(id: bigint, row: Rows['rows'][number], at: number): StoredPlant {
  const [name, tag] = row.slice(at) as [string, string | null];
  return toStoredPlant(id, { name, tag });
}
