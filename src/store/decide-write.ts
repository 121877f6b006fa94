/** Decides a write of plants, the same way in every adapter. The adapter changes the rows. */
import { applyPatch, areEqual } from '../domain/plant.ts';
import type { NewPlant, StoredPlant } from '../domain/schemas.ts';
import type { ImportOptions, RowOutcome } from '../domain/store.ts';
import { allows } from './version-of.ts';
import { type PlantWrite, type Refusal, refuse, type ResultOf } from './write.ts';

/** The id of the token that writes. */
export type Author = string | undefined;

/** One change of one plant; `before` and `after` are absent where there is no plant. */
export interface PlantChange {
  readonly id: bigint;
  readonly before?: StoredPlant | undefined;
  readonly after?: StoredPlant | undefined;
  readonly by: Author;
}

/** The stored plants, inside the transaction of the write. */
export interface PlantRows {
  readonly find: (id: bigint) => StoredPlant | undefined;
  /** Returns false, without inserting, if the id exists. */
  readonly insert: (plant: StoredPlant, by: Author) => boolean;
  readonly replace: (stored: StoredPlant, plant: StoredPlant, by: Author) => void;
  readonly remove: (stored: StoredPlant, by: Author) => void;
}

/** Changes the rows as the write says. Returns its result, or the refusal of this write alone. */
export function decideWrite(write: PlantWrite, rows: PlantRows): ResultOf<PlantWrite> | Refusal {
  switch (write.kind) {
    case 'create':
      return create(write.plant, write.by, rows);
    case 'import':
      return write.rows.map((row) => importRow(row, write.options, write.by, rows));
    case 'put': {
      const stored = rows.find(write.plant.id);
      if (!allows(write.condition, stored)) return refuse('precondition_failed');
      if (stored !== undefined) return change(stored, write.plant, write.by, rows) ? 'replaced' : 'unchanged';
      rows.insert(write.plant, write.by);
      return 'created';
    }
    case 'patch':
    case 'delete': {
      const stored = rows.find(write.id);
      if (stored === undefined) return refuse('plant_unknown');
      if (!allows(write.condition, stored)) return refuse('precondition_failed');
      if (write.kind === 'delete') {
        rows.remove(stored, write.by);
        return 'deleted';
      }
      const patched = applyPatch(stored, write.patch);
      change(stored, patched, write.by, rows);
      return patched;
    }
  }
}

function create(plant: NewPlant, by: Author, rows: PlantRows): 'created' | 'replayed' | Refusal {
  if (rows.insert(plant, by)) return 'created';
  const stored = rows.find(plant.id);
  return stored !== undefined && areEqual(stored, plant) ? 'replayed' : refuse('plant_id_taken');
}

function importRow(row: NewPlant, { onConflict, dryRun }: ImportOptions, by: Author, rows: PlantRows): RowOutcome {
  if (!dryRun && rows.insert(row, by)) return 'created';
  const stored = rows.find(row.id);
  if (stored === undefined) return 'created';
  if (areEqual(stored, row)) return 'unchanged';
  if (onConflict === 'fail') return 'taken';
  if (onConflict === 'skip') return 'skipped';
  if (!dryRun) rows.replace(stored, row, by);
  return 'replaced';
}

/** Returns whether there was a difference. */
function change(stored: StoredPlant, plant: StoredPlant, by: Author, rows: PlantRows): boolean {
  if (areEqual(stored, plant)) return false;
  rows.replace(stored, plant, by);
  return true;
}
