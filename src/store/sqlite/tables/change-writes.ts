/** SQL that writes the change log, inside the transaction of the change. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { stateColumns } from '../../change-pages.ts';
import { ageSteps, trimmedMax, type TrimOptions } from '../../change-trimmer.ts';
import type { PlantChange } from '../../decide-write.ts';
import { prepareSweepTokens } from './token-rows.ts';
import { toFieldValues, toInteger } from './values.ts';

export class ChangeWrites {
  readonly #selectLast: StatementSync;
  readonly #updateLast: StatementSync;
  readonly #insert: StatementSync;
  readonly #selectGroup: StatementSync;
  readonly #insertGroup: StatementSync;
  readonly #selectPosition: Readonly<Record<'plants' | 'deleted_plants', StatementSync>>;
  readonly #setDeleted: StatementSync;
  readonly #unsetDeleted: StatementSync;
  /** Undefined until the commit changes a plant. */
  #last: bigint | undefined;
  #at = 0;
  /** The group of the latest change in this commit that has a group. */
  #group: { readonly name: string; readonly key: bigint } | undefined;

  /** @throws Error if the tables are missing. */
  constructor(db: DatabaseSync) {
    this.#selectLast = db.prepare('SELECT last FROM change_log');
    this.#updateLast = db.prepare('UPDATE change_log SET last = ?');
    this.#insert = db.prepare(
      `INSERT INTO changes (position, at, id, ${stateColumns.join(', ')}, token, previous, change_group)
       VALUES (?, ?, ?, ${'?, '.repeat(stateColumns.length)} ?, ?, ?)`,
    );
    this.#selectGroup = db.prepare('SELECT key FROM change_groups WHERE name = ?');
    this.#insertGroup = db.prepare('INSERT INTO change_groups (name) VALUES (?)');
    this.#selectPosition = {
      plants: db.prepare('SELECT position FROM plants WHERE id = ?'),
      deleted_plants: db.prepare('SELECT position FROM deleted_plants WHERE id = ?'),
    };
    this.#setDeleted = db.prepare('INSERT INTO deleted_plants VALUES (?, ?)');
    this.#unsetDeleted = db.prepare('DELETE FROM deleted_plants WHERE id = ?');
  }

  /** Returns the position of the next change. */
  get next(): bigint {
    this.#last ??= this.#begin();
    return this.#last + 1n;
  }

  /** Writes one change at `next`. Call before the row of an existing plant is changed. */
  insert({ id, before, after, origin }: PlantChange): void {
    const position = this.next;
    const previous =
      this.#selectPosition[before === undefined ? 'deleted_plants' : 'plants'].get(id)?.['position'] ?? null;
    const states = [...toFieldValues(after), ...toFieldValues(before)];
    this.#insert.run(position, this.#at, id, ...states, origin.by ?? null, previous, this.#toGroupKey(origin.group));
    if (before === undefined && previous !== null) this.#unsetDeleted.run(id);
    if (after === undefined) this.#setDeleted.run(id, position);
    this.#last = position;
  }

  /** Call before the commit. */
  flush(): void {
    if (this.#last !== undefined) this.#updateLast.run(this.#last);
    this.reset();
  }

  /** Call after a rollback. */
  reset(): void {
    this.#last = undefined;
    this.#group = undefined;
  }

  /** Creates the group before its first change. */
  #toGroupKey(name: string | undefined): bigint | null {
    if (name === undefined) return null;
    if (this.#group?.name !== name) {
      const found = this.#selectGroup.get(name)?.['key'];
      const key = found === undefined ? this.#insertGroup.run(name).lastInsertRowid : found;
      this.#group = { name, key: toInteger(key) };
    }
    return this.#group.key;
  }

  #begin(): bigint {
    this.#at = Date.now();
    return toInteger(this.#selectLast.get()?.['last']);
  }
}

/**
 * One step of a trim: advances the age of the store, and removes the oldest changes beyond the limits.
 * Returns how many it removed. Call in a transaction.
 */
export function prepareRemoveOldest(db: DatabaseSync): (options: TrimOptions) => number {
  const advanceAge = prepareAdvanceAge(db);
  const select = db.prepare(
    `SELECT max(position) AS upto
     FROM (SELECT position, last FROM changes, change_log ORDER BY position LIMIT ${trimmedMax})
     WHERE position <= max(?, last - ?)`,
  );
  // NOT INDEXED: by the positions that go. The planner would read the whole index of groups for its order.
  const countExpired = db.prepare(
    `UPDATE change_groups SET expired = expired + gone.changes FROM (
       SELECT c.change_group, count(*) AS changes FROM changes AS c NOT INDEXED JOIN changes AS newest ON newest.position =
         coalesce((SELECT position FROM plants WHERE id = c.id), (SELECT position FROM deleted_plants WHERE id = c.id))
       WHERE c.position <= ? AND c.change_group = newest.change_group GROUP BY c.change_group
     ) AS gone WHERE key = gone.change_group`,
  );
  const forgetGroups = db.prepare(
    `DELETE FROM change_groups
     WHERE key IN (SELECT change_group FROM changes WHERE position <= ?1) AND NOT EXISTS (
       SELECT 1 FROM changes AS c INDEXED BY changes_by_group WHERE c.change_group = key AND c.position > ?1)`,
  );
  // A plant that is deleted for longer than the log lasts is forgotten.
  const forget = db.prepare(
    `DELETE FROM deleted_plants
     WHERE position <= ?1 AND id IN (SELECT id FROM changes WHERE position <= ?1 AND name IS NULL)`,
  );
  const remove = db.prepare('DELETE FROM changes WHERE position <= ?');
  const saveTrimmed = db.prepare('UPDATE change_log SET trimmed = ?');
  return (options) => {
    const old = advanceAge(options);
    const to = select.get(old, options.recordsMax)?.['upto'] ?? null;
    if (to === null) return 0;
    countExpired.run(to);
    forgetGroups.run(to);
    forget.run(to);
    const { changes } = remove.run(to);
    saveTrimmed.run(to);
    return Number(changes);
  };
}

/**
 * Adds the time since the last step to `served`, the milliseconds for which the store was served.
 * Each time one of the `ageSteps` is complete, also saves it with the last position, and sweeps
 * tokens. Returns the last position that is too old; 0 if none is.
 */
function prepareAdvanceAge(db: DatabaseSync): (options: TrimOptions) => bigint {
  const sweepTokens = prepareSweepTokens(db);
  // Only time on which both clocks agree counts, whatever the times of the changes say.
  const serve = db.prepare(
    `UPDATE change_log SET served = served + max(0, min(?1, ?2 - served_at)), served_at = ?2 RETURNING served`,
  );
  const insertAge = db.prepare(
    `INSERT INTO change_ages SELECT served, last FROM change_log
     WHERE served >= coalesce((SELECT max(served) FROM change_ages) + ?, 0)`,
  );
  const findOld = db.prepare('SELECT max(position) AS position FROM change_ages WHERE served <= ?');
  const forgetAges = db.prepare('DELETE FROM change_ages WHERE position < ?');
  return ({ ageMsMax, elapsedMs }) => {
    const served = Number(toInteger(serve.get(elapsedMs, Date.now())?.['served']));
    const { changes: steps } = insertAge.run(Math.ceil(ageMsMax / ageSteps));
    if (steps > 0) sweepTokens(served, ageMsMax);
    const old = toInteger(findOld.get(served - ageMsMax)?.['position'] ?? 0n);
    forgetAges.run(old);
    return old;
  };
}
