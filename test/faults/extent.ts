/** Whether the long form of the proofs runs (`npm run faults`) or the short one, which is part of `npm run test:deep`. */
export const isLong = process.env['TEST_EXTENT'] === 'long';

/** Seeds the random choices of a run; `SEED=…` repeats it. */
export const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
