/** Random numbers from a seed, so that a failure can be had again. */

export interface Random {
  /** An integer from `min` to `max`, both included. */
  readonly integer: (min: number, max: number) => number;
  /** Any int64. */
  readonly int64: () => bigint;
  readonly pick: <T>(values: readonly [T, ...T[]]) => T;
}

/** Mulberry32, a public-domain generator: small, and even enough to choose plants and moments. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const integer = (min: number, max: number): number => min + (next() % (max - min + 1));
  return {
    integer,
    int64: () => BigInt.asIntN(64, (BigInt(next()) << 32n) | BigInt(next())),
    pick: (values) => values[integer(0, values.length - 1)] ?? values[0],
  };
}
