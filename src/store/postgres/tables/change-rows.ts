/** The SQL of the change log. */
import type { ChangePage } from '../../../domain/change-log.ts';
import { plantFields } from '../../../domain/plant.ts';
import type { Plant, StoredPlant } from '../../../domain/schemas.ts';
import { type ChangeRecord, kindSql, type LogState, type Range, stateColumns } from '../../change-pages.ts';
import { ageSteps, trimmedMax, type TrimOptions } from '../../change-trimmer.ts';
import type { PlantChange } from '../../decide-write.ts';
import type { Rows, Statement } from '../connection.ts';
import type { Query } from '../query.ts';
import { toContent } from './plant-reads.ts';

/** Batches that one transaction moves to the log at most. */
export const movedBatchesMax = 2_000;

/** Now, by the clock of the server, in milliseconds. */
export const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::int8';

/** A batch has a list for each column of its changes. */
const lists = [
  'ids',
  ...plantFields.map((field) => `${field}s`),
  ...plantFields.map((field) => `${field}s_before`),
  'tokens',
];
const states = stateColumns.join(', ');

const insertBatch: Statement = {
  name: 'insert-changes',
  text: `INSERT INTO change_batches (bucket, at, ${lists.join(', ')})
    VALUES ($1, ${nowMs}, ${lists.map((_, at) => `$${at + 2}`).join(', ')})`,
};

/** @param changes in the order of the writes. */
export function insertBatchQuery(bucket: number, changes: readonly PlantChange[]): Query {
  const toLists = (plantOf: (change: PlantChange) => Plant | undefined): unknown[][] =>
    plantFields.map((field) => changes.map((change) => plantOf(change)?.[field] ?? null));
  return {
    statement: insertBatch,
    values: [
      bucket,
      changes.map(({ id }) => id),
      ...toLists(({ after }) => after),
      ...toLists(({ before }) => before),
      changes.map(({ by }) => by ?? null),
    ],
  };
}

/**
 * For a new connection that writes to a divided database. On Citus a batch commits on its own
 * node, perhaps before its number is on the disk of the coordinator, which would issue the
 * number again after a crash. So the first connection after a crash skips 2^32 numbers: the
 * coordinator cannot issue as many without a flush. The others wait until the skip is on disk.
 */
export const skipNumbers = `DO $$ BEGIN
    INSERT INTO skipped_numbers VALUES (0) ON CONFLICT DO NOTHING;
    IF FOUND THEN
      PERFORM setval('change_batches_seq_seq', last_value + 4294967296) FROM change_batches_seq_seq;
    END IF;
  END $$`;

/** Of the committed batches that may not be in the log. */
export const selectNewestBatch: Statement = {
  name: 'find-batch',
  text: 'SELECT seq FROM change_batches ORDER BY seq DESC LIMIT 1',
};

/** Taken first: the next statement sees what another instance has moved until then. */
export const lockLog: Statement = {
  name: 'lock-change-log',
  text: 'SELECT last, moved FROM change_log FOR UPDATE',
};

/** The oldest batches with their numbers of changes. */
export const selectBatches: Statement = {
  name: 'list-batches',
  text: `SELECT seq, cardinality(ids) FROM change_batches ORDER BY seq LIMIT ${movedBatchesMax}`,
};

const insertMoved: Statement = {
  name: 'move-batches',
  text: `INSERT INTO changes (position, at, id, ${states}, token)
    SELECT taken.last + number, batch.at, id, ${states}, token
    FROM unnest($1::int8[], $2::int8[]) AS taken (seq, last) JOIN change_batches AS batch USING (seq),
      unnest(${lists.join(', ')}) WITH ORDINALITY AS row (id, ${states}, token, number)`,
};

/** @param taken each batch with the position before its first change. */
export function moveQuery(taken: ReadonlyMap<bigint, bigint>): Query {
  return { statement: insertMoved, values: [[...taken.keys()], [...taken.values()]] };
}

/** @param moved the batches that are in the log, as far as they may still be in their table. */
export function saveLogQuery(last: bigint, moved: readonly bigint[]): Query {
  return {
    statement: { name: 'save-change-log', text: 'UPDATE change_log SET last = $1, moved = $2::int8[]' },
    values: [last, moved],
  };
}

