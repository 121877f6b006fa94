/**
 * A batch of writes in the form in which it crosses to the writer thread: its plants, which are most of it, as columns. The order of the batch is kept.
 */
import type { NewPlant } from '../../../domain/schemas.ts';
import type { Write } from '../../write.ts';
import { type PlantColumns, toColumns, toPlants } from './plant-columns.ts';

export interface PackedWrites {
  /** The plants of the creates, in order. */
  readonly creates: PlantColumns;
  /** The other writes, in order, with their places in the batch. */
  readonly others: readonly { readonly at: number; readonly write: PackedWrite }[];
}

type Import = Extract<Write, { readonly kind: 'import' }>;
type PackedImport = Omit<Import, 'rows'> & { readonly rows: PlantColumns };
type PackedWrite = Exclude<Write, Import> | PackedImport;

export function packWrites(writes: readonly Write[]): PackedWrites {
  const plants: NewPlant[] = [];
  const others: { at: number; write: PackedWrite }[] = [];
  writes.forEach((write, at) => {
    if (write.kind === 'create') plants.push(write.plant);
    else others.push({ at, write: write.kind === 'import' ? { ...write, rows: toColumns(write.rows) } : write });
  });
  return { creates: toColumns(plants), others };
}

export function unpackWrites({ creates, others }: PackedWrites): Write[] {
  const writes: Write[] = toPlants(creates).map((plant) => ({ kind: 'create', plant }));
  // In ascending order, so that each place is right when its turn comes.
  for (const { at, write } of others) {
    writes.splice(at, 0, write.kind === 'import' ? { ...write, rows: toPlants(write.rows) } : write);
  }
  return writes;
}
