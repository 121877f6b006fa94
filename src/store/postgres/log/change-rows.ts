/** The SQL that writes changesets and moves them to the change log. */
import { plantFields } from '../../../domain/plant.ts';
import type { Plant } from '../../../domain/schemas.ts';
import { stateColumns } from '../../change-pages.ts';
import type { PlantChange } from '../../decide-write.ts';
import type { Rows, Statement } from '../connect/connection.ts';
import type { BoundStatement } from '../connect/statement.ts';

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
  name: 'insert-changeset',
  text: `INSERT INTO change_batches (bucket, at, ${lists.join(', ')}, group_names)
    VALUES ($1, ${nowMs}, ${lists.map((_, at) => `$${at + 2}`).join(', ')}, $${lists.length + 2})`,
};

/** @param changes in the order of the writes. */
export function insertChangesetStatement(bucket: number, changes: readonly PlantChange[]): BoundStatement {
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
export function groupKeysStatement(names: readonly string[]): BoundStatement {
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
    SELECT moving.before + number, changeset.at, id, ${states}, token,
      ($3::int8[])[array_position($4::text[], changeset.group_names[group_number])]
    FROM unnest($1::int8[], $2::int8[]) AS moving (seq, before) JOIN change_batches AS changeset USING (seq),
      unnest(${lists.join(', ')}) WITH ORDINALITY AS row (id, ${states}, token, group_number, number)`,
};

/**
 * @param positions each changeset with the position before its first change.
 * @param groups the rows of `groupKeysStatement` for all groups of the changesets.
 */
export function moveStatement(positions: ReadonlyMap<bigint, bigint>, groups: Rows['rows']): BoundStatement {
  const [keys, names] = [groups.map(([key]) => key), groups.map(([, name]) => name)];
  return { statement: insertMoved, values: [[...positions.keys()], [...positions.values()], keys, names] };
}

/** @param moved the changesets that are in the log, as far as they may still be in their table. */
export function saveLogStatement(last: bigint, moved: readonly bigint[]): BoundStatement {
  return {
    statement: { name: 'save-change-log', text: 'UPDATE change_log SET last = $1, moved = $2::int8[]' },
    values: [last, moved],
  };
}

export function deleteChangesetsStatement(seqs: readonly bigint[]): BoundStatement {
  return {
    statement: { name: 'delete-changesets', text: 'DELETE FROM change_batches WHERE seq = ANY($1::int8[])' },
    values: [seqs],
  };
}
