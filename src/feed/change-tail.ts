/** The newest changes in memory, for all followers of a log: all after one position. */
import { type Change, type ChangePage, type ChangeFilter, isWanted } from '../domain/change-log.ts';

export class ChangeTail {
  readonly #max: number;
  #from: string;
  #changes: readonly Change[] = [];
  #next: string;

  /**
   * @param position begins there, empty.
   * @param max number of changes to keep.
   */
  constructor(position: string, max: number) {
    this.#from = position;
    this.#next = position;
    this.#max = max;
  }

  /** The position of the newest change. */
  get next(): string {
    return this.#next;
  }

  add({ changes, next }: ChangePage): void {
    const all = [...this.#changes, ...changes];
    this.#from = all.at(-this.#max - 1)?.position ?? this.#from;
    this.#changes = all.slice(-this.#max);
    this.#next = next;
  }

  /** Returns undefined if it does not hold all changes after the position. */
  find(after: string, filter: ChangeFilter, limit: number): ChangePage | undefined {
    if (after === this.#next) return { changes: [], next: after, hasMore: false };
    const last = this.#changes.findLastIndex(({ position }) => position === after);
    if (last === -1 && after !== this.#from) return undefined;
    const found = this.#changes.slice(last + 1).filter((change) => isWanted(change, filter));
    const changes = found.slice(0, limit);
    const hasMore = found.length > limit;
    return { changes, next: (hasMore ? changes.at(-1)?.position : undefined) ?? this.#next, hasMore };
  }
}
