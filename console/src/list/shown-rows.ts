/**
 * The rows on the screen, and what waits. What this page did is shown at once; what others did, at once where no visible row moves, otherwise
 * when the person asks for it. Does not render anything.
 */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { compares, matches, merge, type Row } from '../copy/order.ts';
import type { CopyChange, CopyState } from '../copy/copy-ports.ts';
import type { ListOrder } from '../route.ts';

/** How long a changed row is highlighted, in milliseconds; as the animation in plants.css. */
const flashMs = 1_600;

/** The copy of the plants, of which nothing else is known here. */
interface Source {
  readonly state: Pick<CopyState, 'rows' | 'query'>;
}

export class ShownRows {
  /** In their places; `plantOf` says what each is by now. */
  rows: readonly Row[] = [];
  /** Rows by which the first visible one has moved, until the grid has followed. */
  shift = 0;
  filter: PlantFilter = {};
  order: ListOrder = 'id';
  #only: ReadonlySet<bigint> | undefined;
  readonly #copy: Source;
  readonly #onChange: () => void;
  /** All rows of the copy, in order. */
  #sorted: readonly Row[] = [];
  /** Those of the filter. */
  #next: readonly Row[] = [];
  /** What others changed and may wait. */
  readonly #touched = new Set<bigint>();
  readonly #flashing = new Set<bigint>();
  readonly #indexes = new WeakMap<readonly Row[], ReadonlyMap<bigint, number>>();
  #visible = { first: 0, last: 0 };

  constructor(copy: Source, onChange: () => void) {
    this.#copy = copy;
    this.#onChange = onChange;
  }

  /** Call with the numbers of the rows that are visible, which may have a fraction. */
  look(first: number, last: number): void {
    this.#visible = { first, last };
  }

  /** Shows another filter or order, from its top. @param only of the filter, these alone. */
  show(filter: PlantFilter, order: ListOrder, only?: ReadonlySet<bigint>): void {
    const isSorted = order === this.order && this.#sorted.length > 0;
    this.filter = filter;
    this.order = order;
    this.#only = only;
    if (!isSorted) this.#sort();
    this.#next = this.#sorted.filter(this.#isWanted());
    this.#visible = { first: 0, last: 0 };
    this.#show(this.#next, false);
    this.shift = 0;
  }

  take({ ids, news }: CopyChange): void {
    if (ids === undefined) {
      this.#sort();
      this.#next = this.#sorted.filter(this.#isWanted());
      // Pages of a load come in the order of the service: at the top, the list stays at its top.
      this.#show(this.#next, false);
    } else {
      const compare = compares[this.order];
      const fresh = [...ids].flatMap((id) => this.#copy.state.rows.get(id) ?? []).sort(compare);
      const isKept = ({ id }: Row): boolean => !ids.has(id);
      this.#sorted = merge(this.#sorted.filter(isKept), fresh, compare);
      const wanted = fresh.filter(this.#isWanted());
      this.#next = merge(this.#next.filter(isKept), wanted, compare);
      for (const id of news) {
        this.#touched.add(id);
        if (this.#copy.state.rows.has(id)) this.#flash(id);
      }
      const isOfOthers = ({ id }: Row): boolean => !ids.has(id) || news.has(id);
      const ownRows = wanted.filter((row) => !isOfOthers(row));
      const rows = this.#isStill(this.#next, isOfOthers)
        ? this.#next
        : merge(this.rows.filter(isOfOthers), ownRows, compare);
      this.#show(rows, this.#isStill(rows));
    }
    this.#onChange();
  }

  /** Shows what waits. */
  showAll(): void {
    this.#show(this.#next, false);
    this.#onChange();
  }

  /** @param isStill no visible row moves, also at the top of the list. */
  #show(rows: readonly Row[], isStill: boolean): void {
    const { first, last } = this.#visible;
    // While a part of the first row is visible, the person sees what comes before it.
    const staysAtTop = first < 1 && !isStill;
    const anchor = staysAtTop ? undefined : this.rows[Math.floor(first)];
    const after = anchor && this.#index(rows).get(anchor.id);
    const shift = after === undefined ? 0 : after - Math.floor(first);
    this.shift += shift;
    this.#visible = { first: first + shift, last: last + shift };
    this.rows = rows;
    if (rows === this.#next) this.#touched.clear();
  }

  /** Number of plants in the list. */
  get size(): number {
    return this.#next.length;
  }

  /** How many of these plants have a row in the visible part of the list. */
  countSeen(plants: { readonly has: (id: bigint) => boolean }): number {
    const { first, last } = this.#visible;
    return this.rows.slice(Math.max(0, Math.floor(first)), Math.ceil(last)).filter(({ id }) => plants.has(id)).length;
  }

  /** Of all plants in the list. */
  ids(): readonly bigint[] {
    return this.#next.map(({ id }) => id);
  }

  plants(): readonly StoredPlant[] {
    return this.#next.map(({ plant }) => plant);
  }

  /** How many plants wait to enter, to leave or to move. */
  get waiting(): number {
    if (this.rows === this.#next) return 0;
    const [shown, next] = [this.#index(this.rows), this.#index(this.#next)];
    const compare = compares[this.order];
    return [...this.#touched].filter((id) => {
      const [before, after] = [this.rows[shown.get(id) ?? -1], this.#next[next.get(id) ?? -1]];
      return before === undefined || after === undefined ? before !== after : compare(before, after) !== 0;
    }).length;
  }

  /** The plant as it is now; if it is deleted, as it was. */
  plantOf({ id, plant }: Row): StoredPlant {
    return this.#copy.state.rows.get(id)?.plant ?? plant;
  }

  /** Deleted, and waits to leave. */
  isGone(id: bigint): boolean {
    return !this.#copy.state.rows.has(id);
  }

  isFlashing(id: bigint): boolean {
    return this.#flashing.has(id);
  }

  /** Whether the plant is in the list, also if it waits to enter. */
  has(id: bigint): boolean {
    return this.#index(this.#next).has(id);
  }

  /** The number of the row of the plant, if it is shown. */
  indexOf(id: bigint): number | undefined {
    return this.#index(this.rows).get(id);
  }

  #sort(): void {
    this.#sorted = [...this.#copy.state.rows.values()].sort(compares[this.order]);
  }

  /** The copy may have the plants of the filter alone, as the service has found them. */
  #isWanted(): (row: Row) => boolean {
    const { filter } = this;
    const only = this.#only;
    const isAll = JSON.stringify(this.#copy.state.query.filter) === JSON.stringify(filter);
    const isFound = isAll ? () => true : matches(filter);
    return only === undefined ? isFound : (row) => only.has(row.id) && isFound(row);
  }

  /** Whether the visible rows would stay where they are. @param isCounted the rows that matter. */
  #isStill(next: readonly Row[], isCounted = (_: Row) => true): boolean {
    const first = Math.max(0, Math.floor(this.#visible.first));
    const seen = this.rows.slice(first, Math.ceil(this.#visible.last) + 1).filter(isCounted);
    const rows = next.filter(isCounted);
    const start = rows.findIndex(({ id }) => id === seen[0]?.id);
    return seen.every(({ id }, at) => rows[start + at]?.id === id);
  }

  #index(rows: readonly Row[]): ReadonlyMap<bigint, number> {
    const known = this.#indexes.get(rows) ?? new Map(rows.map(({ id }, at) => [id, at]));
    this.#indexes.set(rows, known);
    return known;
  }

  #flash(id: bigint): void {
    this.#flashing.add(id);
    setTimeout(() => {
      this.#flashing.delete(id);
      this.#onChange();
    }, flashMs);
  }
}
