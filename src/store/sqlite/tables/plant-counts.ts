/** Numbers of plants, in total and by tag: collected in a batch, written before its commit. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export class PlantCounts {
  readonly #addToTotal: StatementSync;
  readonly #addToTag: StatementSync;
  readonly #dropTag: StatementSync;
  #total = 0;
  readonly #byTag = new Map<string, number>();

  /** @throws Error if the tables are missing. */
  constructor(db: DatabaseSync) {
    this.#addToTotal = db.prepare('UPDATE plant_count SET plants = plants + ?');
    this.#addToTag = db.prepare(
      'INSERT INTO tag_counts (tag, plants) VALUES (?, ?) ON CONFLICT (tag) DO UPDATE SET plants = plants + excluded.plants',
    );
    this.#dropTag = db.prepare('DELETE FROM tag_counts WHERE tag = ? AND plants = 0');
  }

  /** Adds one plant with this tag (1), or removes one (-1). */
  add(tag: string | undefined, change: 1 | -1): void {
    this.#total += change;
    if (tag !== undefined) this.#byTag.set(tag, (this.#byTag.get(tag) ?? 0) + change);
  }

  /** Writes the collected changes. Call before the commit. */
  flush(): void {
    if (this.#total !== 0) this.#addToTotal.run(this.#total);
    for (const [tag, change] of this.#byTag) {
      if (change !== 0) this.#addToTag.run(tag, change);
      if (change < 0) this.#dropTag.run(tag);
    }
    this.reset();
  }

  /** Drops the collected changes. Call after a rollback. */
  reset(): void {
    this.#total = 0;
    this.#byTag.clear();
  }
}
