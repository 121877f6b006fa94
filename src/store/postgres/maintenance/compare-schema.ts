/**
 * Compares the tables of a database with those of this program, which are made for it as
 * temporary ones. What an operator has added is left out.
 */
import type { Engine } from '../division.ts';
import type { Connection } from '../connect/connection.ts';
import { sqlStateOf } from '../connect/error-code.ts';
import { stepsAfter } from './migrations.ts';

const statementWithinMs = 60_000;
const insufficientPrivilege = '42501';
/** The operator class of the index. */
const undefinedObject = '42704';

/** Selects each table, column, index and constraint of a schema with its definition. */
const describe = `SELECT kind, name, what FROM (
    SELECT 'table' AS kind, relname::text AS name, '' AS what, relnamespace AS schema FROM pg_class WHERE relkind IN ('r', 'p')
    UNION ALL SELECT 'column', relname || '.' || attname,
      concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END, collname,
        'DEFAULT ' || pg_get_expr(adbin, adrelid), 'IDENTITY ' || nullif(attidentity::text, '')), relnamespace
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      LEFT JOIN pg_collation ON pg_collation.oid = attcollation AND attcollation <> 100
      WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT 'index', i.relname,
      regexp_replace(pg_get_indexdef(indexrelid), ' ON (ONLY )?\\S+|\\S+\\.(?=gin_trgm_ops)', '', 'g') || CASE WHEN indisvalid THEN '' ELSE ' INVALID' END, i.relnamespace
      FROM pg_index JOIN pg_class AS i ON i.oid = indexrelid
    UNION ALL SELECT 'constraint', conname, regexp_replace(pg_get_constraintdef(pg_constraint.oid), 'REFERENCES \\S+', 'REFERENCES'),
      connamespace FROM pg_constraint WHERE contype IN ('f', 'c')
  ) AS found WHERE schema = $1::regnamespace`;

/** One sentence for each table, column, index and constraint not as this program made it. */
export async function compareSchema(connection: Connection, engine: Engine): Promise<readonly string[]> {
  const run = async (sql: string, values: readonly unknown[] = []) =>
    (await connection.run(sql, values, statementWithinMs)).rows as readonly (readonly string[])[];
  await run('BEGIN');
  try {
    const [[schema = '', path = ''] = []] = await run(
      `SELECT relnamespace::regnamespace::text, current_setting('search_path') FROM pg_class WHERE oid = 'plant_store_schema'::regclass`,
    );
    await run(`SET LOCAL search_path = pg_temp`);
    for (const { sql } of stepsAfter(undefined, engine)) await run(toTemporary(sql));
    const [[own = ''] = []] = await run('SELECT pg_my_temp_schema()::regnamespace::text');
    const wanted = await run(describe, [own]);
    await run(`SELECT set_config('search_path', $1, true)`, [path]);
    const found = new Map(
      (await run(describe, [schema])).map(([kind = '', name = '', what]) => [`${kind} ${name}`, what]),
    );
    return wanted.flatMap(([kind = '', name = '', what = '']) => {
      const is = found.get(`${kind} ${name}`);
      if (is === undefined) return [`The ${kind} ${name} is missing`];
      return is === what ? [] : [`The ${kind} ${name} is "${is}" where this program made "${what}"`];
    });
  } catch (error) {
    if (sqlStateOf(error) === undefinedObject)
      return ['The extension pg_trgm is missing, and the index of words with it'];
    if (sqlStateOf(error) !== insufficientPrivilege) throw error;
    return ['The tables were not compared with those of this program: the user lacks TEMPORARY on the database'];
  } finally {
    await run('ROLLBACK');
  }
}

/** A temporary table is not divided, and never logged. */
function toTemporary(sql: string): string {
  return sql
    .replaceAll(/CREATE EXTENSION .*/g, '')
    .replaceAll('CREATE UNLOGGED TABLE', 'CREATE TABLE')
    .replaceAll(/DO \$\$ BEGIN[^]*?END \$\$;/g, '');
}
