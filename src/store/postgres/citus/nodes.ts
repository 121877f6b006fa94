/** Whether the nodes of a divided database, and what only it has, may be used as the service does. */
import type { Connection } from '../connect/connection.ts';
import { UnusableServerError } from '../connect/server-state.ts';

const inspectWithinMs = 10_000;

/** See require-schema.ts. It may lose the rows in a crash. */
export const rightsOfDivided = { skipped_numbers: 'SI' };

/** The sequence of changesets is skipped after a crash. */
export async function findSequenceProblem(connection: Connection): Promise<string | undefined> {
  const { rows } = await connection.run(
    `SELECT has_sequence_privilege('change_batches_seq_seq', 'SELECT') AND has_sequence_privilege('change_batches_seq_seq', 'UPDATE'), current_user`,
    [],
    inspectWithinMs,
  );
  const [mayCount, user] = rows[0] ?? [];
  if (mayCount === true) return undefined;
  return `the user ${String(user)} lacks SELECT, UPDATE on the sequence change_batches_seq_seq; see deploy/postgres/roles.sql`;
}

/** What each session of a node must have: Citus does not pass on settings of the coordinator. */
const nodeSettings = [
  ['array_nulls', ['on']],
  ['synchronous_commit', ['on', 'remote_apply']],
  ['fsync', ['on']],
] as const;

/**
 * Each node evaluates the settings of its own session.
 * @throws UnusableServerError if a node would change or lose plants.
 */
export async function requireNodes(connection: Connection): Promise<void> {
  const columns = nodeSettings.map(([name]) => `current_setting('${name}')`).join(', ');
  const { rows } = await connection.run(`SELECT ${columns} FROM buckets GROUP BY 1, 2, 3`, [], inspectWithinMs);
  const problem = rows.map(findNodeProblem).find((each) => each !== undefined);
  if (problem !== undefined) throw new UnusableServerError(problem);
}

/** @param values in the order of the settings. Returns undefined if plants are safe with them. */
export function findNodeProblem(values: readonly unknown[]): string | undefined {
  const wrong = nodeSettings.findIndex(([, allowed], at) => !allowed.some((each) => each === values[at]));
  const setting = nodeSettings[wrong];
  if (setting === undefined) return undefined;
  const [name, [wanted]] = setting;
  return `a node of Citus has ${name} set to ${String(values[wrong])}; set it to ${wanted} for this user and database on every node`;
}
