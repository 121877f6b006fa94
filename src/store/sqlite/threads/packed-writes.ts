/**
 * A batch of writes, packed for the writer thread: plants of creates as columns. Keeps the order of
 * the batch.
 */
import type { NewPlant } from '../../../domain/schemas.ts';
import type { Write } from '../../write.ts';
import { type PlantColumns, toColumns, toPlants } from './plant-columns.ts';

export interface PackedWrites {
  /** The plants of the creates, in order. */
  readonly creates: PlantColumns;
  /** Who wrote each of them, joined by U+0000: a text copies faster than many. */
  readonly authors: string;
  /** The other writes in order, with their positions in the batch. */
  readonly others: readonly { readonly at: number; readonly write: PackedWrite }[];
}

type Import = Extract<Write, { readonly kind: 'import' }>;
type PackedImport = Omit<Import, 'rows'> & { readonly rows: PlantColumns };
type PackedWrite = Exclude<Write, Import> | PackedImport;

export function packWrites(writes: readonly Write[]): PackedWrites {
  const plants: NewPlant[] = [];
  const authors: string[] = [];
  const others: { at: number; write: PackedWrite }[] = [];
  writes.forEach((write, at) => {
    if (write.kind === 'create') {
      plants.push(write.plant);
      authors.push(write.by ?? '');
    } else others.push({ at, write: write.kind === 'import' ? { ...write, rows: toColumns(write.rows) } : write });
  });
  return { creates: toColumns(plants), authors: authors.join('\0'), others };
}

export function unpackWrites({ creates, authors, others }: PackedWrites): Write[] {
  const tokens = authors.split('\0');
  const writes: Write[] = toPlants(creates).map((plant, index) => ({
    kind: 'create',
    plant,
    by: tokens[index] === '' ? undefined : tokens[index],
  }));
  // Insert in ascending order, so that each position is final.
  for (const { at, write } of others) {
    writes.splice(at, 0, write.kind === 'import' ? { ...write, rows: toPlants(write.rows) } : write);
  }
  return writes;
}
