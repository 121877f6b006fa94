/** Whether the tables of a database suit this program, and whether its user and its nodes may be trusted with them. */
import { type Buckets, bucketsOf } from './buckets.ts';
import { type Connection, UnusableServerError } from './connection.ts';
import { findSchemaProblem, readSchema } from './migrations.ts';

const readWithinMs = 10_000;

/**
 * @param buckets gets their number.
 * @param isServing as in `findSchemaProblem`.
 * @throws UnusableServerError when the tables are missing, do not suit this program, or may not be written, or when a node of Citus would
 * change or lose plants.
 */
export async function requireSchema(connection: Connection, buckets: Buckets, isServing: boolean): Promise<void> {
  const schema = await readSchema(connection);
  const problem = findSchemaProblem(schema, isServing);
  if (schema === undefined || problem !== undefined) throw new UnusableServerError(problem);
  const isDivided = schema.engine === 'citus';
  await requireRights(connection, isDivided);
  if (isDivided) await requireNodes(connection);
  buckets.count = bucketsOf[schema.engine];
}

async function requireRights(connection: Connection, isDivided: boolean): Promise<void> {
  const sequence = `has_sequence_privilege('change_batches_seq_seq', 'SELECT, UPDATE')`;
  const { rows } = await connection.run(
    `SELECT has_table_privilege('plants', 'INSERT'), ${isDivided ? sequence : 'true'}, current_user`,
    [],
    readWithinMs,
  );
  const [mayWrite, mayCount, user] = rows[0] ?? [];
  const denied = mayWrite !== true ? 'table plants' : mayCount !== true ? 'sequence change_batches_seq_seq' : undefined;
  if (denied !== undefined)
    throw new UnusableServerError(
      `the user ${String(user)} may not write to the ${denied}; see deploy/postgres/roles.sql`,
    );
}

/** What each session of a node must have: Citus does not pass on what the session of the coordinator sets. */
const nodeSettings = [
  ['array_nulls', ['on']],
  ['synchronous_commit', ['on', 'remote_apply']],
  ['fsync', ['on']],
] as const;

/** Each node evaluates the settings of its own session. */
async function requireNodes(connection: Connection): Promise<void> {
  const columns = nodeSettings.map(([name]) => `current_setting('${name}')`).join(', ');
  const { rows } = await connection.run(`SELECT ${columns} FROM buckets GROUP BY 1, 2, 3`, [], readWithinMs);
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
