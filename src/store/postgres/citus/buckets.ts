/**
 * Plants are divided into buckets, so that a transaction stays in one: all its rows are on one node
 * then, which commits or loses them together. What is not a plant is in none, and on the coordinator.
 */

/** The odd number next to 2^64 / golden ratio: the first bits of its multiples spread evenly. */
const factor = 0x9e37_79b9_7f4a_7c15n;

/** The bucket of a plant. It is stored, and must never change. */
export function bucketOf(id: bigint, buckets: number): number {
  return Number(((BigInt.asUintN(64, id * factor) >> 32n) * BigInt(buckets)) >> 32n);
}
