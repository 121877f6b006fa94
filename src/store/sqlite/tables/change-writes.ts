/** SQL that writes the change log, inside the transaction of the change. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantChange } from '../../plant-content.ts';
import { type TrimBounds, trimmedMax } from '../../change-trimmer.ts';
import { toInteger, toOptionalInteger } from './values.ts';

export class ChangeWrites {
  readonly #readLast: () => bigint;
  readonly #writeLast: (last: bigint) => void;
  readonly #insert: (position: bigint, at: number, change: PlantChange, previous: bigint | null) => void;
  readonly #findPosition: (table: 'plants' | 'deleted_plants', id: bigint) => bigint | undefined;
  readonly #setDeleted: (id: bigint, position: bigint) => void;
  readonly #unsetDeleted: (id: bigint) => void;
  /** Undefined until the batch changes a plant. */
  #last: bigint | undefined;
  #at = 0;

  /** @throws Error if the tables are missing. */
  constructor(db: DatabaseSync) {
    const readLast = db.prepare('SELECT last FROM change_log');
    const writeLast = db.prepare('UPDATE change_log SET last = ?');
    const insert = db.prepare('INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const find = {
      plants: db.prepare('SELECT position FROM plants WHERE id = ?'),
      deleted_plants: db.prepare('SELECT position FROM deleted_plants WHERE id = ?'),
    };
    const setDeleted = db.prepare('INSERT INTO deleted_plants VALUES (?, ?)');
    const unsetDeleted = db.prepare('DELETE FROM deleted_plants WHERE id = ?');
    this.#readLast = () => toInteger(readLast.get()?.['last']);
    this.#writeLast = (last) => void writeLast.run(last);
    this.#insert = (position, at, { id, before, after, by }, previous) => {
      const [{ name, tag }, old] = [after ?? none, before ?? none];
      insert.run(position, at, id, name ?? null, tag ?? null, old.name ?? null, old.tag ?? null, by ?? null, previous);
    };
    this.#findPosition = (table, id) => toOptionalInteger(find[table].get(id)?.['position'] ?? null);
    this.#setDeleted = (id, position) => void setDeleted.run(id, position);
    this.#unsetDeleted = (id) => void unsetDeleted.run(id);
  }

  /** Returns the position of the next change. */
  get next(): bigint {
    this.#last ??= this.#begin();
    return this.#last + 1n;
  }

  /** Writes one change at `next`. Call before the row of an existing plant is changed. */
  note(change: PlantChange): void {
    const { id, before, after } = change;
    const position = this.next;
    const previous = this.#findPosition(before === undefined ? 'deleted_plants' : 'plants', id);
    this.#insert(position, this.#at, change, previous ?? null);
    if (before === undefined && previous !== undefined) this.#unsetDeleted(id);
    if (after === undefined) this.#setDeleted(id, position);
    this.#last = position;
  }

  /** Call before the commit. */
  flush(): void {
    if (this.#last !== undefined) this.#writeLast(this.#last);
    this.reset();
  }

  /** Call after a rollback. */
  reset(): void {
    this.#last = undefined;
  }

  #begin(): bigint {
    this.#at = Date.now();
    return this.#readLast();
  }
}

const none: Partial<StoredPlant> = {};

/** Removes the oldest changes beyond the bounds, at most `trimmedMax`; returns how many. Call it in a transaction. */
export function prepareRemoveOldest(db: DatabaseSync): (bounds: TrimBounds) => number {
  const select = db.prepare(
    `SELECT max(position) AS position FROM (SELECT position, at FROM changes ORDER BY position LIMIT ${trimmedMax})
     WHERE at < ? OR position <= (SELECT last FROM change_log) - ?`,
  );
  // A plant that is deleted for longer than the log lasts is forgotten.
  const forget = db.prepare(
    `DELETE FROM deleted_plants
     WHERE position <= ?1 AND id IN (SELECT id FROM changes WHERE position <= ?1 AND name IS NULL)`,
  );
  const remove = db.prepare('DELETE FROM changes WHERE position <= ?');
  const note = db.prepare('UPDATE change_log SET trimmed = ?');
  return ({ recordsMax, oldestAt }) => {
    const to = select.get(oldestAt, recordsMax)?.['position'] ?? null;
    if (to === null) return 0;
    forget.run(to);
    const { changes } = remove.run(to);
    note.run(to);
    return Number(changes);
  };
}
