/** Reads rows of a list: from its ends, next to others, or at a place that is estimated. What is done with them is not here. */
import type { StoredPlant } from '../../../src/client/client.ts';
import { IdSpread } from './id-spread.ts';

/** From which row on a page is read, or up to which. There need not be a plant with this id. */
export type PagePlace = 'start' | 'end' | { readonly after: bigint } | { readonly upTo: bigint };

export interface ListPage {
  /** In the order of the list. */
  readonly items: readonly StoredPlant[];
  /** In the direction of reading, no rows follow. */
  readonly isLast: boolean;
}

export interface ListSource {
  /** By id, ascending or descending. Undefined: by something else, and the page at the start has all rows. */
  readonly direction: 1n | -1n | undefined;
  readonly compare: (one: StoredPlant, other: StoredPlant) => number;
  readonly read: (place: PagePlace, signal: AbortSignal) => Promise<ListPage>;
}

/** Rows in memory, without a gap. */
export interface HeldRows {
  /** The number of the first one. */
  readonly at: number;
  readonly rows: readonly StoredPlant[];
  /** All rows after `low` up to `high`; undefined: from the start of the list, or to its end. */
  readonly low: bigint | undefined;
  readonly high: bigint | undefined;
}

/** Numbers: of the first row of the list, and of the one after the last. */
export interface ListRange {
  readonly first: number;
  readonly end: number;
}

/** Resolves to how the rows in memory follow from what they are by then. */
export type Read = (signal: AbortSignal) => Promise<(held: HeldRows) => HeldRows>;

/** Rows up to this distance from a known one are read in turn, so that their place is exact. */
export const nearRows = 600;
/** How often a place is estimated anew with what was read there, and the error at which that ends, as a part of the list. */
const triesMax = 4;
const errorMax = 0.05;

export class RowReader {
  readonly #source: ListSource;
  readonly #direction: 1n | -1n;
  #spread: IdSpread | undefined;

  constructor(source: ListSource) {
    this.#source = source;
    this.#direction = source.direction ?? 1n;
  }

  start({ first }: ListRange): Read {
    return this.#page('start', (page) => ({ at: first, rows: page.items, low: undefined, high: toHigh(page) }));
  }

  end({ end }: ListRange): Read {
    return this.#page('end', (page) => ({
      at: end - page.items.length,
      rows: page.items,
      low: this.#toLow(page),
      high: undefined,
    }));
  }

  /** @param high of the rows in memory. */
  after(high: bigint): Read {
    return this.#page({ after: high }, (page, held) => ({
      ...held,
      rows: [...held.rows, ...page.items],
      high: toHigh(page),
    }));
  }

  /** @param low of the rows in memory. */
  before(low: bigint): Read {
    return this.#page({ upTo: low }, (page, { at, rows, high }) => ({
      at: at - page.items.length,
      rows: [...page.items, ...rows],
      low: this.#toLow(page),
      high,
    }));
  }

  /** Reads the rows in memory again, from this number on. */
  again({ at, rows, low: known }: HeldRows, number: number): Read {
    this.#spread = undefined;
    const skipped = this.#source.direction === undefined ? 0 : Math.max(0, Math.min(number - at, rows.length));
    const low = rows[skipped - 1]?.id ?? known;
    const place = low === undefined ? 'start' : { after: low };
    return this.#page(place, (page) => ({ at: at + skipped, rows: page.items, low, high: toHigh(page) }));
  }

  /** Reads rows where this number is: at an end of the list, or by an estimated id. */
  at(number: number, range: ListRange): Read {
    const [index, count] = [number - range.first, range.end - range.first];
    if (index < nearRows) return this.start(range);
    if (index >= count - nearRows) return this.end(range);
    return async (signal) => {
      const spread = await this.#learnEnds(signal);
      for (let tries = 1; ; tries++) {
        const key = spread.idAt(index, count);
        const [before, after] = await this.#readAround(key, signal);
        spread.add(key, this.#toKeys(before), this.#toKeys(after));
        if (tries === triesMax || Math.abs(spread.indexOf(key, count) - index) < count * errorMax)
          return () => this.#join(number, before, after);
      }
    };
  }

  /** Reads rows around a plant. */
  near(id: bigint, { first, end }: ListRange): Read {
    return async (signal) => {
      const key = id * this.#direction;
      const [spread, [before, after]] = await Promise.all([this.#learnEnds(signal), this.#readAround(key, signal)]);
      return () => this.#join(first + Math.round(spread.indexOf(key, end - first)), before, after);
    };
  }

  #page(place: PagePlace, toRows: (page: ListPage, held: HeldRows) => HeldRows): Read {
    return async (signal) => {
      const page = await this.#source.read(place, signal);
      return (held) => toRows(page, held);
    };
  }

  async #readAround(key: bigint, signal: AbortSignal): Promise<[before: ListPage, after: ListPage]> {
    const id = key * this.#direction;
    const { read } = this.#source;
    return Promise.all([read({ upTo: id }, signal), read({ after: id }, signal)]);
  }

  /** @param number of the row with the id, or of the one before it. */
  #join(number: number, before: ListPage, after: ListPage): HeldRows {
    const rows = [...before.items, ...after.items];
    return { at: number + 1 - before.items.length, rows, low: this.#toLow(before), high: toHigh(after) };
  }

  async #learnEnds(signal: AbortSignal): Promise<IdSpread> {
    if (this.#spread !== undefined) return this.#spread;
    const { read } = this.#source;
    const [start, end] = await Promise.all([read('start', signal), read('end', signal)]);
    return (this.#spread = new IdSpread(this.#toKeys(start), this.#toKeys(end)));
  }

  /** Ids that ascend in the order of the list. */
  #toKeys({ items }: ListPage): readonly bigint[] {
    return items.map(({ id }) => id * this.#direction);
  }

  #toLow({ items, isLast }: ListPage): bigint | undefined {
    const id = items[0]?.id;
    return isLast || id === undefined ? undefined : id - this.#direction;
  }
}

function toHigh({ items, isLast }: ListPage): bigint | undefined {
  return isLast ? undefined : items.at(-1)?.id;
}
