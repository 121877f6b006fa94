/** Whether the tables of a database suit this program, and its user and nodes may be trusted. */
import { divisionOf } from '../citus/divided.ts';
import { findSequenceProblem, requireNodes, rightsOfDivided } from '../citus/nodes.ts';
import type { Connection } from '../connect/connection.ts';
import { UnusableServerError } from '../connect/server-state.ts';
import type { Division, Engine } from '../division.ts';
import { findElsewhere, findSchemaProblem, readSchema } from './migrations.ts';

const inspectWithinMs = 10_000;

/** What the service does with each table: S(elect), I(nsert), U(pdate), D(elete). */
const rightsOf: Readonly<Record<string, string>> = {
  plant_store_schema: 'SU',
  buckets: 'S',
  plants: 'SIUD',
  plant_counts: 'SIU',
  tag_counts: 'SIUD',
  tokens: 'SIUD',
  guards: 'SI',
  change_batches: 'SID',
  changes: 'SID',
  change_groups: 'SIUD',
  change_log: 'SU',
  change_ages: 'SID',
  webhooks: 'SIUD',
  webhook_deliveries: 'SIUD',
  webhook_progress: 'SIUD',
  delivery_lease: 'SU',
};
const words: Readonly<Record<string, string>> = { S: 'SELECT', I: 'INSERT', U: 'UPDATE', D: 'DELETE' };

/**
 * Selects, for each table, whether it is missing, not logged or has a policy, and the missing
 * rights.
 */
const selectTables = `SELECT wanted.name, c.oid IS NULL, c.relpersistence <> 'p', row_security_active(c.oid),
    (SELECT string_agg(each, ', ') FROM unnest(string_to_array(wanted.rights, ' ')) AS each
      WHERE NOT has_table_privilege(c.oid, each)), current_user
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (name, rights, place)
    LEFT JOIN pg_class AS c ON c.oid = to_regclass(wanted.name)
  ORDER BY wanted.place`;

type TableRow = readonly [string, boolean, boolean | null, boolean | null, string | null, string];

/**
 * Resolves to how the plants are divided.
 * @param isServing as in `findSchemaProblem`.
 * @throws UnusableServerError when the tables are missing, do not suit this program, or may not
 * be written, or when a node of Citus would change or lose plants.
 */
export async function requireSchema(connection: Connection, isServing: boolean): Promise<Division> {
  const schema = await readSchema(connection);
  const problem =
    (await findElsewhere(connection, schema)) ??
    findSchemaProblem(schema, isServing) ??
    (schema && (await findTableProblem(connection, schema.engine)));
  if (schema === undefined || problem !== undefined) throw new UnusableServerError(problem);
  if (schema.engine === 'citus') await requireNodes(connection);
  return divisionOf[schema.engine];
}

/** One line for an operator if a table cannot be used as the service does; undefined: all can. */
async function findTableProblem(connection: Connection, engine: Engine): Promise<string | undefined> {
  const wanted = Object.entries(engine === 'citus' ? { ...rightsOf, ...rightsOfDivided } : rightsOf);
  const values = [
    wanted.map(([name]) => name),
    wanted.map(([, rights]) => [...rights].map((right) => words[right]).join(' ')),
  ];
  const { rows } = await connection.run(selectTables, values, inspectWithinMs);
  for (const [name, isMissing, isUnlogged, isFiltered, lacking, user] of rows as readonly TableRow[]) {
    if (isMissing) return `its table ${name} is missing; restore it from a backup`;
    if (lacking !== null)
      return `the user ${user} lacks ${lacking} on the table ${name}; see deploy/postgres/roles.sql`;
    if (isFiltered === true)
      return `row level security hides rows of the table ${name} from the user ${user}; turn it off for this table, or give the user BYPASSRLS`;
    if (isUnlogged === true && !(name in rightsOfDivided))
      return `the table ${name} is not logged: a crash would empty it; run ALTER TABLE ${name} SET LOGGED`;
  }
  return engine === 'citus' ? findSequenceProblem(connection) : undefined;
}
