/** The rule of an import: what becomes of a row. The store applies it, and the client to the rows of a dry run. */
import { areEqual } from './plant.ts';
import type { NewPlant, StoredPlant } from './schemas.ts';
import type { ImportOptions, RowOutcome } from './store.ts';

/** @param stored the plant with the id of the row, before it. */
export function decideRow(
  stored: StoredPlant | undefined,
  row: NewPlant,
  onConflict: ImportOptions['onConflict'],
): RowOutcome {
  if (stored === undefined) return 'created';
  if (areEqual(stored, row)) return 'unchanged';
  return conflictOutcomes[onConflict];
}

const conflictOutcomes = { fail: 'taken', skip: 'skipped', replace: 'replaced' } as const;
