/** SQL that reads the change log, on one connection. */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { ChangePage, ChangeQuery } from '../../../domain/change-log.ts';
import {
  type ChangeRecord,
  kindSql,
  type LogState,
  readOwnPosition,
  stateColumns,
  toChangePage,
  toChange,
  toLag,
  toNewestPage,
  toNext,
  toOldestAfter,
  toPosition,
  toRange,
} from '../../change-pages.ts';
import { plantFields } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import { int64Max, int64Min } from '../../../json/int64.ts';
import type { ChangeReads, Reads } from '../../queued-store.ts';
import { readTogether } from '../connection.ts';
import { prepareRows, type SqlRow, takeRows, toContent, toInteger, toOptionalText, toText } from './values.ts';

const columns =
  ['position', 'at', 'id', 'token', ...stateColumns].map((column) => `c.${column}`).join(', ') + ', t.name, g.name';
const withNames = 'LEFT JOIN tokens AS t ON t.id = c.token LEFT JOIN change_groups AS g ON g.key = c.change_group';

export function prepareChangeReads(db: DatabaseSync): Reads<ChangeReads> {
  const selectState = db.prepare('SELECT identity, last, trimmed FROM change_log');
  const readState = (): LogState => {
    const { identity, last, trimmed } = selectState.get() ?? {};
    return { identity: toText(identity), last: toInteger(last), trimmed: toInteger(trimmed) };
  };
  const readPage = preparePages(db);
  const history = prepareRows(
    db,
    `WITH RECURSIVE own (position) AS (
       SELECT ?1
       UNION ALL SELECT changes.previous FROM own JOIN changes USING (position) LIMIT ?2 + 0
     )
     SELECT ${columns} FROM own CROSS JOIN changes AS c USING (position) ${withNames} ORDER BY c.position DESC`,
  );
  const groups = prepareGroups(db);
  const selectExpired = db.prepare('SELECT expired FROM change_groups WHERE name = ?');
  const selectLatest = db.prepare(
    `SELECT coalesce((SELECT position FROM plants WHERE id = ?1),
       (SELECT position FROM deleted_plants WHERE id = ?1)) AS position`,
  );
  const selectAt = db.prepare('SELECT at FROM changes WHERE position = ?');
  const selectPrevious = db.prepare('SELECT previous AS position FROM changes WHERE position = ? AND id = ?');
  const readNewest = (ids: readonly bigint[]): readonly ChangeRecord[] =>
    ids.flatMap((id) => history.all(selectLatest.get(id)?.['position'] ?? null, 1)).map(toRecord);
  /** Reads in one transaction, so that the bounds of the log match its rows. */
  const readWithState = <Result>(read: (state: LogState) => Result): Result =>
    readTogether(db, () => read(readState()));
  return {
    latest: () => {
      const state = readState();
      return toPosition(state, state.last);
    },
    oldestAfter: (position) => toOldestAfter(position, readState()),
    lagOf: (position) =>
      readWithState((state) => {
        const next = toNext(position, state);
        const at = selectAt.get(next)?.['at'];
        return toLag(next, at === undefined ? undefined : toInteger(at), state);
      }),
    read: (query) =>
      readWithState((state) =>
        query.newest === true && query.ids !== undefined
          ? toNewestPage(readNewest(query.ids), query, state)
          : readPage(query, state),
      ),
    history: (id, limit, before) =>
      readWithState((state) => {
        // Before a position that was removed nothing is kept.
        const start =
          before === undefined ? selectLatest.get(id) : selectPrevious.get(readOwnPosition(before, state), id);
        const { rows } = takeRows(history.iterate(start?.['position'] ?? null, limit));
        return rows.map((row) => toChange(toRecord(row), state));
      }),
    newest: (ids) => readWithState((state) => readNewest(ids).map((record) => toChange(record, state))),
    ofGroup: (group, limit, after) =>
      readWithState((state) => groups.list(group, limit, after).map((row) => toChange(toRecord(row), state))),
    expiredIn: (group) => Number(toInteger(selectExpired.get(group)?.['expired'] ?? 0n)),
    plantsIn: groups.count,
    changedIn: (group, ids) => new Set(ids.filter((id) => groups.has(group, id))),
  };
}

