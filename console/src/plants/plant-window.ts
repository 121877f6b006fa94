/**
 * A window on a list of any length: the rows near the visible ones, and the addresses of the pages before. Memory is bounded, however far
 * the list is scrolled. Does not render anything.
 */
import type { Page, StoredPlant } from '../../../src/client/client.ts';

/** Reads the first page, or the page at an address from an earlier page. */
export type ReadPage = (address: string | undefined, signal: AbortSignal) => Promise<Page<StoredPlant>>;

interface KnownPage {
  /** Undefined: the first page of the list. */
  address: string | undefined;
  length: number;
  /** Undefined when dropped from memory; read again when visible. */
  rows: StoredPlant[] | undefined;
  usedAt: number;
  /** To be read again when visible; shown until then. */
  isOld?: boolean;
}

/** Pages whose rows are kept in memory. */
const heldPagesMax = 12;
/** Pages whose addresses are kept; beyond that the first half is dropped. 1,000 pages of 200 rows stay below the maximum height of browsers. */
const knownPagesMax = 1_000;
/** Distance from the known end at which the next page is read, in rows. */
const readAheadRows = 120;

export class PlantWindow {
  readonly #read: ReadPage;
  readonly #onChange: () => void;
  #pages: KnownPage[] = [];
  #next: string | undefined;
  #loads = new Map<number, AbortController>();
  #clock = 0;
  #rowsDropped = 0;
  #lastVisible = 0;
  #isStarted = false;
  #error: unknown;

  constructor(read: ReadPage, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  /** Rows that can be scrolled to. */
  get rowCount(): number {
    return this.#pages.reduce((sum, { length }) => sum + length, 0);
  }

  /** Rows before the first of these, dropped. */
  get rowsDropped(): number {
    return this.#rowsDropped;
  }

  /** True once the first page is loaded. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** True when no row follows the known ones. */
  get isWhole(): boolean {
    return this.#isStarted && this.#next === undefined && !this.#pages.some(({ isOld }) => isOld === true);
  }

  /** The error of the last read, if it failed. */
  get error(): unknown {
    return this.#error;
  }

  /** True while rows are being read. */
  get isLoading(): boolean {
    return this.#loads.size > 0;
  }

  /** Rows in memory. */
  get heldRows(): number {
    return this.#pages.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0);
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
    let start = 0;
    for (const { length, rows } of this.#pages) {
      const at = rows?.findIndex((plant) => plant.id === id) ?? -1;
      if (at >= 0) return start + at;
      start += length;
    }
    return -1;
  }

  /** Call when these rows are visible: reads what is missing, and the next page when the end is near. */
  look(first: number, last: number): void {
    this.#clock++;
    this.#lastVisible = last;
    let start = 0;
    for (const [at, page] of this.#pages.entries()) {
      // Also a page whose plants were all deleted.
      if (first < start + Math.max(1, page.length) && last >= start) {
        page.usedAt = this.#clock;
        if (page.rows === undefined || page.isOld === true) void this.#reload(at);
      }
      start += page.length;
    }
    if (!this.#isStarted || (this.#next !== undefined && last >= start - readAheadRows)) void this.#append();
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
    for (const { rows } of this.#pages) {
      const at = rows?.findIndex(({ id }) => id === plant.id) ?? -1;
      if (rows !== undefined && at >= 0) rows[at] = plant;
    }
    this.#onChange();
  }

  remove(id: bigint): void {
    for (const page of this.#pages) {
      const at = page.rows?.findIndex((plant) => plant.id === id) ?? -1;
      if (at < 0) continue;
      page.rows?.splice(at, 1);
      page.length--;
    }
    this.#onChange();
  }

  /** Inserts or replaces the plant, if its place is among the rows in memory; otherwise it comes with its page. */
  insert(plant: StoredPlant): void {
    if (this.indexOf(plant.id) >= 0) {
      this.replace(plant);
      return;
    }
    const page = this.#pageFor(plant.id);
    if (page?.rows === undefined) return;
    page.rows.splice(toPlace(page.rows, plant.id), 0, plant);
    page.length++;
    this.#onChange();
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
    return index > this.#lastVisible || index >= this.rowCount;
  }

  /** Aborts all reads. */
  close(): void {
    for (const controller of this.#loads.values()) controller.abort();
    this.#loads.clear();
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

  async #append(): Promise<void> {
    const address = this.#next;
    await this.#load(-1, address, ({ items, next }) => {
      this.#pages.push({ address, length: items.length, rows: [...items], usedAt: this.#clock });
      this.#next = next;
      this.#isStarted = true;
      this.#dropFarPages();
    });
  }

  async #reload(at: number): Promise<void> {
    const page = this.#pages[at];
    if (page === undefined) return;
    await this.#load(at, page.address, ({ items, next }) => {
      page.rows = [...items];
      page.length = items.length;
      page.isOld = false;
      const after = this.#pages[at + 1];
      if (next === (after === undefined ? this.#next : after.address)) return;
      // Plants came or went: what follows begins elsewhere now, and is read again when it is visible.
      this.close();
      if (after === undefined || next === undefined) {
        this.#pages.splice(at + 1);
        this.#next = next;
      } else {
        after.address = next;
        after.rows = undefined;
      }
    });
  }

  /** One read at a time for each page; `key` -1 is the page after the known ones. */
  async #load(key: number, address: string | undefined, take: (page: Page<StoredPlant>) => void): Promise<void> {
    if (this.#loads.has(key) || this.#error !== undefined) return;
    const controller = new AbortController();
    this.#loads.set(key, controller);
    try {
      const page = await this.#read(address, controller.signal);
      if (controller.signal.aborted) return;
      take(page);
      this.#dropFarRows();
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#error = error;
    } finally {
      if (this.#loads.get(key) === controller) this.#loads.delete(key);
    }
    this.#onChange();
  }

  #dropFarRows(): void {
    const held = this.#pages.filter(({ rows }) => rows !== undefined).sort((one, other) => other.usedAt - one.usedAt);
    for (const page of held.slice(heldPagesMax)) page.rows = undefined;
  }

  #dropFarPages(): void {
    if (this.#pages.length <= knownPagesMax) return;
    const dropped = this.#pages.splice(0, knownPagesMax / 2);
    this.#rowsDropped += dropped.reduce((sum, { length }) => sum + length, 0);
    // Keys of reads in progress are indexes into the list, which is shorter now.
    this.close();
  }
}

/** Where the id belongs among the rows, which are sorted. */
function toPlace(rows: readonly StoredPlant[], id: bigint): number {
  const at = rows.findIndex((row) => row.id > id);
  return at < 0 ? rows.length : at;
}
