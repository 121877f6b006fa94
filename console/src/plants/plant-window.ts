/**
 * A window on a list of any length: the addresses of all pages so far, and the rows of those near the visible ones.
 * Does not render anything.
 */
import type { Page, StoredPlant } from '../../../src/client/client.ts';

/** Reads the first page, or the page at an address from an earlier page. */
export type ReadPage = (address: string | undefined, signal: AbortSignal) => Promise<Page<StoredPlant>>;

interface KnownPage {
  /** Undefined: the first page of the list. */
  address: string | undefined;
  length: number;
  /** Undefined when far from what is visible; read again when visible. */
  rows: StoredPlant[] | undefined;
  /** To be read again when visible; shown until then. */
  isOld: boolean;
}

/** Pages before and after the visible ones whose rows are kept in memory. */
const keptPages = 5;
/** 1,000 pages of 200 rows stay below the maximum height of browsers. */
const pagesMax = 1_000;
/** Distance from the known end at which the next page is read, in rows. */
const readAheadRows = 120;

export class PlantWindow {
  readonly #read: ReadPage;
  readonly #onChange: () => void;
  readonly #pages: KnownPage[] = [];
  #next: string | undefined;
  #reading: AbortController | undefined;
  #visible = { firstPage: 0, lastPage: 0, lastRow: 0 };
  #error: unknown;

