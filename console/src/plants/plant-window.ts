/**
 * A window on a list of any length: the rows around the visible ones, and where in the list they are. Far from what was read, that place is
 * an estimate, which is corrected when the rows reach an end of the list. Does not render anything.
 *
 * Each row has a number, which stays the same when its place is corrected: then the list begins at another number.
 */
import type { StoredPlant } from '../../../src/client/client.ts';
import { type HeldRows, type ListRange, type ListSource, nearRows, type Read, RowReader } from './row-reader.ts';

/** Rows of a list of which nothing is known yet. */
export const skeletonRows = 40;
/** Rows before and after the visible ones that are kept in memory. */
const keptRows = 1_000;
/** Distance from the rows in memory at which the next ones are read. */
const readAheadRows = 120;

export class PlantWindow {
  /** The error of the last read, if it failed. */
  error: unknown;
  /** The number of a row that is to be made visible. */
  revealed: number | undefined;
  readonly #source: ListSource;
  readonly #reader: RowReader;
  readonly #onChange: () => void;
  #held: HeldRows = { at: 0, rows: [], low: undefined, high: undefined };
  #range: ListRange = { first: 0, end: skeletonRows };
  /** Rows of the list, as they were counted; undefined: unknown. */
  #count: number | undefined;
  #isStarted = false;
  #isOld = false;
  #reading: AbortController | undefined;
  #visible = { first: 0, last: 0 };

  constructor(source: ListSource, onChange: () => void) {
    this.#source = source;
    this.#reader = new RowReader(source);
    this.#onChange = onChange;
  }

  /** The number of the first row of the list. */
  get first(): number {
    return this.#range.first;
  }

  /** The number of the first visible row, with a fraction. */
  get top(): number {
    return this.#visible.first;
  }

  /** Rows that can be scrolled to. */
  get rowCount(): number {
    return this.#range.end - this.#range.first;
  }

  /** True once the first page is loaded. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** True when all rows are in memory. */
  get isWhole(): boolean {
    return this.#isStarted && !this.#isOld && this.#held.low === undefined && this.#held.high === undefined;
  }

  /** True while rows are being read. */
  get isLoading(): boolean {
    return this.#reading !== undefined;
  }

  /** Undefined: not loaded. */
  row(number: number): StoredPlant | undefined {
    return this.#held.rows[number - this.#held.at];
  }

  /** Those in memory, both ends included. */
  rowsBetween(first: number, last: number): readonly StoredPlant[] {
    const { at, rows } = this.#held;
    return rows.slice(Math.max(0, first - at), Math.max(0, last + 1 - at));
  }

  /** The number of the plant, if it is in memory. */
  numberOf(id: bigint): number | undefined {
    const at = this.#held.rows.findIndex((plant) => plant.id === id);
    return at < 0 ? undefined : this.#held.at + at;
  }

  /** Call when these rows are visible: reads what is missing, and ahead. Numbers may have a fraction. */
  look(first: number, last: number): void {
    if (this.revealed !== undefined && (this.revealed < first || this.revealed > last)) return;
    this.revealed = undefined;
    this.#visible = { first, last };
    if (this.isLoading || this.error !== undefined) return;
    this.#dropFarRows();
    const read = this.#isStarted ? this.#findMissing(first, last) : this.#reader.start(this.#range);
    if (read !== undefined) void this.#load(read);
  }

  /** Has the number of this plant of the list in `revealed`, once the rows around it are read. */
  reveal({ id }: StoredPlant): void {
    const isKnown = this.isWhole || this.numberOf(id) !== undefined;
    void this.#reveal(isKnown ? undefined : this.#reader.near(id, this.#range), () => this.numberOf(id));
  }

  /** As `reveal`, of the first or the last row. */
  revealEnd(place: 'start' | 'end'): void {
    const isStart = place === 'start';
    const isKnown = this.#isStarted && this.#held[isStart ? 'low' : 'high'] === undefined;
    const read = this.#reader[place](this.#range);
    void this.#reveal(isKnown ? undefined : read, () => (isStart ? this.#range.first : this.#range.end - 1));
  }

