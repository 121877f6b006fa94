/** The SQL of plants on one connection: rows in, rows out. Transactions and threads are not here. */
import type { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../domain/schemas.ts';
import type { Outcome } from '../write.ts';

/** The prepared reads. */
export interface PlantReads {
  readonly find: (id: bigint) => NewPlant | undefined;
  readonly count: () => number;
}

/** The prepared writes; each belongs inside a transaction. */
export interface PlantWrites {
  readonly create: (plant: NewPlant) => Outcome;
}

const taken: Outcome = { refused: 'plant_id_taken' };

export function preparePlantReads(db: DatabaseSync): PlantReads {
  const selectOne = db.prepare('SELECT id, name, tag FROM plants WHERE id = ?');
  const selectCount = db.prepare('SELECT count(*) AS n FROM plants');
  return {
    find: (id) => {
      const row = selectOne.get(id);
      return row === undefined ? undefined : toPlant(row as unknown as PlantRow);
    },
    count: () => Number(selectCount.get()?.['n']),
  };
}

export function preparePlantWrites(db: DatabaseSync): PlantWrites {
  const { find } = preparePlantReads(db);
  const insert = db.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING');
  return {
    create: (plant) => {
      const { changes } = insert.run(plant.id, plant.name, plant.tag ?? null);
      if (changes === 1n) return 'created';
      const stored = find(plant.id);
      return stored?.name === plant.name && stored.tag === plant.tag ? 'replayed' : taken;
    },
  };
}

interface PlantRow {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

function toPlant({ id, name, tag }: PlantRow): NewPlant {
  return tag === null ? { id, name } : { id, name, tag };
}
