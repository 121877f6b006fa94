/** The SQL that writes the change log, moves changesets to it, and trims it. */
import { plantFields } from '../../../domain/plant.ts';
import { userIdPrefix } from '../../../domain/principal.ts';
import type { Plant } from '../../../domain/schemas.ts';
import { stateColumns } from '../../change-pages.ts';
import { ageSteps, trimmedMax, type TrimOptions } from '../../change-trimmer.ts';
import type { PlantChange } from '../../decide-write.ts';
import type { Rows, Statement } from '../connect/connection.ts';
import type { Query } from '../connect/query.ts';

/**
 * Changesets that one transaction moves to the log at most: as many as it moves changes
 * (move-changesets.ts), of which each changeset has one or more.
 */
export const movedChangesetsMax = 2_000;

/** Now, by the clock of the server, in milliseconds. */
export const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::int8';

/** A changeset has a list for each column of its changes: these for `stateColumns`. */
export const stateLists = [
  ...plantFields.map((field) => `${field}s`),
  ...plantFields.map((field) => `${field}s_before`),
];
const lists = ['ids', ...stateLists, 'tokens', 'group_numbers'];
const states = stateColumns.join(', ');

const insertChangeset: Statement = {
  name: 'insert-changes',
  text: `INSERT INTO change_batches (bucket, at, ${lists.join(', ')}, group_names)
    VALUES ($1, ${nowMs}, ${lists.map((_, at) => `$${at + 2}`).join(', ')}, $${lists.length + 2})`,
};

/** @param changes in the order of the writes. */
export function insertChangesetQuery(bucket: number, changes: readonly PlantChange[]): Query {
  const toLists = (plantOf: (change: PlantChange) => Plant | undefined): unknown[][] =>
    plantFields.map((field) => changes.map((change) => plantOf(change)?.[field] ?? null));
  const names = [...new Set(changes.flatMap(({ origin }) => origin.group ?? []))];
  const numbers = new Map(names.map((name, at) => [name, at + 1]));
  const toNumber = ({ origin: { group } }: PlantChange): number | null =>
    group === undefined ? null : (numbers.get(group) ?? null);
  return {
    statement: insertChangeset,
    values: [
      bucket,
      changes.map(({ id }) => id),
      ...toLists(({ after }) => after),
      ...toLists(({ before }) => before),
      changes.map(({ origin }) => origin.by ?? null),
      ...(names.length === 0 ? [null, null] : [changes.map(toNumber), names]),
    ],
  };
}

/** Finds the newest committed changeset; it may not be in the log. */
export const selectNewestChangeset: Statement = {
  name: 'find-changeset',
  text: 'SELECT seq FROM change_batches ORDER BY seq DESC LIMIT 1',
};

/** Taken first: the next statement sees what another instance has moved until then. */
export const lockLog: Statement = {
  name: 'lock-change-log',
  text: 'SELECT last, moved FROM change_log FOR UPDATE',
};

/** The oldest changesets with their numbers of changes and their groups. */
export const selectChangesets: Statement = {
  name: 'list-changesets',
  text: `SELECT seq, cardinality(ids), group_names FROM change_batches ORDER BY seq LIMIT ${movedChangesetsMax}`,
};

/**
 * Creates the groups that the log does not have yet, and reads the keys of all. Only for who has
 * locked the log in a statement before: nobody else creates or removes one of them meanwhile.
 */
export function groupKeysQuery(names: readonly string[]): Query {
  return {
    statement: {
      name: 'find-groups',
      text: `WITH made AS (
          INSERT INTO change_groups (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING RETURNING key, name
        )
        SELECT key, name FROM made UNION ALL SELECT key, name FROM change_groups WHERE name = ANY($1::text[])`,
    },
    values: [names],
  };
}

/** The keys are parameters: on Citus, no join of a divided table with one of the coordinator. */
const insertMoved: Statement = {
  name: 'move-changesets',
  text: `INSERT INTO changes (position, at, id, ${states}, token, change_group)
    SELECT taken.last + number, changeset.at, id, ${states}, token,
      ($3::int8[])[array_position($4::text[], changeset.group_names[group_number])]
    FROM unnest($1::int8[], $2::int8[]) AS taken (seq, last) JOIN change_batches AS changeset USING (seq),
      unnest(${lists.join(', ')}) WITH ORDINALITY AS row (id, ${states}, token, group_number, number)`,
};

/**
 * @param taken each changeset with the position before its first change.
 * @param groups the rows of `groupKeysQuery` for all groups of the changesets.
 */
export function moveQuery(taken: ReadonlyMap<bigint, bigint>, groups: Rows['rows']): Query {
  const [keys, names] = [groups.map(([key]) => key), groups.map(([, name]) => name)];
  return { statement: insertMoved, values: [[...taken.keys()], [...taken.values()], keys, names] };
}

/** @param moved the changesets that are in the log, as far as they may still be in their table. */
export function saveLogQuery(last: bigint, moved: readonly bigint[]): Query {
  return {
    statement: { name: 'save-change-log', text: 'UPDATE change_log SET last = $1, moved = $2::int8[]' },
    values: [last, moved],
  };
}

