/**
 * The schema, as ordered, forward-only steps, each in a transaction of its own. Safe from several instances at once: a row is locked.
 * A step must leave what the version before it needs; what that needs no more is removed one release later.
 */
import { bucketsOf, type Engine } from './buckets.ts';
import type { Connection } from './connection.ts';
import { sqlStateOf } from './error-code.ts';

export interface Step {
  readonly number: number;
  readonly sql: string;
}

/** What a database has been made for, and how far. */
export interface Schema {
  /** The last step that was taken; 0 when there are no tables. */
  readonly number: number;
  readonly engine: Engine;
}

interface Definition {
  readonly sql: string;
  /** What follows on Citus. It must also be valid on a server without the extension. */
  readonly citus?: string;
}

const steps: readonly Definition[] = [
  {
    sql: `-- Every transaction that writes plants stays in one bucket. Without Citus there is one: 0.
CREATE TABLE buckets (bucket smallint PRIMARY KEY);
INSERT INTO buckets VALUES (0);
CREATE TABLE plants (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  tag text COLLATE "C",
  words tsvector NOT NULL,
  bucket smallint NOT NULL DEFAULT 0
);
-- Only the beginning of a tag: an entry of an index has at most 2,704 bytes, and a tag up to 4,000.
CREATE INDEX plants_by_tag ON plants (left(tag, 100), id) WHERE tag IS NOT NULL;
-- New entries wait in a list, which every search reads: 1 MiB at most.
CREATE INDEX plants_by_word ON plants USING gin (words) WITH (gin_pending_list_limit = 1024);
-- One row for each tag and writing connection, so that writers do not wait for each other; the sum counts.
CREATE TABLE tag_counts (
  tag_hash bytea NOT NULL,
  slot int NOT NULL,
  tag_head text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  plants bigint NOT NULL,
  bucket smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (tag_hash, slot, bucket)
) WITH (fillfactor = 50);
CREATE INDEX tag_counts_by_tag ON tag_counts (tag_head);
CREATE TABLE plant_counts (
  slot int NOT NULL,
  plants bigint NOT NULL,
  bucket smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (slot, bucket)
) WITH (fillfactor = 20);
CREATE TABLE tokens (
  id text COLLATE "C" PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  hash text COLLATE "C" NOT NULL UNIQUE,
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
-- Each row can be inserted once: whoever inserts it does what it stands for.
CREATE TABLE guards (name text COLLATE "C" PRIMARY KEY);`,
    citus: `INSERT INTO buckets SELECT generate_series(1, ${bucketsOf.citus - 1});
ALTER TABLE plants DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id, bucket);
${distribute(['plants', 'buckets', 'tag_counts', 'plant_counts'])}`,
  },
  {
    sql: `-- What each batch has changed, until it is moved to the log. "seq" is taken after the locks of the plants' rows: of one plant, a later
-- change has a higher one and is committed later. Of several plants it says nothing: a lower one may be committed after a higher one was
-- read. So only what is committed gets a place in the log.
CREATE TABLE change_batches (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  ids bigint[] NOT NULL,
  names text[] NOT NULL,
  tags text[] NOT NULL,
  names_before text[],
  tags_before text[],
  tokens text[] NOT NULL,
  bucket smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (seq, bucket)
);
CREATE TABLE changes (
  position bigint PRIMARY KEY,
  at bigint NOT NULL,
  id bigint NOT NULL,
  name text COLLATE "C",
  tag text COLLATE "C",
  name_before text COLLATE "C",
  tag_before text COLLATE "C",
  token text COLLATE "C"
);
CREATE INDEX changes_by_plant ON changes (id, position);
CREATE TABLE change_log (
  only_row int PRIMARY KEY CHECK (only_row = 0),
  identity text NOT NULL,
  last bigint NOT NULL,
  trimmed bigint NOT NULL,
  -- Batches that are in the log, and may not be removed yet.
  moved bigint[] NOT NULL DEFAULT '{}'
);
INSERT INTO change_log VALUES (0, left(md5(random()::text || clock_timestamp()::text), 8), 0, 0);`,
    citus: `-- Has its row if the numbers of batches were skipped since the last crash or failover: both empty a table that is not logged.
CREATE UNLOGGED TABLE skipped_numbers (only_row int PRIMARY KEY CHECK (only_row = 0));
${distribute(['change_batches'])}`,
  },
  {
    sql: `-- A webhook is one document: there are few, and only its owner's settings and its cursor change.
CREATE TABLE webhooks (
  id text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  document text NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE webhook_deliveries (
  webhook text COLLATE "C" NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  number bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  document text NOT NULL,
  PRIMARY KEY (webhook, number)
);
-- The instance that delivers, and until when. It renews this row in time, or another one takes over.
CREATE TABLE webhook_lease (
  only_row int PRIMARY KEY CHECK (only_row = 0),
  owner text NOT NULL,
  until timestamptz NOT NULL
) WITH (fillfactor = 50);
INSERT INTO webhook_lease VALUES (0, '', '-infinity');`,
  },
];