export function deleteBatchesQuery(seqs: readonly bigint[]): Query {
  return {
    statement: { name: 'delete-batches', text: 'DELETE FROM change_batches WHERE seq = ANY($1::int8[])' },
    values: [seqs],
  };
}

/**
 * Removes the oldest changes beyond the limits; returns whether there may be more to remove.
 * Only time on which both clocks agree counts, whatever the times of the changes say. Positions
 * have no gaps, so both ends of what is read are known: no plan, not even one that was made
 * while the log was empty, reads all of it.
 */
export function trimQuery({ recordsMax, ageMsMax, elapsedMs }: TrimOptions): Query {
  return {
    statement: {
      name: 'trim-changes',
      text: `WITH clock AS (SELECT ${nowMs} AS now), bounds AS (
          SELECT last, trimmed, served + greatest(0, least($3::int8, (SELECT now FROM clock) - served_at)) AS served
          FROM change_log FOR UPDATE
        ), noted AS (
          INSERT INTO change_ages SELECT served, last FROM bounds
          WHERE served >= coalesce((SELECT max(served) FROM change_ages) + $4::int8, 0)
          ON CONFLICT DO NOTHING
        ), old AS (
          SELECT coalesce(max(position), 0) AS position FROM change_ages WHERE served <= (SELECT served FROM bounds) - $2::int8
        ), forgotten AS (
          DELETE FROM change_ages WHERE position < (SELECT position FROM old)
        ), step AS (
          SELECT max(position) AS upto FROM changes
          WHERE position > (SELECT trimmed FROM bounds) AND position <= (SELECT trimmed FROM bounds) + ${trimmedMax}
            AND position <= (SELECT greatest(old.position, last - $1::int8) FROM old, bounds)
        ), removed AS (
          DELETE FROM changes WHERE position > (SELECT trimmed FROM bounds) AND position <= (SELECT upto FROM step) RETURNING 1
        )
        UPDATE change_log SET trimmed = coalesce((SELECT upto FROM step), trimmed),
          served = (SELECT served FROM bounds), served_at = (SELECT now FROM clock)
        RETURNING (SELECT count(*) FROM removed) = ${trimmedMax}`,
    },
    values: [recordsMax, ageMsMax, elapsedMs, Math.ceil(ageMsMax / ageSteps)],
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

const columns = `c.position, c.at, c.id, c.token, t.name, ${stateColumns.map((column) => `c.${column}`).join(', ')}
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
    add('-kinds', filter.kinds, (value) => `${kindSql} = ANY(${value}::text[])`),
  ].join('');
  return {
    statement: {
      name: `read-changes-${order}${name}`,
      text: `SELECT ${columns} WHERE ${conditions.join(' AND ')} ORDER BY c.position ${order} LIMIT $3`,
    },
    values,
  };
}

/**
 * The changes of a plant, newest first, in the order of the index and bounded like it: without
 * statistics, the server would rather read and sort all changes of the plant for each page.
 * @param before a position; null: from the newest.
 */
export function historyQuery(id: bigint, limit: number, before: bigint | null): Query {
  return {
    statement: {
      name: 'read-history',
      text: `SELECT ${columns} WHERE c.id >= $1 AND (c.id, c.position) < ($1, coalesce($2::int8, 9223372036854775807))
        ORDER BY c.id DESC, c.position DESC LIMIT $3`,
    },
    values: [id, before, limit],
  };
}

export function toRecord(row: Rows['rows'][number]): ChangeRecord {
  const [position, at, id, token, tokenName] = row as [bigint, bigint, bigint, string | null, string | null];
  // Every plant has a name: without one there is no plant.
  const toState = (at: number): StoredPlant | undefined => (row[at] === null ? undefined : toContent(id, row, at));
  return {
    position,
    at: Number(at),
    id,
    plant: toState(5),
    before: toState(5 + plantFields.length),
    token: token ?? undefined,
    tokenName: tokenName ?? undefined,
  };
}
