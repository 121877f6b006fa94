/** Decides writes in order on the stored plants that they name, in memory. The rows are locked and written by the caller. */
import type { NewPlant, PlantPatch, StoredPlant } from '../../domain/schemas.ts';
import type { Condition, ImportOptions, RowOutcome } from '../../domain/store.ts';
import { applyPatch, areEqual, type PlantChange } from '../plant-content.ts';
import { allows } from '../version-of.ts';
import { type PlantWrite, refuse, type Refusal, type Results } from '../write.ts';

/** Each list in ascending order of ids. */
export interface RowChanges {
  readonly inserted: readonly StoredPlant[];
  readonly updated: readonly StoredPlant[];
  readonly deleted: readonly bigint[];
  /** Each change that a write makes, in their order: those of one plant are not combined. */
  readonly logged: readonly PlantChange[];
  /** By how many plants the store grows. */
  readonly total: number;
  /** The same for each tag whose count changes. */
  readonly byTag: ReadonlyMap<string, number>;
}

export class PlantChanges {
  readonly #before: ReadonlyMap<bigint, StoredPlant>;
  readonly #now = new Map<bigint, StoredPlant | undefined>();
  readonly #logged: PlantChange[] = [];
  #by: string | undefined;

  /** @param stored the plants among all ids that will be named. */
  constructor(stored: ReadonlyMap<bigint, StoredPlant>) {
    this.#before = stored;
  }

  apply(write: PlantWrite): Results[PlantWrite['kind']] | Refusal {
    this.#by = write.by;
    switch (write.kind) {
      case 'create':
        return this.#create(write.plant);
      case 'put':
        return this.#put(write.plant, write.condition);
      case 'patch':
        return this.#patch(write.id, write.patch, write.condition);
      case 'delete':
        return this.#delete(write.id, write.condition);
      case 'import':
        return write.rows.map((row) => this.#importRow(row, write.options));
    }
  }

  /** What all writes together change. */
  toRowChanges(): RowChanges {
    const inserted: StoredPlant[] = [];
    const updated: StoredPlant[] = [];
    const deleted: bigint[] = [];
    const byTag = new Map<string, number>();
    /** What each plant was before the last change. */
    const lastBefore = new Map(this.#logged.map(({ id, before }) => [id, before]));
    const count = (tag: string | undefined, change: number): void => {
      if (tag !== undefined) byTag.set(tag, (byTag.get(tag) ?? 0) + change);
    };
    for (const [id, now] of [...this.#now].sort(byId)) {
      const before = this.#before.get(id);
      if (before === undefined && now === undefined) {
        // Created and deleted: only a row that is written holds the place of its changes among those of other instances.
        const passing = lastBefore.get(id);
        if (passing !== undefined) inserted.push(passing);
        deleted.push(id);
        continue;
      }
      if (before === undefined && now !== undefined) inserted.push(now);
      else if (now === undefined) deleted.push(id);
      else if (before !== undefined && !areEqual(before, now)) updated.push(now);
      count(before?.tag, -1);
      count(now?.tag, 1);
    }
    for (const [tag, change] of byTag) if (change === 0) byTag.delete(tag);
    return { inserted, updated, deleted, logged: this.#logged, total: inserted.length - deleted.length, byTag };
  }

  #find(id: bigint): StoredPlant | undefined {
    return this.#now.has(id) ? this.#now.get(id) : this.#before.get(id);
  }

  #set(id: bigint, after: StoredPlant | undefined): void {
    const before = this.#find(id);
    if (before !== undefined && after !== undefined && areEqual(before, after)) return;
    this.#now.set(id, after);
    this.#logged.push({ id, before, after, by: this.#by });
  }

  #create(plant: NewPlant): Results['create'] | Refusal {
    const stored = this.#find(plant.id);
    if (stored !== undefined) return areEqual(stored, plant) ? 'replayed' : refuse('plant_id_taken');
    this.#set(plant.id, plant);
    return 'created';
  }

  #put(plant: NewPlant, condition: Condition): Results['put'] | Refusal {
    const stored = this.#find(plant.id);
    if (!allows(condition, stored)) return refuse('precondition_failed');
    this.#set(plant.id, plant);
    if (stored === undefined) return 'created';
    return areEqual(stored, plant) ? 'unchanged' : 'replaced';
  }

  #patch(id: bigint, patch: PlantPatch, condition: Condition): Results['patch'] | Refusal {
    const stored = this.#find(id);
    if (stored === undefined) return refuse('plant_unknown');
    if (!allows(condition, stored)) return refuse('precondition_failed');
    const patched = applyPatch(stored, patch);
    this.#set(id, patched);
    return patched;
  }

  #delete(id: bigint, condition: Condition): Results['delete'] | Refusal {
    const stored = this.#find(id);
    if (stored === undefined) return refuse('plant_unknown');
    if (!allows(condition, stored)) return refuse('precondition_failed');
    this.#set(id, undefined);
    return 'deleted';
  }

  #importRow(row: NewPlant, { onConflict, dryRun }: ImportOptions): RowOutcome {
    const stored = this.#find(row.id);
    if (stored !== undefined) {
      if (areEqual(stored, row)) return 'unchanged';
      if (onConflict === 'fail') return 'taken';
      if (onConflict === 'skip') return 'skipped';
    }
    if (!dryRun) this.#set(row.id, row);
    return stored === undefined ? 'created' : 'replaced';
  }
}

function byId([one]: readonly [bigint, unknown], [other]: readonly [bigint, unknown]): number {
  return one < other ? -1 : 1;
}
