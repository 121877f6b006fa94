/**
 * How the ids of a long list are spread, as far as pages read here and there show: an estimate of which id is at a place, and of where an id
 * is. Ids ascend here.
 */

/** All ids of a part of the list. */
interface Span {
  readonly from: bigint;
  readonly to: bigint;
  readonly rows: number;
  /** Mean distance of ids near its beginning and near its end. */
  readonly steps: readonly [number, number];
}

/** With more, all but the ends are forgotten. */
const spansMax = 64;
/** Distances of ids that differ by less are taken to be equal. */
const growthMin = 2;

export class IdSpread {
  /** In the order of ids. */
  readonly #spans: Span[] = [];

  /** @param start the first ids of the list. @param end its last ones. */
  constructor(start: readonly bigint[], end: readonly bigint[]) {
    for (const ids of [start, end]) this.#insert(this.#spans.length, ids, ids, ids.length);
  }

  /** Learns which ids come up to this one, and which come next. */
  add(id: bigint, before: readonly bigint[], after: readonly bigint[]): void {
    const at = this.#spans.findIndex(({ to }) => to >= id);
    if ((this.#spans[at]?.from ?? id) > id) this.#insert(at, before, after, before.length + after.length);
    if (this.#spans.length > spansMax) this.#spans.splice(1, this.#spans.length - 2);
  }

  #insert(at: number, before: readonly bigint[], after: readonly bigint[], rows: number): void {
    const [from, to] = [before[0], after.at(-1)];
    if (from === undefined || to === undefined) return;
    this.#spans.splice(at, 0, { from, to, rows, steps: [toStep(before), toStep(after)] });
  }

  /** @param total rows of the list. */
  idAt(index: number, total: number): bigint {
    let start = 0;
    for (const { from, to, rows, growth } of this.#parts(total)) {
      const part = (index - start) / rows;
      const way = growth === 1 ? part : (growth ** part - 1) / (growth - 1);
      if (part < 1) return from + BigInt(Math.floor(Number(to - from + 1n) * way));
      start += rows;
    }
    return this.#spans.at(-1)?.to ?? 0n;
  }

  /** @param total as above. */
  indexOf(id: bigint, total: number): number {
    let start = 0;
    for (const { from, to, rows, growth } of this.#parts(total)) {
      const way = id <= from ? 0 : Number(id - from) / Number(to - from + 1n);
      if (id <= to) return start + rows * (growth === 1 ? way : Math.log(1 + way * (growth - 1)) / Math.log(growth));
      start += rows;
    }
    return total;
  }

  /**
   * The spans, and the gaps between them with as many rows as they may have. The distance of ids may differ by powers of ten between the ends
   * of a gap; it is taken to grow evenly with the id.
   */
  #parts(total: number) {
    const gaps = this.#spans.slice(1).map((after, at) => {
      const before = this.#spans[at] ?? after;
      const [from, to] = [before.to + 1n, after.from - 1n];
      const [last, next] = [before.steps[1], after.steps[0]];
      // A page of random ids tells their distance to some percent only.
      const growth = Math.max(next / last, last / next) < growthMin ? 1 : next / last;
      const step = growth === 1 ? (last + next) / 2 : (next - last) / Math.log(growth);
      return { from, to, rows: Math.max(0, Number(to - from + 1n)) / step, growth };
    });
    const guessed = gaps.reduce((sum, { rows }) => sum + rows, 0);
    const left = this.#spans.reduce((rest, { rows }) => rest - rows, total);
    const scale = Math.max(0, left) / Math.max(1, guessed);
    return this.#spans.flatMap(({ from, to, rows }, at) => {
      const [span, gap] = [{ from, to, rows, growth: 1 }, gaps[at]];
      return gap === undefined ? [span] : [span, { ...gap, rows: gap.rows * scale }];
    });
  }
}

function toStep(ids: readonly bigint[]): number {
  const [first = 0n, last = first] = [ids[0], ids.at(-1)];
  return ids.length < 2 ? 1 : Number(last - first) / (ids.length - 1);
}
