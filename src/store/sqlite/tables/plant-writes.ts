/** SQL that writes plants, on one connection, inside a transaction of the caller. */
import type { DatabaseSync } from 'node:sqlite';
import type { NewPlant, PlantPatch, StoredPlant } from '../../../domain/schemas.ts';
import type { Condition, ImportOptions, RowOutcome } from '../../../domain/store.ts';
import { applyPatch, areEqual } from '../../plant-content.ts';
import { allows } from '../../version-of.ts';
import { refuse, type Refusal, type Results } from '../../write.ts';
import { PlantCounts } from './plant-counts.ts';
import { prepareFind } from './plant-reads.ts';
import { SearchIndex } from './search-index.ts';

/** Each method returns its result, or the refusal of this write alone. */
export interface PlantWrites {
  readonly create: (plant: NewPlant) => Results['create'] | Refusal;
  readonly put: (plant: NewPlant, condition: Condition) => Results['put'] | Refusal;
  readonly patch: (id: bigint, patch: PlantPatch, condition: Condition) => Results['patch'] | Refusal;
  readonly delete: (id: bigint, condition: Condition) => Results['delete'] | Refusal;
  readonly import: (rows: readonly NewPlant[], options: ImportOptions) => Results['import'];
  /** Writes the data derived from plants. Call before the commit. */
  readonly finish: () => void;
  /** Call after a rollback. */
  readonly reset: () => void;
}

export function preparePlantWrites(db: DatabaseSync): PlantWrites {
  const find = prepareFind(db);
  const counts = new PlantCounts(db);
  const index = new SearchIndex(db);
  const { insert, replace, remove } = prepareRowWrites(db, counts, index);
  const put: PlantWrites['put'] = (plant, condition) => {
    const stored = find(plant.id);
    if (!allows(condition, stored)) return refuse('precondition_failed');
    if (stored === undefined) {
      insert(plant);
      return 'created';
    }
    if (areEqual(stored, plant)) return 'unchanged';
    replace(stored, plant);
    return 'replaced';
  };
  const importRow = (row: NewPlant, { onConflict, dryRun }: ImportOptions): RowOutcome => {
    if (!dryRun && insert(row)) return 'created';
    const stored = find(row.id);
    if (stored === undefined) return 'created';
    if (areEqual(stored, row)) return 'unchanged';
    if (onConflict === 'fail') return 'taken';
    if (onConflict === 'skip') return 'skipped';
    if (!dryRun) replace(stored, row);
    return 'replaced';
  };
  return {
    put,
    create: (plant) => {
      if (insert(plant)) return 'created';
      const stored = find(plant.id);
      return stored !== undefined && areEqual(stored, plant) ? 'replayed' : refuse('plant_id_taken');
    },
    patch: (id, patch, condition) => {
      const stored = find(id);
      if (stored === undefined) return refuse('plant_unknown');
      if (!allows(condition, stored)) return refuse('precondition_failed');
      const patched = applyPatch(stored, patch);
      if (!areEqual(stored, patched)) replace(stored, patched);
      return patched;
    },
    delete: (id, condition) => {
      const stored = find(id);
      if (stored === undefined) return refuse('plant_unknown');
      if (!allows(condition, stored)) return refuse('precondition_failed');
      remove(stored);
      return 'deleted';
    },
    import: (rows, options) => rows.map((row) => importRow(row, options)),
    finish: () => {
      counts.flush();
      index.flush();
    },
    reset: () => {
      counts.reset();
      index.reset();
    },
  };
}

interface RowWrites {
  /** Returns false, without inserting, if the id exists. */
  readonly insert: (plant: NewPlant) => boolean;
  readonly replace: (stored: StoredPlant, plant: StoredPlant) => void;
  readonly remove: (stored: StoredPlant) => void;
}

/** Writes a plant together with its search tokens and counts. */
function prepareRowWrites(db: DatabaseSync, counts: PlantCounts, index: SearchIndex): RowWrites {
  const insertPlant = db.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING');
  const updatePlant = db.prepare('UPDATE plants SET name = ?, tag = ? WHERE id = ?');
  const deletePlant = db.prepare('DELETE FROM plants WHERE id = ?');
  return {
    insert: (plant) => {
      const { id, name, tag } = plant;
      if (insertPlant.run(id, name, tag ?? null).changes === 0n) return false;
      index.note(id, undefined, plant);
      counts.add(tag, 1);
      return true;
    },
    replace: (stored, plant) => {
      updatePlant.run(plant.name, plant.tag ?? null, plant.id);
      index.note(plant.id, stored, plant);
      counts.add(stored.tag, -1);
      counts.add(plant.tag, 1);
    },
    remove: (stored) => {
      deletePlant.run(stored.id);
      index.note(stored.id, stored, undefined);
      counts.add(stored.tag, -1);
    },
  };
}
