/** Plants as commands show them to people. */
import type { StoredPlant } from '../../domain/schemas.ts';
import { toTable } from './to-table.ts';

/** An absent tag is a blank cell, and the empty one is "". @param width of the terminal. */
export function toPlantTable(
  plants: readonly (StoredPlant & { readonly etag?: string })[],
  width: number | undefined,
): string {
  const hasEtag = plants.some(({ etag }) => etag !== undefined);
  const head = ['ID', 'NAME', 'TAG', ...(hasEtag ? ['ETAG'] : [])];
  const rows = plants.map(({ id, name, tag, etag }) => [
    id.toString(),
    name,
    tag === '' ? '""' : (tag ?? ''),
    ...(etag === undefined ? [] : [etag]),
  ]);
  return toTable([head, ...rows], { width, uncut: [0, 3] });
}
