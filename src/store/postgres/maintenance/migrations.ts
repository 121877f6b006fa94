/** Creates the tables of schema.ts and takes its steps, each in a transaction; several instances may at once. */
import { divisionOf } from '../citus/divided.ts';
import { toDividedTables } from '../citus/divided-tables.ts';
import type { Connection } from '../connect/connection.ts';
import { sqlStateOf } from '../connect/error-code.ts';
import type { Engine } from '../division.ts';
import { firstSchema, oldestSchema, type SchemaStep, schemaSteps, tables } from '../schema.ts';

export interface Step {
  readonly number: number;
  readonly sql: string;
}

/** What a database has been made for, and how far. */
export interface Schema {
  /** 0 when there are no tables. */
  readonly number: number;
  readonly engine: Engine;
}

/** The newest schema that this program knows. */
function currentSchema(): number {
  return firstSchema + schemaSteps.length;
}

/** What a database is made for when nobody says it. */
const newEngine: Engine = 'postgres';
const schemaTable = `CREATE TABLE IF NOT EXISTS plant_store_schema
  (only_row int PRIMARY KEY CHECK (only_row = 0), number int NOT NULL, engine text NOT NULL)`;
/** Only somebody who locks the table makes it take longer. */
const inspectWithinMs = 5_000;
const statementWithinMs = 600_000;
const lockWaitsMax = 30;

/** Resolves to undefined when there is none yet. */
export async function readSchema(connection: Connection): Promise<Schema | undefined> {
  const { rows } = await connection.run(`SELECT to_regclass('plant_store_schema') IS NOT NULL`, [], inspectWithinMs);
  if (rows[0]?.[0] !== true) return undefined;
  const read = await connection.run('SELECT number, engine FROM plant_store_schema', [], inspectWithinMs);
  const [number, engine] = read.rows[0] ?? [];
  return number === undefined ? undefined : { number: Number(number), engine: engine as Engine };
}

/**
 * The steps that a database has not taken.
 * @param schema undefined: it has none yet.
 * @param wanted as `migrate`.
 * @throws Error as `migrate`.
 */
export function stepsAfter(schema: Schema | undefined, wanted?: Engine): readonly Step[] {
  const { number, engine } = schema ?? { number: 0, engine: wanted ?? newEngine };
  const unknown = findUnknown(number);
  if (unknown !== undefined) throw new Error(unknown);
  if (wanted !== undefined && wanted !== engine)
    throw new Error(`it was made for the engine ${engine}; use a new database, and "plant-store copy"`);
  const first: SchemaStep = { sql: tables, citus: toDividedTables(divisionOf.citus.buckets) };
  return [first, ...schemaSteps]
    .map(({ sql, citus }, index) => ({
      number: firstSchema + index,
      sql: engine === 'citus' && citus !== undefined ? `${sql}\n${citus}` : sql,
    }))
    .filter((step) => step.number > number);
}

/** Returns the missing steps as a script with the same result as `migrate`. */
export function scriptAfter(schema: Schema | undefined, wanted?: Engine): readonly Step[] {
  return stepsAfter(schema, wanted).map((step) => {
    const begin = step.number === firstSchema ? `${schemaTable};\n${toInsert(wanted)};\n` : '';
    return { ...step, sql: `BEGIN;\n${begin}${step.sql}\n${toUpdate(step)};\nCOMMIT;` };
  });
}

function toInsert(engine: Engine = newEngine): string {
  return `INSERT INTO plant_store_schema VALUES (0, 0, '${engine}') ON CONFLICT DO NOTHING`;
}

function toUpdate({ number }: Step): string {
  return `UPDATE plant_store_schema SET number = ${number}`;
}

/**
 * One line for an operator when the service cannot work with this schema; undefined when it can.
 * @param isServing whether it works with this database already. The steps that a newer version
 * takes meanwhile leave what it needs.
 */
export function findSchemaProblem(schema: Schema | undefined, isServing = false): string | undefined {
  const number = schema?.number ?? 0;
  const unknown = findUnknown(number);
  if (unknown !== undefined) return isServing && number > currentSchema() ? undefined : unknown;
  if (number >= oldestSchema) return undefined;
  const state = number === 0 ? 'it has no tables yet' : `its schema ${number} is too old`;
  return `${state}; run "plant-store migrate"`;
}

/**
 * The user, and the schemas with tables of this service into which the user does not look. Another
 * instance may have made the tables since `readSchema`: these are visible, and no other store's.
 */
const selectElsewhere = `SELECT quote_ident(current_user), string_agg(quote_ident(nspname), ', ' ORDER BY nspname)
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
  WHERE relname = 'plant_store_schema' AND relkind = 'r' AND relpersistence <> 't' AND NOT pg_table_is_visible(c.oid)`;

