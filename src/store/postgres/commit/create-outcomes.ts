/** What became of plants to create that one statement has stored where their id was free. Reads nothing. */
import { areEqual } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import { refuse, type Refusal, type Result, type Write } from '../../write.ts';

export type Create = Extract<Write, { readonly kind: 'create' }>;

/** Of several with one id the first: it is sent, and the others are compared with what is stored. */
export function firstOfEach(writes: readonly Create[]): ReadonlyMap<bigint, Create> {
  const firsts = new Map<bigint, Create>();
  for (const write of writes) if (!firsts.has(write.plant.id)) firsts.set(write.plant.id, write);
  return firsts;
}

/**
 * Returns the result of each write. Undefined: its id was taken, by a plant that is gone since.
 * @param firsts of `firstOfEach(writes)`.
 * @param taken ids that the statement did not store.
 * @param stored what has these ids, as far as it is still there.
 */
export function toOutcomes(
  writes: readonly Create[],
  firsts: ReadonlyMap<bigint, Create>,
  taken: readonly bigint[],
  stored: ReadonlyMap<bigint, StoredPlant | Refusal>,
): readonly (Result | Refusal | undefined)[] {
  const isTaken = new Set(taken);
  return writes.map((write) => {
    const { id } = write.plant;
    if (!isTaken.has(id) && firsts.get(id) === write) return 'created';
    const found = isTaken.has(id) ? stored.get(id) : firsts.get(id)?.plant;
    if (found === undefined || 'refused' in found) return found;
    return areEqual(found, write.plant) ? 'replayed' : refuse('plant_id_taken');
  });
}
