/** What writes change in order, in memory. The caller locks and writes the rows. */
import { areEqual } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import { decideWrite, type PlantChange, type PlantRows } from '../../decide-write.ts';
import type { Origin, PlantWrite, Refusal, Result } from '../../write.ts';

/** `inserted`, `updated` and `deleted` ascend by id. */
export interface RowChanges {
  readonly inserted: readonly StoredPlant[];
  readonly updated: readonly StoredPlant[];
  readonly deleted: readonly bigint[];
  /** Each change that a write makes, in order: changes of a plant are not combined. */
  readonly logged: readonly PlantChange[];
  /** By how many plants the store grows. */
  readonly total: number;
  /** By how many plants each tag grows, if its count changes. */
  readonly byTag: ReadonlyMap<string, number>;
}

export class RowsInMemory implements PlantRows {
  readonly #before: ReadonlyMap<bigint, StoredPlant>;
  /** The last change of each plant. */
  readonly #last = new Map<bigint, PlantChange>();
  readonly #logged: PlantChange[] = [];

  /** @param stored the plants among all ids that will be named. */
  constructor(stored: ReadonlyMap<bigint, StoredPlant>) {
    this.#before = stored;
  }

  apply(write: PlantWrite): Result<PlantWrite> | Refusal {
    return decideWrite(write, this);
  }

  /** What all writes together change. */
  toRowChanges(): RowChanges {
    const inserted: StoredPlant[] = [];
    const updated: StoredPlant[] = [];
    const deleted: bigint[] = [];
    const byTag = new Map<string, number>();
    const count = (tag: string | undefined, change: number): void => {
      if (tag !== undefined) byTag.set(tag, (byTag.get(tag) ?? 0) + change);
    };
    for (const [id, last] of [...this.#last].sort(byId)) {
      const before = this.#before.get(id);
      if (last.after === undefined) {
        // Created and deleted: the row is written all the same. It orders these changes among those of
        // other transactions.
        if (before === undefined) inserted.push(last.before);
        deleted.push(id);
      } else if (before === undefined) inserted.push(last.after);
      else if (!areEqual(before, last.after)) updated.push(last.after);
      count(before?.tag, -1);
      count(last.after?.tag, 1);
    }
    for (const [tag, change] of byTag) if (change === 0) byTag.delete(tag);
    return { inserted, updated, deleted, logged: this.#logged, total: inserted.length - deleted.length, byTag };
  }

  find(id: bigint): StoredPlant | undefined {
    const last = this.#last.get(id);
    return last === undefined ? this.#before.get(id) : last.after;
  }

  insert(plant: StoredPlant, origin: Origin): boolean {
    if (this.find(plant.id) !== undefined) return false;
    this.#set({ id: plant.id, after: plant, origin });
    return true;
  }

  replace(before: StoredPlant, after: StoredPlant, origin: Origin): void {
    this.#set({ id: after.id, before, after, origin });
  }

  remove(before: StoredPlant, origin: Origin): void {
    this.#set({ id: before.id, before, origin });
  }

  #set(change: PlantChange): void {
    this.#last.set(change.id, change);
    this.#logged.push(change);
  }
}

function byId([one]: readonly [bigint, unknown], [other]: readonly [bigint, unknown]): number {
  return one < other ? -1 : 1;
}
