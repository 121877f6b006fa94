/**
 * Lets reads of milliseconds share a thread: at most one in a turn of the event loop, and long pages
 * in several turns.
 */
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../domain/errors.ts';
import { textLengthOf } from '../../domain/plant.ts';
import type { StoredPlant } from '../../domain/schemas.ts';
import { type PlantPage, type PlantQuery, pageLengthMax } from '../../domain/store.ts';

export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** Resolves to the result of `work`. @throws ServiceError `shutting_down` once closed. */
  take<Result>(work: () => Result): Promise<Awaited<Result>> {
    const result = this.#last.then(async () => {
      await setImmediate();
      if (this.#isClosed) throw new ServiceError('shutting_down');
      return work();
    }) as Promise<Awaited<Result>>;
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** No work begins after it. */
  close(): void {
    this.#isClosed = true;
  }
}

/** Pages of the usual limit have fewer rows, and are read at once. */
const rowsAtOnce = 128;
/** Rows of a part of longer pages: 1.2 ms if they are long. */
const rowsPerTurn = 32;

/**
 * Reads a page of plants without words in parts: SQLite's texts become strings on the thread of the caller (12 ms
 * for a page of 1,000 names of 1,000 characters each). Resolves to the page, which is of one moment if
 * it has at most `rowsAtOnce` rows.
 */
export async function listInTurns(
  list: (query: PlantQuery) => PlantPage,
  query: PlantQuery,
  turns: Turns,
): Promise<PlantPage> {
  const plants: StoredPlant[] = [];
  let length = 0;
  let last: StoredPlant | undefined;
  for (;;) {
    const limit = query.limit <= rowsAtOnce ? query.limit : Math.min(query.limit - plants.length, rowsPerTurn);
    const part = { ...query, after: last?.id ?? query.after, limit };
    const { plants: found } = last === undefined ? list(part) : await turns.take(() => list(part));
    plants.push(...found);
    last = found.at(-1);
    if (last === undefined || found.length < limit || plants.length === query.limit) break;
    for (const plant of found) length += textLengthOf(plant);
    if (length - textLengthOf(last) > pageLengthMax) break;
  }
  return { plants, next: undefined };
}
