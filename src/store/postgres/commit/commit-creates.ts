/**
 * Commits creates. They need not be read first: one statement stores the plants whose id is free, and
 * only those whose id is taken are read and compared.
 */
import { areEqual } from '../../../domain/plant.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import { refuse, type Refusal, type Result, type Write } from '../../write.ts';
import type { Connection } from '../connect/connection.ts';
import type { Transactions } from '../connect/transactions.ts';
import { createPlants, lockPlants } from './plant-writes.ts';

export type Create = Extract<Write, { readonly kind: 'create' }>;

/**
 * Resolves to the result of each write. Undefined: another plant had its id, and was deleted
 * before it was read.
 * @param slotOf the row of the counts that this connection writes.
 */
export async function commitCreates(
  transactions: Transactions,
  slotOf: (connection: Connection) => number,
  writes: readonly Create[],
  deadline: number,
): Promise<readonly (Result | Refusal | undefined)[]> {
  const firsts = firstOfEach(writes);
  const taken = await transactions.runAutocommit(
    (connection) => createPlants(connection, [...firsts.values()], slotOf(connection)),
    { mayBeLost: false, deadline },
  );
  return toOutcomes(writes, firsts, taken, await readTaken(transactions, taken, deadline));
}

/**
 * The plants that have these ids. They are locked, so that an answer about them waits until
 * the standbys have them. A lock that is not confirmed is no answer: it is taken again.
 */
async function readTaken(
  transactions: Transactions,
  ids: readonly bigint[],
  deadline: number,
): Promise<ReadonlyMap<bigint, StoredPlant | Refusal>> {
  if (ids.length === 0) return new Map();
  try {
    return await transactions.runAutocommit((connection) => lockPlants(connection, 0, ids), {
      mayBeLost: true,
      deadline,
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The other plants are stored; these writes changed nothing.
    return new Map(ids.map((id) => [id, { refused: error.code }]));
  }
}

/** The first write of each id: it is sent, and the others are compared with what is stored. */
function firstOfEach(writes: readonly Create[]): ReadonlyMap<bigint, Create> {
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
function toOutcomes(
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