/** One line for an operator if there are tables in a schema that the user does not look into. */
export async function findElsewhere(connection: Connection, schema: Schema | undefined): Promise<string | undefined> {
  if (schema !== undefined) return undefined;
  const { rows } = await connection.run(selectElsewhere, [], inspectWithinMs);
  const [user, schemas] = rows[0] as readonly [string, string | null];
  if (schemas === null) return undefined;
  return `it has tables in the schema ${schemas}, which is not in the search_path of ${user}; run "ALTER ROLE ${user} SET search_path = ${schemas}", and "GRANT USAGE ON SCHEMA ${schemas} TO ${user}" if that user does not own it. For one more store in this database, apply the SQL of "plant-store migrate --dry-run" with psql`;
}

/**
 * Takes every step that is missing. Resolves to their numbers.
 * @param engine what a new database is made for; absent: PostgreSQL.
 * @throws Error when the database was made for another engine, or its schema is newer than this
 * program or of a build before 1.0.0; when there are tables in another schema only; when the user
 * may not do it.
 */
export async function migrate(connection: Connection, engine?: Engine): Promise<readonly number[]> {
  // A user who may not create tables may still ask.
  const schema = await readSchema(connection);
  if (schema !== undefined && stepsAfter(schema, engine).length === 0) return [];
  const elsewhere = await findElsewhere(connection, schema);
  if (elsewhere !== undefined) throw new Error(elsewhere);
  try {
    return await takeSteps(connection, engine);
  } catch (cause) {
    // insufficient_privilege (postgresql.org/docs/current/errcodes-appendix.html)
    if (!(cause instanceof Error) || sqlStateOf(cause) !== '42501') throw cause;
    const remedy =
      schema === undefined
        ? 'run it as a user with the right CREATE on the schema'
        : 'run it as the owner of the tables';
    throw new Error(`${cause.message}; ${remedy}`, { cause });
  }
}

async function takeSteps(connection: Connection, engine?: Engine): Promise<readonly number[]> {
  const run = (sql: string): Promise<unknown> => connection.run(sql, [], statementWithinMs);
  // Two at once may both find no table; one fails with "duplicate key" or "already exists".
  await run(schemaTable).catch(ignoreDuplicate);
  await run(toInsert(engine));
  await requireTrigrams(connection, run);
  const taken: number[] = [];
  for (let waits = 0; ;) {
    await run('BEGIN');
    try {
      await run('SELECT FROM plant_store_schema FOR UPDATE');
      const [step] = stepsAfter(await readSchema(connection), engine);
      if (step === undefined) {
        await run('COMMIT');
        return taken;
      }
      // A table in use is waited for briefly: those behind must not be held up by the wait.
      await run(`SET LOCAL lock_timeout = '2s'`);
      await run(step.sql);
      await run(toUpdate(step));
      await run('COMMIT');
      taken.push(step.number);
    } catch (error) {
      await run('ROLLBACK');
      if (sqlStateOf(error) !== '55P03' || ++waits === lockWaitsMax) throw error;
    }
  }
}

/** Runs apart from the step: the code of an error does not say which statement failed. */
async function requireTrigrams(connection: Connection, run: (sql: string) => Promise<unknown>): Promise<void> {
  try {
    await run('CREATE EXTENSION IF NOT EXISTS pg_trgm').catch(ignoreDuplicate);
  } catch (cause) {
    const remedy = withoutExtension[sqlStateOf(cause) ?? ''];
    throw remedy === undefined ? cause : new Error(remedy, { cause });
  }
  const { rows } = await connection.run(selectClosed, [], inspectWithinMs);
  if (rows[0] !== undefined)
    throw new Error(`its user may not use the extension pg_trgm; run "${String(rows[0][0])}" as a superuser first`);
}

/** A statement, if the extension is in a schema that the user may not use. */
const selectClosed = `SELECT format('GRANT USAGE ON SCHEMA %s TO %I', extnamespace::regnamespace, current_user)
  FROM pg_extension WHERE extname = 'pg_trgm' AND NOT has_schema_privilege(extnamespace, 'USAGE')`;
const isMissing =
  'its server does not have the extension pg_trgm; install the additional modules of PostgreSQL (the package postgresql-contrib)';
/** By the code of the failure: insufficient privilege; feature not supported; undefined file. */
const withoutExtension: Readonly<Record<string, string>> = {
  '42501':
    'its user may not create the extension pg_trgm; run "CREATE EXTENSION pg_trgm" in this database as a superuser first',
  '0A000': isMissing,
  '58P01': isMissing,
};

function ignoreDuplicate(error: unknown): void {
  if (!['23505', '42P07', '42710'].includes(sqlStateOf(error) ?? '')) throw error;
}

/** Returns one line if no step leads from this schema to the current one. */
function findUnknown(schema: number): string | undefined {
  if (schema > 0 && schema < firstSchema)
    return `its tables were made by a build before 1.0.0 (schema ${schema}; this program begins with ${firstSchema}); export the plants with that build, and import them with this one into a new database`;
  return schema <= currentSchema()
    ? undefined
    : `its schema ${schema} is newer than this program, which knows ${currentSchema()}; install a newer version`;
}