interface GroupReads {
  /** Ascending by id. */
  readonly list: (group: string, limit: number, after: bigint | undefined) => readonly SqlRow[];
  readonly has: (group: string, id: bigint) => boolean;
  /** Number of plants. */
  readonly count: (group: string) => Promise<number>;
}

/** Plants that are counted in one turn of the event loop: 3 ms. */
const countedPerTurn = 20_000;

function prepareGroups(db: DatabaseSync): GroupReads {
  const from = 'FROM changes AS c INDEXED BY changes_by_group';
  const isOfGroup = 'c.change_group = (SELECT key FROM change_groups WHERE name = ?)';
  const select = prepareRows(
    db,
    `SELECT ${columns} ${from} ${withNames} WHERE ${isOfGroup} AND c.id >= ? ORDER BY c.id LIMIT ? + 0`,
  );
  const find = db.prepare(`SELECT 1 ${from} WHERE ${isOfGroup} AND c.id = ? LIMIT 1`);
  // In the order of the index: nothing is sorted.
  const count = db.prepare(
    `SELECT count(*) AS plants, max(id) AS last
     FROM (SELECT DISTINCT c.id ${from} WHERE ${isOfGroup} AND c.id > ? ORDER BY c.id LIMIT ${countedPerTurn})`,
  );
  return {
    list: (group, limit, after) =>
      after === int64Max
        ? []
        : takeRows(select.iterate(group, after === undefined ? int64Min : after + 1n, limit)).rows,
    has: (group, id) => find.get(group, id) !== undefined,
    count: async (group) => {
      // No part has the lowest id by itself.
      let plants = find.get(group, int64Min) === undefined ? 0 : 1;
      for (let after = int64Min; ;) {
        const part = count.get(group, after);
        const found = Number(toInteger(part?.['plants']));
        plants += found;
        if (found < countedPerTurn) return plants;
        after = toInteger(part?.['last']);
        await setImmediate();
      }
    },
  };
}

function preparePages(db: DatabaseSync): (query: ChangeQuery, state: LogState) => ChangePage {
  const select = (order: 'ASC' | 'DESC'): ReturnType<typeof prepareRows> =>
    prepareRows(
      db,
      `SELECT ${columns} FROM changes AS c ${withNames} WHERE c.position BETWEEN ?1 AND ?2
       AND (?3 IS NULL OR c.id IN (SELECT value FROM json_each(?3)))
       AND (?4 IS NULL OR c.tag = ?4 OR c.tag_before = ?4)
       AND (?5 IS NULL OR instr(?5, ${kindSql}) > 0)
       AND (?6 IS NULL OR c.change_group IS NULL OR c.change_group NOT IN (
         SELECT key FROM change_groups WHERE name IN (SELECT value FROM json_each(?6))))
       ORDER BY c.position ${order} LIMIT ?7 + 0`,
    );
  const statements = { asc: select('ASC'), desc: select('DESC') };
  return (query, state) => {
    const { order = 'asc', limit, ids, tag, kinds, exceptGroups } = query;
    const range = toRange(query, state);
    const plants = ids === undefined ? null : `[${ids.join()}]`;
    // No kind is a part of another one.
    const wanted = kinds?.join(' ') ?? null;
    const except = exceptGroups === undefined ? null : JSON.stringify(exceptGroups);
    const found = statements[order].iterate(range.from, range.to, plants, tag ?? null, wanted, except, limit);
    const { rows, isCut } = takeRows(found);
    return toChangePage(rows.map(toRecord), { order, limit: isCut ? rows.length : limit }, range, state);
  };
}

function toRecord(row: SqlRow): ChangeRecord {
  const id = toInteger(row[2]);
  // Every plant has a name: without one there is no plant.
  const toState = (at: number): StoredPlant | undefined => (row[at] === null ? undefined : toContent(id, row, at));
  return {
    position: toInteger(row[0]),
    at: Number(toInteger(row[1])),
    id,
    token: toOptionalText(row[3]),
    plant: toState(4),
    before: toState(4 + plantFields.length),
    tokenName: toOptionalText(row[4 + stateColumns.length]),
    group: toOptionalText(row[5 + stateColumns.length]),
  };
}
