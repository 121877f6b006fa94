/**
 * Decides a write of plants, the same way in every adapter. The adapter changes the rows. In
 * PostgreSQL without Citus, a commit of creates alone is decided by its insert: see `commit-creates.ts`.
 */
import { decideRow } from '../domain/decide-row.ts';
import { applyPatch, areEqual } from '../domain/plant.ts';
import type { NewPlant, StoredPlant } from '../domain/schemas.ts';
import type { EditOutcome, ImportRules, PlantEdit, RowOutcome } from '../domain/store.ts';
import { allows } from './version-of.ts';
import { type Origin, type PlantWrite, type Refusal, refuse, type Result } from './write.ts';

/** A change of a plant: without `before` it creates the plant, without `after` it deletes it. */
export type PlantChange = { readonly id: bigint; readonly origin: Origin } & (
  | { readonly before?: StoredPlant | undefined; readonly after: StoredPlant }
  | { readonly before: StoredPlant; readonly after?: undefined }
);

/** The stored plants, inside the transaction of the write. */
export interface PlantRows {
  readonly find: (id: bigint) => StoredPlant | undefined;
  /** Returns false, without inserting, if the id exists. */
  readonly insert: (plant: StoredPlant, origin: Origin) => boolean;
  readonly replace: (stored: StoredPlant, plant: StoredPlant, origin: Origin) => void;
  readonly remove: (stored: StoredPlant, origin: Origin) => void;
}

/** Changes the rows as the write says. Returns its result, or the refusal of this write alone. */
export function decideWrite(write: PlantWrite, rows: PlantRows): Result<PlantWrite> | Refusal {
  switch (write.kind) {
    case 'create':
      return create(write.plant, write, rows);
    case 'import':
      return write.rows.map((row) => importRow(row, write.rules, write, rows));
    case 'edit':
      return write.rows.map((row) => edit(row, write, rows));
    case 'put': {
      const stored = rows.find(write.plant.id);
      if (!allows(write.condition, stored)) return refuse('precondition_failed');
      if (stored !== undefined) return replaceIfDifferent(stored, write.plant, write, rows) ? 'replaced' : 'unchanged';
      rows.insert(write.plant, write);
      return 'created';
    }
    case 'patch':
    case 'delete': {
      const stored = rows.find(write.id);
      if (stored === undefined) return refuse('plant_unknown');
      if (!allows(write.condition, stored)) return refuse('precondition_failed');
      if (write.kind === 'delete') {
        rows.remove(stored, write);
        return 'deleted';
      }
      const patched = applyPatch(stored, write.patch);
      replaceIfDifferent(stored, patched, write, rows);
      return patched;
    }
  }
}

function create(plant: NewPlant, origin: Origin, rows: PlantRows): 'created' | 'replayed' | Refusal {
  if (rows.insert(plant, origin)) return 'created';
  const stored = rows.find(plant.id);
  return stored !== undefined && areEqual(stored, plant) ? 'replayed' : refuse('plant_id_taken');
}

function importRow(row: NewPlant, { onConflict, dryRun }: ImportRules, origin: Origin, rows: PlantRows): RowOutcome {
  if (!dryRun && rows.insert(row, origin)) return 'created';
  const stored = rows.find(row.id);
  const outcome = decideRow(stored, row, onConflict);
  if (outcome === 'replaced' && stored !== undefined && !dryRun) rows.replace(stored, row, origin);
  return outcome;
}

function edit({ id, from, to }: PlantEdit, origin: Origin, rows: PlantRows): EditOutcome {
  const stored = rows.find(id);
  const wanted = to === null ? undefined : applyPatch(stored ?? { id, name: '' }, to);
  const isAsWanted = stored === undefined ? to === null : wanted !== undefined && areEqual(stored, wanted);
  if (isAsWanted) return 'unchanged';
  if (from !== undefined && !isSame(stored, from)) return 'conflict';
  if (stored === undefined) {
    if (from === undefined || wanted === undefined) return 'unknown';
    rows.insert(wanted, origin);
  } else if (wanted === undefined) rows.remove(stored, origin);
  else rows.replace(stored, wanted, origin);
  return 'changed';
}

function isSame(stored: StoredPlant | undefined, expected: StoredPlant | null): boolean {
  return stored === undefined ? expected === null : expected !== null && areEqual(stored, expected);
}

/** Returns whether there was a difference. */
function replaceIfDifferent(stored: StoredPlant, plant: StoredPlant, origin: Origin, rows: PlantRows): boolean {
  if (areEqual(stored, plant)) return false;
  rows.replace(stored, plant, origin);
  return true;
}