  constructor(read: ReadPage, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  /** Rows that can be scrolled to. */
  get rowCount(): number {
    return this.#pages.reduce((sum, { length }) => sum + length, 0);
  }

  /** True once the first page is loaded. */
  get isStarted(): boolean {
    return this.#pages.length > 0;
  }

  /** True when no row follows the known ones. */
  get isWhole(): boolean {
    return this.isStarted && this.#next === undefined && !this.#pages.some(({ isOld }) => isOld);
  }

  /** True when rows follow the known ones, and are not read: the list is too long. */
  get isCut(): boolean {
    return this.#next !== undefined && this.#pages.length >= pagesMax;
  }

  /** The error of the last read, if it failed. */
  get error(): unknown {
    return this.#error;
  }

  /** True while rows are being read. */
  get isLoading(): boolean {
    return this.#reading !== undefined;
  }

  /** Rows in memory. */
  get heldRows(): number {
    return this.#pages.reduce((sum, { rows = [] }) => sum + rows.length, 0);
  }

  /** Undefined: not loaded. */
  row(index: number): StoredPlant | undefined {
    let start = 0;
    for (const { length, rows } of this.#pages) {
      if (index < start + length) return rows?.[index - start];
      start += length;
    }
    return undefined;
  }

  /** Index of the plant among the rows in memory, or -1. */
  indexOf(id: bigint): number {
    const found = this.#find(id);
    return found === undefined ? -1 : found.start + found.at;
  }

  /** Call when these rows are visible: reads what is missing, and the next page when the end is near. */
  look(first: number, last: number): void {
    let start = 0;
    let missing: number | undefined;
    const seen: number[] = [];
    for (const [at, { length, rows, isOld }] of this.#pages.entries()) {
      // Also a page whose plants were all deleted.
      if (first < start + Math.max(1, length) && last >= start) {
        seen.push(at);
        if (rows === undefined || isOld) missing ??= at;
      }
      start += length;
    }
    this.#visible = { firstPage: seen[0] ?? 0, lastPage: seen.at(-1) ?? 0, lastRow: last };
    const hasMore = !this.isStarted || (this.#next !== undefined && !this.isCut);
    if (missing !== undefined) void this.#load(missing);
    else if (hasMore && last >= start - readAheadRows) void this.#load(this.#pages.length);
  }

  /** Clears the error, so that reading continues. */
  retry(): void {
    this.#error = undefined;
    this.#onChange();
  }

  /** Call when any plants may have changed: reads all rows again as they are visible, in their places. */
  refresh(): void {
    this.close();
    for (const page of this.#pages) page.isOld = true;
    this.retry();
  }

  replace(plant: StoredPlant): void {
    const found = this.#find(plant.id);
    if (found !== undefined) found.rows[found.at] = plant;
    this.#onChange();
  }

  remove(id: bigint): void {
    const found = this.#find(id);
    if (found !== undefined) {
      found.rows.splice(found.at, 1);
      found.page.length--;
    }
    this.#onChange();
  }

  /** Inserts or replaces the plant, if its place is among the rows in memory; otherwise it comes with its page. */
  insert(plant: StoredPlant): void {
    const page = this.#pageFor(plant.id);
    if (this.#find(plant.id) !== undefined) this.replace(plant);
    else if (page?.rows !== undefined) {
      page.rows.splice(toPlace(page.rows, plant.id), 0, plant);
      page.length++;
      this.#onChange();
    }
  }

  /** The index that a new plant would get. Undefined if that is not among the rows in memory. */
  placeOf(id: bigint): number | undefined {
    const page = this.#pageFor(id);
    if (page?.rows === undefined) return undefined;
    const before = this.#pages.slice(0, this.#pages.indexOf(page));
    return before.reduce((sum, { length }) => sum + length, 0) + toPlace(page.rows, id);
  }

  /** Whether a row that is inserted at this index moves no visible row. */
  isBelowVisible(index: number): boolean {
    return index > this.#visible.lastRow || index >= this.rowCount;
  }

  /** Aborts the read. */
  close(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  #find(id: bigint) {
    let start = 0;
    for (const page of this.#pages) {
      const { rows } = page;
      const at = rows?.findIndex((plant) => plant.id === id) ?? -1;
      if (rows !== undefined && at >= 0) return { page, rows, start, at };
      start += page.length;
    }
    return undefined;
  }

  /** The page that a plant belongs to, if it is known. */
  #pageFor(id: bigint): KnownPage | undefined {
    const at = this.#pages.findIndex(({ rows }) => (rows?.at(-1)?.id ?? id) > id);
    const page = this.#pages[at];
    if (page === undefined) return this.isWhole ? this.#pages.at(-1) : undefined;
    // Before its first row, only if the page before is known to end there.
    const isPlace = at === 0 || (page.rows?.[0]?.id ?? id) < id || this.#pages[at - 1]?.rows !== undefined;
    return isPlace ? page : undefined;
  }

  /** Reads a known page again, or the one after them. One read at a time. */
  async #load(at: number): Promise<void> {
    if (this.isLoading || this.#error !== undefined) return;
    const controller = (this.#reading = new AbortController());
    const address = at < this.#pages.length ? this.#pages[at]?.address : this.#next;
    try {
      const { items, next } = await this.#read(address, controller.signal);
      if (controller.signal.aborted) return;
      this.#pages[at] = { address, length: items.length, rows: [...items], isOld: false };
      this.#link(at, next);
      this.#dropFarRows();
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#error = error;
    }
    this.#reading = undefined;
    this.#onChange();
  }

  /** Plants may have come or gone: then what follows the page begins elsewhere, and is read again when it is visible. */
  #link(at: number, next: string | undefined): void {
    const after = this.#pages[at + 1];
    if (after === undefined || next === undefined) {
      this.#pages.splice(at + 1);
      this.#next = next;
    } else if (after.address !== next) {
      after.address = next;
      after.rows = undefined;
    }
  }

  #dropFarRows(): void {
    const { firstPage, lastPage } = this.#visible;
    for (const [at, page] of this.#pages.entries())
      if (at < firstPage - keptPages || at > lastPage + keptPages) page.rows = undefined;
  }
}

/** Where the id belongs among the rows, which are sorted. */
function toPlace(rows: readonly StoredPlant[], id: bigint): number {
  const at = rows.findIndex((row) => row.id > id);
  return at < 0 ? rows.length : at;
}