/** Rows of one bucket are on one node, whatever their table. The tables that are not named stay on the coordinator. */
function distribute(tables: readonly string[]): string {
  const calls = tables.map((table) =>
    table === 'plants'
      ? `PERFORM create_distributed_table('plants', 'bucket', shard_count => ${bucketsOf.citus});`
      : `PERFORM create_distributed_table('${table}', 'bucket', colocate_with => 'plants');`,
  );
  return `DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    ${calls.join('\n    ')}
  END IF;
END $$;`;
}

/** The newest schema that this program knows; it works with the one before it too, while instances are replaced. */
export const currentSchema = steps.length;
const oldestSchema = 3;

/** What a database is made for when nobody says it. */
const newEngine: Engine = 'postgres';
const statementWithinMs = 600_000;
const lockWaitsMax = 30;

/** Resolves to undefined when there is none yet. */
export async function readSchema(connection: Connection): Promise<Schema | undefined> {
  const { rows } = await connection.run(`SELECT to_regclass('plant_store_schema') IS NOT NULL`, [], statementWithinMs);
  if (rows[0]?.[0] !== true) return undefined;
  const read = await connection.run('SELECT number, engine FROM plant_store_schema', [], statementWithinMs);
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
  if (number > currentSchema) throw new Error(newerSchema(number));
  if (wanted !== undefined && wanted !== engine)
    throw new Error(`it was made for the engine ${engine}; use a new database, and "plant-store copy"`);
  return steps.slice(number).map(({ sql, citus }, index) => ({
    number: number + index + 1,
    sql: engine === 'citus' && citus !== undefined ? `${sql}\n${citus}` : sql,
  }));
}

/** One line for an operator when the service cannot work with this schema; undefined when it can. */
export function findSchemaProblem(schema: Schema | undefined): string | undefined {
  const number = schema?.number ?? 0;
  if (number > currentSchema) return newerSchema(number);
  if (number >= oldestSchema) return undefined;
  const state = number === 0 ? 'it has no tables yet' : `its schema ${number} is too old`;
  return `${state}; run "plant-store migrate"`;
}

/**
 * Takes every step that is missing. Resolves to their numbers.
 * @param engine what a new database is made for; absent: PostgreSQL.
 * @throws Error when the database was made for another engine, or its schema is newer than this program.
 */
export async function migrate(connection: Connection, engine?: Engine): Promise<readonly number[]> {
  const run = (sql: string): Promise<unknown> => connection.run(sql, [], statementWithinMs);
  // Two at once may both find no table; one of them then fails with "duplicate key" or "already exists".
  await run(
    `CREATE TABLE IF NOT EXISTS plant_store_schema
     (only_row int PRIMARY KEY CHECK (only_row = 0), number int NOT NULL, engine text NOT NULL)`,
  ).catch(ignoreDuplicate);
  await connection.run(
    'INSERT INTO plant_store_schema VALUES (0, 0, $1) ON CONFLICT DO NOTHING',
    [engine ?? newEngine],
    statementWithinMs,
  );
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
      // A table that is in use is waited for briefly, so that those behind are not held up by the wait.
      await run(`SET LOCAL lock_timeout = '2s'`);
      await run(step.sql);
      await connection.run('UPDATE plant_store_schema SET number = $1', [step.number], statementWithinMs);
      await run('COMMIT');
      taken.push(step.number);
    } catch (error) {
      await run('ROLLBACK');
      if (sqlStateOf(error) !== '55P03' || ++waits === lockWaitsMax) throw error;
    }
  }
}

function ignoreDuplicate(error: unknown): void {
  if (!['23505', '42P07', '42710'].includes(sqlStateOf(error) ?? '')) throw error;
}

function newerSchema(schema: number): string {
  return `its schema ${schema} is newer than this program, which knows ${currentSchema}; install a newer version`;
}
