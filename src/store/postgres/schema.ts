/** The tables of a database. migrations.ts creates them, and keeps them up to date. */

/**
 * The number of these tables. Numbers below it are of builds before 1.0.0, whose tables had other
 * columns; until 1.0.0, every change here takes the next number.
 */
export const firstSchema = 24;

/** The oldest schema that this version serves: an older one is migrated first. */
export const oldestSchema = 24;

export interface SchemaStep {
  readonly sql: string;
  /** What follows on Citus. It must also be valid on a server without the extension. */
  readonly citus?: string;
}

/**
 * What versions after 1.0.0 change, in order: the first one leads to `firstSchema + 1`. Only
 * added to. A step must leave what the version before it needs, which may run beside it; what
 * that needs no more is removed one release later. There are none yet but those of tests.
 */
export const schemaSteps: readonly SchemaStep[] = [];

/** An extension may be in another schema than the tables. */
const useTrigrams = `CREATE EXTENSION IF NOT EXISTS pg_trgm;
SELECT set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), extnamespace::regnamespace), true)
  FROM pg_extension WHERE extname = 'pg_trgm';`;

export const tables = `${useTrigrams}

-- Every transaction that writes plants stays in one bucket. Without Citus there is one: 0.
CREATE TABLE buckets (bucket smallint PRIMARY KEY);
INSERT INTO buckets VALUES (0);

CREATE TABLE plants (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  tag text COLLATE "C",
  -- The words of the name, then the words of the tag, without case and accents: " mentha piperita| herbs".
  words text COLLATE "C" NOT NULL,
  bucket smallint NOT NULL DEFAULT 0
);
-- Only the beginning of a tag: an entry of an index has at most 2,704 bytes, and a tag up to 4,000.
CREATE INDEX plants_by_tag ON plants (left(tag, 100), id) WHERE tag IS NOT NULL;
CREATE INDEX plants_without_tag ON plants (id) WHERE tag IS NULL;
-- New entries wait in a list, which every search reads: 1 MiB at most.
CREATE INDEX plants_by_word ON plants USING gin (words gin_trgm_ops) WITH (gin_pending_list_limit = 1024);

-- The sum of the slots counts. A connection that writes has a slot, its own if there are enough, so that writers do not wait for each other.
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

-- Changesets, in the words of the code: a row has the changes of one transaction, until they are moved to the log. "seq" is taken after the locks
-- of the plants' rows: of one plant, a later change has a higher one and is committed later. Of several plants it says nothing: a lower one
-- may be committed after a higher one was read. So only what is committed gets a position in the log.
CREATE TABLE change_batches (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  ids bigint[] NOT NULL,
  names text[] NOT NULL,
  tags text[] NOT NULL,
  names_before text[],
  tags_before text[],
  tokens text[] NOT NULL,
  -- For each change, the index of its group among the names, from 1. Both are null if no change has a group.
  group_numbers int[],
  group_names text[],
  bucket smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (seq, bucket)
);
CREATE TABLE changes (
  position bigint PRIMARY KEY,
  at bigint NOT NULL,
  id bigint NOT NULL,
  -- Null after a deletion.
  name text COLLATE "C",
  tag text COLLATE "C",
  -- Null before a creation.
  name_before text COLLATE "C",
  tag_before text COLLATE "C",
  token text COLLATE "C",
  -- The batch or import that made the change: a key of change_groups. Only changes with a group have an entry in the index.
  change_group bigint
);
CREATE INDEX changes_by_plant ON changes (id, position);
CREATE INDEX changes_by_group ON changes (change_group, id) WHERE change_group IS NOT NULL;
-- The groups of which the log has changes. Written only by who has locked change_log.
CREATE TABLE change_groups (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  -- How many of its changes were removed while the newest change of their plant was one of the group.
  expired bigint NOT NULL DEFAULT 0
);
CREATE TABLE change_log (
  only_row int PRIMARY KEY CHECK (only_row = 0),
  identity text NOT NULL,
  last bigint NOT NULL,
  trimmed bigint NOT NULL,
  -- Changesets that are in the log, and may not be removed from their table yet.
  moved bigint[] NOT NULL DEFAULT '{}',
  -- How long the store was served, in milliseconds on which the clock of the server and a monotonic one of an instance agree. Ages are by
  -- this clock, which no jump moves: a row of change_ages says where the log ended then.
  served bigint NOT NULL DEFAULT 0,
  served_at bigint NOT NULL DEFAULT 0
);
INSERT INTO change_log VALUES (0, left(md5(random()::text || clock_timestamp()::text), 8), 0, 0);
CREATE TABLE change_ages (served bigint PRIMARY KEY, position bigint NOT NULL);

CREATE TABLE tokens (
  id text COLLATE "C" PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  hash text COLLATE "C" NOT NULL UNIQUE,
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  -- The token that created this one.
  created_by text,
  -- When it was noted that it was revoked or has expired, by the clock of change_log.served.
  ended bigint
);
-- Each row can be inserted once: whoever inserts it does what it stands for.
CREATE TABLE guards (name text COLLATE "C" PRIMARY KEY);

-- A webhook is one document: there are few. Settings and progress apart, so that each row has one writer.
CREATE TABLE webhooks (
  id text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  document text NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE webhook_progress (
  webhook text COLLATE "C" PRIMARY KEY REFERENCES webhooks ON DELETE CASCADE,
  step bigint NOT NULL,
  document text NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE webhook_deliveries (
  webhook text COLLATE "C" NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  number bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- By the clock of the change log, at the last attempt.
  served bigint NOT NULL,
  document text NOT NULL,
  PRIMARY KEY (webhook, number)
);
-- The instance that delivers, and until when. It renews this row in time, or another one takes over.
CREATE TABLE delivery_lease (
  only_row int PRIMARY KEY CHECK (only_row = 0),
  owner text NOT NULL,
  until timestamptz NOT NULL
) WITH (fillfactor = 50);
INSERT INTO delivery_lease VALUES (0, '', '-infinity');`;
