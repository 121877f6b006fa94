/** SQL that writes plants, on one connection, inside a transaction of the caller. */
import type { DatabaseSync } from 'node:sqlite';
import type { NewPlant, PlantPatch, StoredPlant } from '../../../domain/schemas.ts';
import type { Condition, ImportOptions, RowOutcome } from '../../../domain/store.ts';
import { applyPatch, areEqual } from '../../plant-content.ts';
import { allows } from '../../version-of.ts';
import { refuse, type Refusal, type Results } from '../../write.ts';
import { ChangeWrites } from './change-writes.ts';
import { PlantCounts } from './plant-counts.ts';
import { prepareFind } from './plant-reads.ts';
import { SearchIndex } from './search-index.ts';

/** The id of the token that writes. */
type Author = string | undefined;

/** Each method returns its result, or the refusal of this write alone. */
export interface PlantWrites {
  readonly create: (plant: NewPlant, by: Author) => Results['create'] | Refusal;
  readonly put: (plant: NewPlant, condition: Condition, by: Author) => Results['put'] | Refusal;
  readonly patch: (id: bigint, patch: PlantPatch, condition: Condition, by: Author) => Results['patch'] | Refusal;
  readonly delete: (id: bigint, condition: Condition, by: Author) => Results['delete'] | Refusal;
  readonly import: (rows: readonly NewPlant[], options: ImportOptions, by: Author) => Results['import'];
  /** Writes the data derived from plants. Call before the commit. */
  readonly finish: () => void;
  /** Call after a rollback. */
  readonly reset: () => void;
}

export function preparePlantWrites(db: DatabaseSync): PlantWrites {
  const find = prepareFind(db);
  const counts = new PlantCounts(db);
  const index = new SearchIndex(db);
  const changes = new ChangeWrites(db);
  const { insert, replace, remove } = prepareRowWrites(db, counts, index, changes);
  const put: PlantWrites['put'] = (plant, condition, by) => {
    const stored = find(plant.id);
    if (!allows(condition, stored)) return refuse('precondition_failed');
    if (stored === undefined) {
      insert(plant, by);
      return 'created';
    }
    if (areEqual(stored, plant)) return 'unchanged';
    replace(stored, plant, by);
    return 'replaced';
  };
  const importRow = (row: NewPlant, { onConflict, dryRun }: ImportOptions, by: Author): RowOutcome => {
    if (!dryRun && insert(row, by)) return 'created';
    const stored = find(row.id);
    if (stored === undefined) return 'created';
    if (areEqual(stored, row)) return 'unchanged';
    if (onConflict === 'fail') return 'taken';
    if (onConflict === 'skip') return 'skipped';
    if (!dryRun) replace(stored, row, by);
    return 'replaced';
  };
  return {
    put,
    create: (plant, by) => {
      if (insert(plant, by)) return 'created';
      const stored = find(plant.id);
      return stored !== undefined && areEqual(stored, plant) ? 'replayed' : refuse('plant_id_taken');
    },
    patch: (id, patch, condition, by) => {
      const stored = find(id);
      if (stored === undefined) return refuse('plant_unknown');
      if (!allows(condition, stored)) return refuse('precondition_failed');
      const patched = applyPatch(stored, patch);
      if (!areEqual(stored, patched)) replace(stored, patched, by);
      return patched;
    },
    delete: (id, condition, by) => {
      const stored = find(id);
      if (stored === undefined) return refuse('plant_unknown');
      if (!allows(condition, stored)) return refuse('precondition_failed');
      remove(stored, by);
      return 'deleted';
    },
    import: (rows, options, by) => rows.map((row) => importRow(row, options, by)),
    finish: () => {
      changes.flush();
      counts.flush();
      index.flush();
    },
    reset: () => {
      changes.reset();
      counts.reset();
      index.reset();
    },
  };
}

interface RowWrites {
  /** Returns false, without inserting, if the id exists. */
  readonly insert: (plant: NewPlant, by: Author) => boolean;
  readonly replace: (stored: StoredPlant, plant: StoredPlant, by: Author) => void;
  readonly remove: (stored: StoredPlant, by: Author) => void;
}

/** Writes a plant together with its change, search tokens and counts. */
function prepareRowWrites(db: DatabaseSync, counts: PlantCounts, index: SearchIndex, changes: ChangeWrites): RowWrites {
  const insertPlant = db.prepare(
    'INSERT INTO plants (id, name, tag, position) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const updatePlant = db.prepare('UPDATE plants SET name = ?, tag = ?, position = ? WHERE id = ?');
  const deletePlant = db.prepare('DELETE FROM plants WHERE id = ?');
  return {
    insert: (plant, by) => {
      const { id, name, tag } = plant;
      if (insertPlant.run(id, name, tag ?? null, changes.next).changes === 0n) return false;
      changes.note({ id, after: plant, by });
      index.note(id, undefined, plant);
      counts.add(tag, 1);
      return true;
    },
    replace: (stored, plant, by) => {
      const position = changes.next;
      changes.note({ id: plant.id, before: stored, after: plant, by });
      updatePlant.run(plant.name, plant.tag ?? null, position, plant.id);
      index.note(plant.id, stored, plant);
      counts.add(stored.tag, -1);
      counts.add(plant.tag, 1);
    },
    remove: (stored, by) => {
      changes.note({ id: stored.id, before: stored, by });
      deletePlant.run(stored.id);
      index.note(stored.id, stored, undefined);
      counts.add(stored.tag, -1);
    },
  };
}