export function deleteChangesetsQuery(seqs: readonly bigint[]): Query {
  return {
    statement: { name: 'delete-changesets', text: 'DELETE FROM change_batches WHERE seq = ANY($1::int8[])' },
    values: [seqs],
  };
}

const tokenHasEnded = `(revoked_at IS NOT NULL OR (expires_at <= (SELECT now FROM clock)) IS TRUE)`;

const trimChanges: Statement = {
  name: 'trim-changes',
  text: `WITH
    -- The clock of the server, read once.
    clock AS (
      SELECT ${nowMs} AS now
    ),
    -- Both ends of the log, and how long the store was served.
    bounds AS (
      SELECT last, trimmed, served + greatest(0, least($3::int8, (SELECT now FROM clock) - served_at)) AS served
      FROM change_log
    ),
    -- At each step of the age limit: where the log ends now.
    noted AS (
      INSERT INTO change_ages SELECT served, last FROM bounds
      WHERE served >= coalesce((SELECT max(served) FROM change_ages) + $4::int8, 0)
      ON CONFLICT DO NOTHING RETURNING served
    ),
    -- At the same steps: when a token was first seen to have ended.
    noted_tokens AS (
      UPDATE tokens SET ended = CASE WHEN ended IS NULL THEN noted.served END FROM noted
      WHERE (ended IS NULL) = ${tokenHasEnded} AND id NOT LIKE '${userIdPrefix}%'
    ),
    -- Tokens that ended before the oldest change that may be kept.
    removed_tokens AS (
      DELETE FROM tokens WHERE EXISTS (SELECT FROM noted) AND ${tokenHasEnded}
        AND ended < (SELECT max(served) FROM change_ages WHERE served <= (SELECT served FROM bounds) - $2::int8)
        AND position > (SELECT min(position) FROM tokens)
    ),
    -- The last change that is too old.
    old AS (
      SELECT coalesce(max(position), 0) AS position FROM change_ages WHERE served <= (SELECT served FROM bounds) - $2::int8
    ),
    -- Ages that no later trim needs.
    forgotten AS (
      DELETE FROM change_ages WHERE position < (SELECT position FROM old)
    ),
    -- The last change to remove now: beyond a limit, and at most ${trimmedMax} from the first.
    step AS (
      SELECT max(position) AS upto FROM changes
      WHERE position > (SELECT trimmed FROM bounds) AND position <= (SELECT trimmed FROM bounds) + ${trimmedMax}
        AND position <= (SELECT greatest(old.position, last - $1::int8) FROM old, bounds)
    ),
    removed AS (
      DELETE FROM changes WHERE position > (SELECT trimmed FROM bounds) AND position <= (SELECT upto FROM step)
      RETURNING id, change_group
    ),
    -- By group: removed changes of plants that are still as the group left them. An undo misses them.
    expiring AS MATERIALIZED (
      SELECT change_group, count(*) FILTER (WHERE change_group = (SELECT c.change_group FROM changes AS c
          WHERE c.id >= removed.id AND (c.id, c.position) <= (removed.id, 9223372036854775807)
          ORDER BY c.id DESC, c.position DESC LIMIT 1)) AS changes
      FROM removed WHERE change_group IS NOT NULL GROUP BY change_group
    ),
    -- Whether the log still has changes of the group.
    left_over AS MATERIALIZED (
      SELECT change_group, changes, (SELECT true FROM changes AS c
        WHERE c.change_group <= expiring.change_group AND (c.change_group, c.id) >= (expiring.change_group, -9223372036854775808)
          AND c.position > (SELECT upto FROM step) ORDER BY c.change_group, c.id LIMIT 1) AS is_kept
      FROM expiring
    ),
    -- Names of groups without changes.
    gone AS (
      DELETE FROM change_groups USING left_over AS l WHERE key = l.change_group AND l.is_kept IS NULL
    ),
    -- What a report of an undo counts as expired.
    expired AS (
      UPDATE change_groups SET expired = expired + l.changes FROM left_over AS l
      WHERE key = l.change_group AND l.is_kept AND l.changes > 0
    )
    -- Where the log begins now, and how long the store was served.
    UPDATE change_log SET trimmed = coalesce((SELECT upto FROM step), trimmed),
      served = (SELECT served FROM bounds), served_at = (SELECT now FROM clock)
    RETURNING (SELECT count(*) FROM removed) = ${trimmedMax}`,
};

/**
 * Removes the oldest changes beyond the limits, and tokens that ended before them: not the first,
 * without which a store would take its initial token again, nor users of a provider, who could
 * come in again. Returns whether there may be more to remove.
 * Only time on which both clocks agree counts, whatever the times of the changes say. Positions
 * have no gaps, so both ends of what is read are known: no plan, not even one that was made
 * while the log was empty, reads all of it. Only for who has locked the log in a statement
 * before: of a group whose newest changes it did not see, it would remove the name.
 */
export function trimQuery({ recordsMax, ageMsMax, elapsedMs }: TrimOptions): Query {
  return { statement: trimChanges, values: [recordsMax, ageMsMax, elapsedMs, Math.ceil(ageMsMax / ageSteps)] };
}
