/** Checks all that clients saw: each plant as a register, and each list and export as one moment of all plants. */
import { checkRegister } from './check-register.ts';
import { checkSnapshots } from './check-snapshots.ts';
import type { History, Operation } from './operation.ts';

/**
 * Returns a line for each violation; none when the history is linearizable plant by plant and its
 * snapshots are moments.
 */
export function checkHistory(history: History): string[] {
  const registers = [...history.operations].flatMap(([id, operations]) => {
    const reads = history.snapshots.map(({ what, start, end, accepts }): Operation => {
      return { what, start, end, accepts: (state) => accepts(id, state) };
    });
    const violation = checkRegister([...operations, ...reads]);
    return violation === undefined ? [] : [`Plant ${id}: ${violation}`];
  });
  return [...registers, ...checkSnapshots(history)];
}
