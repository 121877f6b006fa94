/** SQL that writes plants and their counts, on one connection, inside a transaction of the caller. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { plantFields } from '../../../domain/plant.ts';
import { decideWrite, type PlantRows } from '../../decide-write.ts';
import type { PlantWrite, Refusal, Result } from '../../write.ts';
import { ChangeWrites } from './change-writes.ts';
import { prepareFind } from './plant-reads.ts';
import { SearchIndex } from './search-index.ts';
import { plantColumns, toFieldValues } from './values.ts';

export interface PlantWrites {
  /** Returns the result, or the refusal of this write alone. */
  readonly apply: (write: PlantWrite) => Result<PlantWrite> | Refusal;
  /** Writes the data derived from plants. Call before the commit. */
  readonly finish: () => void;
  /** Call after a rollback. */
  readonly reset: () => void;
}

export function preparePlantWrites(db: DatabaseSync): PlantWrites {
  const counts = new PlantCounts(db);
  const index = new SearchIndex(db);
  const changes = new ChangeWrites(db);
  const rows = prepareRowWrites(db, counts, index, changes);
  return {
    apply: (write) => decideWrite(write, rows),
    finish: () => {
      changes.flush();
      counts.flush();
      index.flush();
    },
    reset: () => {
      changes.reset();
      counts.reset();
      index.reset();
    },
  };
}

/** Writes a plant together with its change, search terms and counts. */
function prepareRowWrites(db: DatabaseSync, counts: PlantCounts, index: SearchIndex, changes: ChangeWrites): PlantRows {
  const marks = '?, '.repeat(plantFields.length);
  const insertPlant = db.prepare(
    `INSERT INTO plants (${plantColumns}, position) VALUES (?, ${marks} ?) ON CONFLICT (id) DO NOTHING`,
  );
  const assignments = plantFields.map((field) => `${field} = ?`).join(', ');
  const updatePlant = db.prepare(`UPDATE plants SET ${assignments}, position = ? WHERE id = ?`);
  const deletePlant = db.prepare('DELETE FROM plants WHERE id = ?');
  return {
    find: prepareFind(db),
    insert: (plant, origin) => {
      const { id, tag } = plant;
      if (insertPlant.run(id, ...toFieldValues(plant), changes.next).changes === 0n) return false;
      changes.insert({ id, after: plant, origin });
      index.record(id, undefined, plant);
      counts.add(tag, 1);
      return true;
    },
    replace: (stored, plant, origin) => {
      const position = changes.next;
      changes.insert({ id: plant.id, before: stored, after: plant, origin });
      updatePlant.run(...toFieldValues(plant), position, plant.id);
      index.record(plant.id, stored, plant);
      counts.add(stored.tag, -1);
      counts.add(plant.tag, 1);
    },
    remove: (stored, origin) => {
      changes.insert({ id: stored.id, before: stored, origin });
      deletePlant.run(stored.id);
      index.record(stored.id, stored, undefined);
      counts.add(stored.tag, -1);
    },
  };
}

/** Numbers of plants, in total and by tag: collected, and written before the commit. */
class PlantCounts {
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
