/**
 * Plants are divided into buckets, so that a transaction stays in one: on Citus all its rows
 * are on one node then, which commits or loses them together. Without Citus there is one
 * bucket. What is not a plant is in none, and on the coordinator.
 */

export type Engine = 'postgres' | 'citus';

/** Buckets of a database. They are stored: another number needs a new database. */
export const bucketsOf: Readonly<Record<Engine, number>> = { postgres: 1, citus: 16 };

/** The buckets of the database that is in use; known once it was reached. */
export interface Buckets {
  count: number;
}

/** The odd number next to 2^64 / golden ratio: the first bits of its multiples spread evenly. */
const factor = 0x9e37_79b9_7f4a_7c15n;

/** The bucket of a plant. It is stored, and must never change. */
export function bucketOf(id: bigint, buckets: number): number {
  return buckets === 1 ? 0 : Number(((BigInt.asUintN(64, id * factor) >> 32n) * BigInt(buckets)) >> 32n);
}
