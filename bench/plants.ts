/** Plants by index, equal in every process of a run, with ids spread over int64. */

export interface BenchPlant {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string;
}

/** Indexes are below 2^32; this limits a run to 4 billion plants. */
const indexBits = 32n;
const tagCount = 100;
const kinds = ['Aloe', 'Basil', 'Calathea', 'Dahlia', 'Echeveria', 'Fern', 'Ginkgo', 'Hosta', 'Iris', 'Jasmine'];
const colours = ['amber', 'blue', 'crimson', 'dark'];

/** Distinct indexes have distinct ids. */
export function plantAt(index: number): BenchPlant {
  const kind = kinds[index % kinds.length] ?? '';
  const colour = colours[Math.trunc(index / kinds.length) % colours.length] ?? '';
  return { id: idAt(index), name: `${kind} ${colour} ${String(index).padStart(8, '0')}`, tag: tagAt(index) };
}

/** One name and tag with ascending ids beyond 2^53: the plain load, without the cost of random ids. */
export function plainPlantAt(index: number): BenchPlant {
  return { id: 9_007_199_254_740_993n + BigInt(index), name: 'Monstera deliciosa', tag: 'climber' };
}

export function idAt(index: number): bigint {
  return (BigInt(scatter(index ^ 0x5bd1e995) | 0) << indexBits) | BigInt(scatter(index) >>> 0);
}

export function tagAt(index: number): string {
  return `shelf ${Math.trunc(index / 7) % tagCount}`;
}

/** Words of about one plant in 4,000, and of one in 40; a part of the words of some. */
export const wordsOf = { few: 'fern crimson 0012', many: 'fern crimson', part: '01234 ern' } as const;

export function toBody({ id, name, tag }: BenchPlant): string {
  return `{"id":${id},"name":"${name}","tag":"${tag}"}`;
}

/** A permutation of 32 bits: the finalizer of MurmurHash3. */
function scatter(index: number): number {
  let bits = index | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
