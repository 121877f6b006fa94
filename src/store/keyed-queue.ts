/**
 * A queue with one or several takers. Items that share a key are taken in order, one taker at a
 * time. Of others, single items are taken in order, before bulk ones; the bulk items of one source
 * are taken in order, and in turns with those of other sources.
 */

export interface Keyed {
  readonly keys: readonly (bigint | string)[];
  readonly bytes: number;
  /** The source and the number of rows of a bulk item; absent for a single item. */
  readonly bulk?: { readonly source: string; readonly rows: number } | undefined;
}

/** What is taken at once: single items by count and bytes, and bulk ones by rows and bytes. */
export interface TakeLimits {
  readonly countMax: number;
  readonly rowsMax: number;
  readonly bytesMax: number;
}

interface Entry<Item> {
  readonly item: Item;
  readonly position: number;
}

export class KeyedQueue<Item extends Keyed> {
  #singles: Entry<Item>[] = [];
  /**
   * The bulk items of each source. The first source is next; after its turn it moves to the end.
   * `#drain` leaves empty lists, so that each source keeps its turn; `#takeBulk` removes them.
   */
  readonly #bulk = new Map<string, Entry<Item>[]>();
  /** Items that wait for a key: it is taken, or a bulk item or an earlier blocked item has it. */
  #blocked: Entry<Item>[] = [];
  readonly #takenKeys = new Set<bigint | string>();
  readonly #bulkKeys = new Set<bigint | string>();
  readonly #blockedKeys = new Set<bigint | string>();
  readonly #isShared: boolean;
  #position = 0;
  #ready = 0;

  /** @param isShared whether it has several takers. */
  constructor(isShared: boolean) {
    this.#isShared = isShared;
  }

  /** How many can be taken now. */
  get length(): number {
    return this.#ready;
  }

  /** The oldest that can be taken. */
  get oldest(): Item | undefined {
    let oldest = this.#singles[0];
    for (const [first] of this.#bulk.values())
      if (first !== undefined && first.position < (oldest?.position ?? Infinity)) oldest = first;
    return oldest?.item;
  }

  add(item: Item): void {
    this.#enqueue({ item, position: (this.#position += 1) });
  }

  /**
   * Takes single items and then bulk ones, at least one of each if there is one: singles never keep a
   * bulk item from its turn. Their keys stay taken until `release`.
   */
  take({ countMax, rowsMax, bytesMax }: TakeLimits): readonly Item[] {
    const bulk = this.#takeBulk(rowsMax, bytesMax);
    const taken = [...this.#takeSingles(countMax, bytesMax), ...bulk];
    this.#ready -= taken.length;
    if (this.#isShared) for (const { keys } of taken) for (const key of keys) this.#takenKeys.add(key);
    for (const { keys } of bulk) for (const key of keys) this.#bulkKeys.delete(key);
    if (this.#isShared || (bulk.length > 0 && this.#blocked.length > 0)) this.#enqueueAgain();
    return taken;
  }

  #takeSingles(countMax: number, bytesMax: number): readonly Item[] {
    let count = 0;
    let bytes = 0;
    for (const { item } of this.#singles) {
      bytes += item.bytes;
      if (count === countMax || (count > 0 && bytes > bytesMax)) break;
      count += 1;
    }
    return this.#singles.splice(0, count).map(({ item }) => item);
  }

  #takeBulk(rowsMax: number, bytesMax: number): readonly Item[] {
    const taken: Item[] = [];
    let rows = 0;
    let bytes = 0;
    // A source that moves to the end comes again in this loop.
    for (const [source, items] of this.#bulk) {
      const [next] = items;
      if (next !== undefined) {
        rows += Math.max(1, next.item.bulk?.rows ?? 1);
        bytes += next.item.bytes;
        if (taken.length > 0 && (rows > rowsMax || bytes > bytesMax)) break;
        taken.push(next.item);
        items.shift();
      }
      this.#bulk.delete(source);
      if (items.length > 0) this.#bulk.set(source, items);
    }
    return taken;
  }

  /** Takes all items that are not taken yet, in order. */
  takeAll(): readonly Item[] {
    return this.#drain().map(({ item }) => item);
  }

  release(items: readonly Item[]): void {
    if (!this.#isShared) return;
    for (const { keys } of items) for (const key of keys) this.#takenKeys.delete(key);
    this.#enqueueAgain();
  }

  #enqueue(entry: Entry<Item>): void {
    const { keys, bulk } = entry.item;
    if ([this.#takenKeys, this.#bulkKeys, this.#blockedKeys].some((set) => isIn(set, keys))) {
      for (const key of keys) this.#blockedKeys.add(key);
      this.#blocked.push(entry);
      return;
    }
    this.#ready += 1;
    if (bulk === undefined) {
      this.#singles.push(entry);
      return;
    }
    for (const key of keys) this.#bulkKeys.add(key);
    const items = this.#bulk.get(bulk.source);
    if (items === undefined) this.#bulk.set(bulk.source, [entry]);
    else items.push(entry);
  }

  #enqueueAgain(): void {
    // A blocked item with several keys may share one with an earlier item that is ready.
    for (const entry of this.#drain()) this.#enqueue(entry);
  }

  /** Empties the queue; returns what was in it, in order. The sources keep their turns. */
  #drain(): readonly Entry<Item>[] {
    const entries = [...this.#blocked, ...this.#singles, ...[...this.#bulk.values()].flat()];
    this.#blocked = [];
    this.#singles = [];
    this.#ready = 0;
    for (const items of this.#bulk.values()) items.length = 0;
    this.#blockedKeys.clear();
    this.#bulkKeys.clear();
    return entries.sort((one, other) => one.position - other.position);
  }
}

function isIn(set: ReadonlySet<bigint | string>, keys: Keyed['keys']): boolean {
  return set.size > 0 && keys.some((key) => set.has(key));
}
