/** A queue with several takers. Items that share a key are taken in order, one taker at a time. */

export interface Keyed {
  /** Empty: it may be taken beside everything else. */
  readonly keys: readonly (bigint | string)[];
  readonly bytes: number;
}

interface Entry<Item> {
  readonly item: Item;
  readonly position: number;
}

export class KeyedQueue<Item extends Keyed> {
  #ready: Entry<Item>[] = [];
  /** Those that name a key that is out, or one of an item held before them. */
  #held: Entry<Item>[] = [];
  readonly #keysOut = new Set<bigint | string>();
  readonly #keysHeld = new Set<bigint | string>();
  #position = 0;

  /** How many can be taken now. */
  get length(): number {
    return this.#ready.length;
  }

  /** The first that can be taken. */
  get first(): Item | undefined {
    return this.#ready[0]?.item;
  }

  add(item: Item): void {
    this.#place({ item, position: (this.#position += 1) });
  }

  /** Takes the first items up to both bounds, at least one. Their keys are held until `release`. */
  take(countMax: number, bytesMax: number): readonly Item[] {
    let count = 0;
    let bytes = 0;
    for (const { item } of this.#ready) {
      bytes += item.bytes;
      if (count === countMax || (count > 0 && bytes > bytesMax)) break;
      count += 1;
    }
    const taken = this.#ready.splice(0, count).map(({ item }) => item);
    if (this.#mark(taken, (key) => this.#keysOut.add(key))) this.#placeAgain();
    return taken;
  }

  /** Takes everything that is not out, in order. */
  takeAll(): readonly Item[] {
    return this.#drain().map(({ item }) => item);
  }

  release(items: readonly Item[]): void {
    if (this.#mark(items, (key) => this.#keysOut.delete(key))) this.#placeAgain();
  }

  /** Whether there was any key. */
  #mark(items: readonly Item[], mark: (key: bigint | string) => void): boolean {
    let hasKeys = false;
    for (const { keys } of items) {
      keys.forEach(mark);
      hasKeys ||= keys.length > 0;
    }
    return hasKeys;
  }

  #place(entry: Entry<Item>): void {
    const { keys } = entry.item;
    if (!keys.some((key) => this.#keysOut.has(key) || this.#keysHeld.has(key))) {
      this.#ready.push(entry);
      return;
    }
    for (const key of keys) this.#keysHeld.add(key);
    this.#held.push(entry);
  }

  #placeAgain(): void {
    // A held item with several keys may share one with an earlier item that is ready.
    for (const entry of this.#drain()) this.#place(entry);
  }

  /** Empties the queue; returns what was in it, in order. */
  #drain(): readonly Entry<Item>[] {
    const entries = [...this.#held, ...this.#ready].sort((one, other) => one.position - other.position);
    this.#held = [];
    this.#ready = [];
    this.#keysHeld.clear();
    return entries;
  }
}