  /** Says how many rows the list has; undefined: unknown. */
  setCount(count: number | undefined): void {
    if (count === this.#count) return;
    this.#count = count;
    this.#settle();
    this.#onChange();
  }

  /** Clears the error, so that reading continues. */
  retry(): void {
    this.error = undefined;
    this.#onChange();
  }

  /** Call when any plants may have changed: reads the rows again, in their places. */
  refresh(): void {
    this.close();
    this.#isOld = true;
    this.retry();
  }

  replace(plant: StoredPlant): void {
    const number = this.numberOf(plant.id);
    if (number !== undefined) this.#splice(number, 1, plant);
    this.#onChange();
  }

  remove(id: bigint): void {
    const number = this.numberOf(id);
    if (number !== undefined) this.#splice(number, 1);
    this.#onChange();
  }

  /** Inserts or replaces the plant, if its place is among the rows in memory; otherwise it comes with its page. */
  insert(plant: StoredPlant): void {
    const number = this.placeOf(plant);
    if (this.numberOf(plant.id) !== undefined) this.replace(plant);
    else if (number !== undefined) {
      this.#splice(number, 0, plant);
      this.#onChange();
    }
  }

  /** The number that a new plant would get. Undefined if that is not among the rows in memory. */
  placeOf(plant: StoredPlant): number | undefined {
    const { at, rows, low, high } = this.#held;
    const { compare, direction = 1n } = this.#source;
    const isBefore = low !== undefined && (plant.id - low) * direction <= 0n;
    const isBehind = high !== undefined && (plant.id - high) * direction > 0n;
    if (!this.#isStarted || isBefore || isBehind) return undefined;
    const next = rows.findIndex((row) => compare(row, plant) > 0);
    return at + (next < 0 ? rows.length : next);
  }

  /** Whether a row that is inserted at this number moves no visible row. */
  isBelowVisible(number: number): boolean {
    return number > this.#visible.last || number >= this.#range.end;
  }

  /** Aborts the read. */
  close(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  #splice(number: number, removed: number, ...added: readonly StoredPlant[]): void {
    const { at, rows } = this.#held;
    this.#held = { ...this.#held, rows: rows.toSpliced(number - at, removed, ...added) };
    if (this.#count !== undefined) this.#count += added.length - removed;
    this.#range = { ...this.#range, end: this.#range.end + added.length - removed };
    this.#settle();
  }

  async #reveal(read: Read | undefined, toNumber: () => number | undefined): Promise<void> {
    if (read !== undefined) {
      this.close();
      this.error = undefined;
      await this.#load(read);
    }
    if (this.isLoading) return;
    this.revealed = toNumber();
    this.#onChange();
  }

  /** One read at a time. */
  async #load(read: Read): Promise<void> {
    const controller = (this.#reading = new AbortController());
    try {
      const toHeld = await read(controller.signal);
      if (controller.signal.aborted) return;
      this.#held = toHeld(this.#held);
      this.#isStarted = true;
      this.#isOld = false;
      this.#settle();
    } catch (error) {
      if (controller.signal.aborted) return;
      this.error = error;
    }
    this.#reading = undefined;
    this.#onChange();
  }

  /** Undefined: nothing is missing. */
  #findMissing(first: number, last: number): Read | undefined {
    const { at, rows, low, high } = this.#held;
    const end = at + rows.length;
    if (this.#isOld) return this.#reader.again(this.#held, Math.floor(first) - readAheadRows);
    if ((low !== undefined && last < at - nearRows) || (high !== undefined && first >= end + nearRows))
      return this.#reader.at(Math.floor(first), this.#range);
    if (high !== undefined && last >= end - readAheadRows && first >= at) return this.#reader.after(high);
    return low !== undefined && first < at + readAheadRows ? this.#reader.before(low) : undefined;
  }

  /** Places are exact from the start if that was reached, otherwise from the end and the count. */
  #settle(): void {
    if (!this.#isStarted) return;
    const { at, rows, low, high } = this.#held;
    const [end, count] = [at + rows.length, this.#count];
    const isCounted = count !== undefined;
    const first =
      low === undefined ? at : Math.min(at, high === undefined && isCounted ? end - count : this.#range.first);
    this.#range = { first, end: high === undefined ? end : Math.max(end, isCounted ? first + count : this.#range.end) };
  }

  #dropFarRows(): void {
    const { at, rows, low, high } = this.#held;
    const from = Math.max(0, Math.floor(this.#visible.first) - keptRows - at);
    const to = Math.ceil(this.#visible.last) + keptRows - at;
    if (this.#source.direction === undefined || from >= rows.length || to <= 0) return;
    if (from === 0 && to >= rows.length) return;
    this.#held = {
      at: at + from,
      rows: rows.slice(from, to),
      low: rows[from - 1]?.id ?? low,
      high: to < rows.length ? rows[to - 1]?.id : high,
    };
  }
}
