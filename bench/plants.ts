/** Plants by index: the same index is the same plant in every process of a run, and its id lies anywhere in int64. */

export interface BenchPlant {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string;
}

/** Indexes are below this; it bounds the run at 4 billion plants. */
const indexBits = 32n;
export const tagCount = 100;
const kinds = ['Aloe', 'Basil', 'Calathea', 'Dahlia', 'Echeveria', 'Fern', 'Ginkgo', 'Hosta', 'Iris', 'Jasmine'];
const colours = ['amber', 'blue', 'crimson', 'dark'];

/** Distinct indexes give distinct ids. */
export function plantAt(index: number): BenchPlant {
  const kind = kinds[index % kinds.length] ?? '';
  const colour = colours[Math.trunc(index / kinds.length) % colours.length] ?? '';
  return { id: idAt(index), name: `${kind} ${colour} ${String(index).padStart(8, '0')}`, tag: tagAt(index) };
}

/** One name and tag under ascending ids, all beyond what a double can hold: the plain load, without what a large store makes of random ones. */
export function plainPlantAt(index: number): BenchPlant {
  return { id: 9_007_199_254_740_993n + BigInt(index), name: 'Monstera deliciosa', tag: 'climber' };
}

export function idAt(index: number): bigint {
  return (BigInt(scatter(index ^ 0x5bd1e995) | 0) << indexBits) | BigInt(scatter(index) >>> 0);
}

export function tagAt(index: number): string {
  return `shelf ${Math.trunc(index / 7) % tagCount}`;
}

/** A name that about one plant in 4,000 begins with, and one that one in 40 does. */
export const namees = { narrow: 'fern crimson 0012', broad: 'fern crimson' } as const;

export function toBody({ id, name, tag }: BenchPlant): string {
  return `{"id":${id},"name":"${name}","tag":"${tag}"}`;
}

/** One-to-one on 32 bits: the finisher of MurmurHash3. */
function scatter(index: number): number {
  let bits = index | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
