/** The SQL that reads the change log. */
import type { ChangeQuery } from '../../../domain/change-log.ts';
import { plantFields } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import { type ChangeRecord, kindSql, type LogState, type Range, stateColumns } from '../../change-pages.ts';
import type { Rows, Statement } from '../connect/connection.ts';
import type { BoundStatement } from '../connect/statement.ts';
import { toContent } from '../read/values.ts';

export const selectState: Statement = {
  name: 'read-change-log',
  text: 'SELECT identity, last, trimmed FROM change_log',
};

export function toLogState(row: Rows['rows'][number] | undefined): LogState {
  const [identity, last, trimmed] = row as readonly [string, bigint, bigint];
  return { identity, last, trimmed };
}

/** A subquery: a join could be planned to read all groups. */
const groupName = '(SELECT name FROM change_groups WHERE key = c.change_group)';
const columns = `c.position, c.at, c.id, c.token, ${groupName}, t.name, ${stateColumns.map((column) => `c.${column}`).join(', ')}
  FROM changes AS c LEFT JOIN tokens AS t ON t.id = c.token`;

/** @param range which `toRange` made of the page. */
export function pageStatement({ order = 'asc', limit, ...filter }: ChangeQuery, range: Range): BoundStatement {
  const values: unknown[] = [range.from, range.to, limit];
  const conditions = ['c.position BETWEEN $1 AND $2'];
  const add = (name: string, value: unknown, toCondition: (parameter: string) => string): string => {
    if (value === undefined) return '';
    values.push(value);
    conditions.push(toCondition(`$${values.length}`));
    return name;
  };
  const name = [
    add('-ids', filter.ids, (value) => `c.id = ANY(${value}::int8[])`),
    add('-tag', filter.tag, (value) => `(c.tag = ${value} OR c.tag_before = ${value})`),
    add('-kinds', filter.kinds, (value) => `${kindSql} = ANY(${value}::text[])`),
    add(
      '-except',
      filter.exceptGroups,
      (value) =>
        `(c.change_group IS NULL OR c.change_group <> ALL(ARRAY(SELECT key FROM change_groups WHERE name = ANY(${value}::text[]))))`,
    ),
  ].join('');
  return {
    statement: {
      name: `read-changes-${order}${name}`,
      text: `SELECT ${columns} WHERE ${conditions.join(' AND ')} ORDER BY c.position ${order} LIMIT $3`,
    },
    values,
  };
}

/** When a change was written. */
export function timeStatement(position: bigint): BoundStatement {
  return {
    statement: { name: 'read-time', text: 'SELECT at FROM changes WHERE position = $1' },
    values: [position],
  };
}

/**
 * The changes of a plant, newest first, in the order of the index and bounded like it: without
 * statistics, the server would rather read and sort all changes of the plant for each page.
 * @param before a position of the plant, without which there are none; null: from the newest.
 */
export function historyStatement(id: bigint, limit: number, before: bigint | null): BoundStatement {
  return {
    statement: {
      name: 'read-history',
      text: `SELECT ${columns} WHERE c.id >= $1 AND (c.id, c.position) < ($1, coalesce($2::int8, 9223372036854775807))
          AND ($2 IS NULL OR EXISTS (SELECT FROM changes WHERE id = $1 AND position = $2))
        ORDER BY c.id DESC, c.position DESC LIMIT $3`,
    },
    values: [id, before, limit],
  };
}

/**
 * The newest change of each plant that has one, in the order of the index and bounded like it: if
 * the log has, or had, few plants, the server would rather go through all changes.
 */
export function newestStatement(ids: readonly bigint[]): BoundStatement {
  return {
    statement: {
      name: 'read-newest-changes',
      text: `SELECT newest.* FROM unnest($1::int8[]) AS wanted (id), LATERAL (SELECT ${columns}
        WHERE c.id >= wanted.id AND (c.id, c.position) <= (wanted.id, 9223372036854775807)
        ORDER BY c.id DESC, c.position DESC LIMIT 1) AS newest`,
    },
    values: [ids],
  };
}

const groupKey = '(SELECT key FROM change_groups WHERE name = $1)';

/** The changes of a group, ascending by id, in the order of the index and bounded like it. */
export function groupStatement(group: string, limit: number, from: bigint): BoundStatement {
  return {
    statement: {
      name: 'read-group',
      text: `SELECT ${columns} WHERE c.change_group <= ${groupKey} AND (c.change_group, c.id) >= (${groupKey}, $2::int8)
        ORDER BY c.change_group, c.id LIMIT $3`,
    },
    values: [group, from, limit],
  };
}

export function expiredInStatement(group: string): BoundStatement {
  return {
    statement: { name: 'count-expired', text: 'SELECT expired FROM change_groups WHERE name = $1' },
    values: [group],
  };
}

/** How many plants a group has changed. */
export function plantsInStatement(group: string): BoundStatement {
  return {
    statement: { name: 'count-group', text: `SELECT count(DISTINCT id) FROM changes WHERE change_group = ${groupKey}` },
    values: [group],
  };
}

/** Selects the ids whose plants the group has changed. */
export function changedInStatement(group: string, ids: readonly bigint[]): BoundStatement {
  return {
    statement: {
      name: 'find-in-group',
      text: `SELECT id FROM unnest($2::int8[]) AS wanted (id)
        WHERE EXISTS (SELECT FROM changes AS c WHERE c.change_group = ${groupKey} AND c.id = wanted.id)`,
    },
    values: [group, ids],
  };
}

export function toRecord(row: Rows['rows'][number]): ChangeRecord {
  const [position, at, id, token, group, tokenName] = row as [
    ...[bigint, bigint, bigint],
    ...[string | null, string | null, string | null],
  ];
  // Every plant has a name: without one there is no plant.
  const toState = (at: number): StoredPlant | undefined => (row[at] === null ? undefined : toContent(id, row, at));
  return {
    position,
    at: Number(at),
    id,
    plant: toState(6),
    before: toState(6 + plantFields.length),
    token: token ?? undefined,
    tokenName: tokenName ?? undefined,
    group: group ?? undefined,
  };
}
