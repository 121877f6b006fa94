/** The SQL of the change log. */
import type { ChangePage } from '../../../domain/change-log.ts';
import { type ChangeRecord, kindSql, type LogState, type Range } from '../../change-pages.ts';
import { type TrimBounds, trimmedMax } from '../../change-trimmer.ts';
import type { Rows, Statement } from '../connection.ts';
import type { PlantChange } from '../../plant-content.ts';
import type { Query } from './plant-reads.ts';

/** Changes that one transaction numbers at most. */
export const publishedMax = 2_000;

/** Now, by the clock of the server, in milliseconds. */
export const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::int8';

const insertChanges: Statement = {
  name: 'insert-changes',
  // Numbers are taken in the order of the rows.
  text: `INSERT INTO changes (at, id, name, tag, name_before, tag_before, token)
    SELECT ${nowMs}, id, name, tag, name_before, tag_before, token
    FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
      AS row (id, name, tag, name_before, tag_before, token, number) ORDER BY number`,
};

/** @param changes in the order of the writes. */
export function insertChangesQuery(changes: readonly PlantChange[]): Query {
  return {
    statement: insertChanges,
    values: [
      changes.map(({ id }) => id),
      changes.map(({ after }) => after?.name ?? null),
      changes.map(({ after }) => after?.tag ?? null),
      changes.map(({ before }) => before?.name ?? null),
      changes.map(({ before }) => before?.tag ?? null),
      changes.map(({ by }) => by ?? null),
    ],
  };
}

/** Whether there are committed changes without a position. */
export const selectUnpublished: Statement = {
  name: 'find-unpublished',
  text: 'SELECT EXISTS (SELECT FROM changes WHERE position IS NULL)',
};

/** Taken first: the next statement sees what another instance has numbered until then. */
export const lockLog: Statement = { name: 'lock-change-log', text: 'SELECT FROM change_log FOR UPDATE' };

/** Gives the next positions to committed changes, and returns how many there were. */
export const publish: Statement = {
  name: 'publish-changes',
  text: `WITH fresh AS (
      SELECT seq, row_number() OVER (ORDER BY seq) AS number
      FROM (SELECT seq FROM changes WHERE position IS NULL ORDER BY seq LIMIT ${publishedMax}) AS next
    ), numbered AS (
      UPDATE changes AS c SET position = (SELECT last FROM change_log) + number FROM fresh WHERE c.seq = fresh.seq
    )
    UPDATE change_log SET last = last + (SELECT count(*) FROM fresh) RETURNING (SELECT count(*) FROM fresh)`,
};

/** Removes the oldest changes; returns whether there may be more to remove. */
export function trimQuery({ recordsMax, oldestAt }: TrimBounds): Query {
  return {
    statement: {
      name: 'trim-changes',
      text: `WITH bounds AS (SELECT last, trimmed FROM change_log FOR UPDATE), step AS (
          SELECT max(position) AS upto FROM bounds, LATERAL (
            SELECT position, at FROM changes WHERE position > trimmed ORDER BY position LIMIT ${trimmedMax}
          ) AS oldest WHERE position <= last - $1::int8 OR at < $2::int8
        ), removed AS (
          DELETE FROM changes USING step, bounds WHERE position > trimmed AND position <= upto RETURNING 1
        )
        UPDATE change_log SET trimmed = coalesce((SELECT upto FROM step), trimmed)
        RETURNING (SELECT count(*) FROM removed) = ${trimmedMax}`,
    },
    values: [recordsMax, oldestAt],
  };
}

export const selectState: Statement = {
  name: 'read-change-log',
  text: 'SELECT identity, last, trimmed FROM change_log',
};

export function toLogState(row: Rows['rows'][number] | undefined): LogState {
  const [identity, last, trimmed] = row as readonly [string, bigint, bigint];
  return { identity, last, trimmed };
}

const columns = `c.position, c.at, c.id, c.name, c.tag, c.name_before, c.tag_before, c.token, t.name
  FROM changes AS c LEFT JOIN tokens AS t ON t.id = c.token`;

/** @param range which `toRange` made of the page. */
export function readQuery({ order = 'asc', limit, ...filter }: ChangePage, range: Range): Query {
  const values: unknown[] = [range.from, range.to, limit];
  const conditions = ['c.position BETWEEN $1 AND $2'];
  const add = (name: string, value: unknown, toCondition: (parameter: string) => string): string => {
    if (value === undefined) return '';
    values.push(value);
    conditions.push(toCondition(`$${values.length}`));
    return name;
  };
  const name = [
    add('-id', filter.id, (value) => `c.id = ${value}`),
    add('-tag', filter.tag, (value) => `(c.tag = ${value} OR c.tag_before = ${value})`),
    add('-kind', filter.kind, (value) => `${kindSql} = ${value}`),
  ].join('');
  return {
    statement: {
      name: `read-changes-${order}${name}`,
      text: `SELECT ${columns} WHERE ${conditions.join(' AND ')} ORDER BY c.position ${order} LIMIT $3`,
    },
    values,
  };
}

/** The changes of a plant, newest first. @param before a position; null: from the newest. */
export function historyQuery(id: bigint, limit: number, before: bigint | null): Query {
  return {
    statement: {
      name: 'read-history',
      text: `SELECT ${columns} WHERE c.id = $1 AND c.position < coalesce($2::int8, 9223372036854775807)
        ORDER BY c.position DESC LIMIT $3`,
    },
    values: [id, before, limit],
  };
}

export function toRecord(row: Rows['rows'][number]): ChangeRecord {
  const [position, at, id, name, tag, nameBefore, tagBefore, token, tokenName] = row as [
    ...[bigint, bigint, bigint],
    ...[string | null, string | null, string | null, string | null, string | null, string | null],
  ];
  return { position, at: Number(at), id, name, tag, nameBefore, tagBefore, token, tokenName };
}
