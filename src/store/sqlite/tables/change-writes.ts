/** SQL that writes the change log, inside the transaction of the change. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ChangeLimits } from '../../../domain/change-log.ts';
import { stateColumns } from '../../change-pages.ts';
import { trimmedMax } from '../../change-trimmer.ts';
import type { PlantChange } from '../../decide-write.ts';
import { toFieldValues, toInteger } from './values.ts';

export class ChangeWrites {
  readonly #selectLast: StatementSync;
  readonly #updateLast: StatementSync;
  readonly #insert: StatementSync;
  readonly #selectPosition: Readonly<Record<'plants' | 'deleted_plants', StatementSync>>;
  readonly #setDeleted: StatementSync;
  readonly #unsetDeleted: StatementSync;
  /** Undefined until the batch changes a plant. */
  #last: bigint | undefined;
  #at = 0;

  /** @throws Error if the tables are missing. */
  constructor(db: DatabaseSync) {
    this.#selectLast = db.prepare('SELECT last FROM change_log');
    this.#updateLast = db.prepare('UPDATE change_log SET last = ?');
    this.#insert = db.prepare(
      `INSERT INTO changes (position, at, id, ${stateColumns.join(', ')}, token, previous)
       VALUES (?, ?, ?, ${'?, '.repeat(stateColumns.length)} ?, ?)`,
    );
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
  note({ id, before, after, by }: PlantChange): void {
    const position = this.next;
    const previous =
      this.#selectPosition[before === undefined ? 'deleted_plants' : 'plants'].get(id)?.['position'] ?? null;
    const states = [...toFieldValues(after), ...toFieldValues(before)];
    this.#insert.run(position, this.#at, id, ...states, by ?? null, previous);
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
  }

  #begin(): bigint {
    this.#at = Date.now();
    return toInteger(this.#selectLast.get()?.['last']);
  }
}

/**
 * Removes the oldest changes up to the first within both limits, at most `trimmedMax`.
 * Returns how many. Call in a transaction.
 */
export function prepareRemoveOldest(db: DatabaseSync): (limits: ChangeLimits) => number {
  const select = db.prepare(
    `SELECT coalesce(min(position) FILTER (WHERE at >= ? AND position > last - ?) - 1, max(position)) AS upto
     FROM (SELECT position, at, last FROM changes, change_log ORDER BY position LIMIT ${trimmedMax})
     HAVING upto > (SELECT trimmed FROM change_log)`,
  );
  // A plant that is deleted for longer than the log lasts is forgotten.
  const forget = db.prepare(
    `DELETE FROM deleted_plants
     WHERE position <= ?1 AND id IN (SELECT id FROM changes WHERE position <= ?1 AND name IS NULL)`,
  );
  const remove = db.prepare('DELETE FROM changes WHERE position <= ?');
  const note = db.prepare('UPDATE change_log SET trimmed = ?');
  return ({ recordsMax, ageMsMax }) => {
    const to = select.get(Date.now() - ageMsMax, recordsMax)?.['upto'];
    if (to === undefined) return 0;
    forget.run(to);
    const { changes } = remove.run(to);
    note.run(to);
    return Number(changes);
  };
}
