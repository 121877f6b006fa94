/** How many rows of long requests a commit has: fewer while clients write single plants. */
import { isPlantWrite, type Write } from './write.ts';

/**
 * Beside single writes, few enough that these wait for little more than their own commit (see
 * `npm run bench -- others`).
 */
const rowsMax = 500;
const rowsBesideSingles = 64;
/** How long after a single write more are expected, in milliseconds. */
const pauseMs = 200;

export class StepSize {
  #singleAt = -Infinity;

  /** @param at when it was submitted, by `performance.now`. */
  note(write: Write, at: number): void {
    if (isPlantWrite(write) && !('rows' in write)) this.#singleAt = at;
  }

  get rows(): number {
    return performance.now() - this.#singleAt < pauseMs ? rowsBesideSingles : rowsMax;
  }
}
