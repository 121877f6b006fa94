/**
 * The schema, as ordered, forward-only steps, each in a transaction of its own. Safe from several instances at once: a row is locked.
 * A step must leave what the version before it needs; what that needs no more is removed one release later.
 */
import type { Connection } from './connection.ts';
import { sqlStateOf } from './error-code.ts';

export interface Step {
  readonly number: number;
  readonly sql: string;
}

const steps: readonly string[] = [
  `CREATE TABLE plants (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  tag text COLLATE "C",
  words tsvector NOT NULL
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
  PRIMARY KEY (tag_hash, slot)
) WITH (fillfactor = 50);
CREATE INDEX tag_counts_by_tag ON tag_counts (tag_head);
CREATE TABLE plant_counts (
  slot int PRIMARY KEY,
  plants bigint NOT NULL
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
  `-- Writers take "seq" after the lock of the plant's row: of one plant, a later change has a higher one and is committed later. Of several
-- plants it says nothing: a lower one may be committed after a higher one was read. So "position" is set later, to what is committed.
CREATE TABLE changes (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  position bigint,
  at bigint NOT NULL,
  id bigint NOT NULL,
  name text COLLATE "C",
  tag text COLLATE "C",
  name_before text COLLATE "C",
  tag_before text COLLATE "C",
  token text COLLATE "C"
);
CREATE UNIQUE INDEX changes_by_position ON changes (position) WHERE position IS NOT NULL;
CREATE INDEX changes_without_position ON changes (seq) WHERE position IS NULL;
CREATE INDEX changes_by_plant ON changes (id, position);
CREATE TABLE change_log (
  only_row int PRIMARY KEY CHECK (only_row = 0),
  identity text NOT NULL,
  last bigint NOT NULL,
  trimmed bigint NOT NULL
);
INSERT INTO change_log VALUES (0, left(md5(random()::text || clock_timestamp()::text), 8), 0, 0);`,
  `-- A webhook is one document: there are few, and only its owner's settings and its cursor change.
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
];

/** The newest schema that this program knows; it works with the one before it too, while instances are replaced. */
export const currentSchema = steps.length;
const oldestSchema = 3;

const statementWithinMs = 600_000;
const lockWaitsMax = 30;

/** The number of the schema; 0 when there is none yet. */
export async function readSchema(connection: Connection): Promise<number> {
  const { rows } = await connection.run(`SELECT to_regclass('plant_store_schema') IS NOT NULL`, [], statementWithinMs);
  if (rows[0]?.[0] !== true) return 0;
  const read = await connection.run('SELECT number FROM plant_store_schema', [], statementWithinMs);
  return Number(read.rows[0]?.[0] ?? 0);
}

/** The steps that a database with this schema has not taken. @throws Error when its schema is newer than this program. */
export function stepsAfter(schema: number): readonly Step[] {
  if (schema > currentSchema) throw new Error(newerSchema(schema));
  return steps.slice(schema).map((sql, index) => ({ number: schema + index + 1, sql }));
}

/** One line for an operator when the service cannot work with this schema; undefined when it can. */
export function findSchemaFault(schema: number): string | undefined {
  if (schema > currentSchema) return newerSchema(schema);
  if (schema >= oldestSchema) return undefined;
  const state = schema === 0 ? 'it has no tables yet' : `its schema ${schema} is too old`;
  return `${state}; run "plant-store migrate"`;
}

/** Takes every step that is missing. Resolves to their numbers. @throws Error when the schema is newer than this program. */
export async function migrate(connection: Connection): Promise<readonly number[]> {
  const run = (sql: string): Promise<unknown> => connection.run(sql, [], statementWithinMs);
  // Two at once may both find no table; one of them then fails with "duplicate key" or "already exists".
  await run(
    `CREATE TABLE IF NOT EXISTS plant_store_schema (only_row int PRIMARY KEY CHECK (only_row = 0), number int NOT NULL)`,
  ).catch(ignoreDuplicate);
  await run('INSERT INTO plant_store_schema VALUES (0, 0) ON CONFLICT DO NOTHING');
  const taken: number[] = [];
  for (let waits = 0; ;) {
    await run('BEGIN');
    try {
      const { rows } = await connection.run('SELECT number FROM plant_store_schema FOR UPDATE', [], statementWithinMs);
      const [step] = stepsAfter(Number(rows[0]?.[0]));
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
