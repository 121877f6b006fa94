/** The rule of an import: what becomes of a row. The store applies it, and the client to the rows of a dry run. */
import { areEqual } from './plant.ts';
import type { NewPlant, StoredPlant } from './schemas.ts';

/** What becomes of a row whose id is stored with other fields. */
const conflictOutcomes = { fail: 'taken', skip: 'skipped', replace: 'replaced' } as const;
type ConflictRule = keyof typeof conflictOutcomes;

/** @param stored the plant with the id of the row, before it. */
export function decideRow(
  stored: StoredPlant | undefined,
  row: NewPlant,
  onConflict: ConflictRule,
): 'created' | 'unchanged' | (typeof conflictOutcomes)[ConflictRule] {
  if (stored === undefined) return 'created';
  return areEqual(stored, row) ? 'unchanged' : conflictOutcomes[onConflict];
}
