/** The SQL that writes plants and their counts. Transactions and decisions are not here. */
import { type EachField, plantFields } from '../../../domain/plant.ts';
import type { NewPlant, StoredPlant } from '../../../domain/schemas.ts';
import type { Connection, Rows, Statement } from '../connect/connection.ts';
import type { RowChanges } from './rows-in-memory.ts';
import { insertChangesetStatement, nowMs } from '../log/change-rows.ts';
import { plantColumns, toPlant } from '../read/values.ts';
import { toWordText } from '../read/plant-search.ts';
import { writeWithinMs } from '../connect/statement.ts';

/** The types of the columns. */
const fieldTypes: EachField<string> = { name: 'text', tag: 'text' };
const types = plantFields.map((field) => fieldTypes[field]);
/** The parameters of `toColumns` as a table. @param first the number of the first one. */
const toTable = (first: number): string =>
  `unnest(${['int8', ...types, 'text'].map((type, at) => `$${first + at}::${type}[]`).join(', ')}) AS row (${plantColumns}, words)`;

/** The numbers of the parameters after those of `toColumns`. */
const [slotParameter, tokensParameter] = [plantFields.length + 3, plantFields.length + 4];

/** In the order of the ids, or two commits could wait for each other. */
const lockRows: Statement = {
  name: 'lock-plants',
  text: `SELECT ${plantColumns} FROM plants WHERE bucket = $1 AND id = ANY($2::int8[]) ORDER BY id FOR UPDATE`,
};

/** For the only bucket: Citus cannot run it as one statement of one node. */
const createRows: Statement = {
  name: 'create-plants',
  text: `WITH inserted AS (
      INSERT INTO plants (${plantColumns}, words)
      SELECT ${plantColumns}, words FROM ${toTable(1)}
      ON CONFLICT (id) DO NOTHING RETURNING ${plantColumns}
    ), logged AS (
      INSERT INTO change_batches (at, ids, ${plantFields.map((field) => `${field}s`).join(', ')}, tokens)
      SELECT ${nowMs}, array_agg(i.id), ${plantFields.map((field) => `array_agg(i.${field})`).join(', ')}, array_agg(a.token)
      FROM inserted AS i JOIN unnest($1::int8[], $${tokensParameter}::text[]) AS a (id, token) USING (id) HAVING count(*) > 0
    ), counted AS (
      INSERT INTO plant_counts AS c VALUES ($${slotParameter}, (SELECT count(*) FROM inserted))
      ON CONFLICT (slot, bucket) DO UPDATE SET plants = c.plants + excluded.plants
    ), tagged AS (
      INSERT INTO tag_counts AS c
      SELECT sha256(convert_to(tag, 'UTF8')), $${slotParameter}, left(tag, 100), tag, count(*)
      FROM inserted WHERE tag IS NOT NULL GROUP BY tag ORDER BY 1
      ON CONFLICT (tag_hash, slot, bucket) DO UPDATE SET plants = c.plants + excluded.plants
    )
    SELECT id FROM unnest($1::int8[]) AS wanted (id) WHERE id NOT IN (SELECT id FROM inserted)`,
};

/**
 * Reads the row of the bucket, so that Citus runs it where the bucket is: else it would first
 * store the rows of `unnest` there.
 */
const insertRows: Statement = {
  name: 'insert-plants',
  text: `INSERT INTO plants (${plantColumns}, words, bucket)
    SELECT ${plantColumns}, words, bucket FROM buckets, ${toTable(2)}
    WHERE bucket = $1`,
};

const updateRows: Statement = {
  name: 'update-plants',
  text: `UPDATE plants AS p SET ${[...plantFields, 'words'].map((field) => `${field} = row.${field}`).join(', ')}
    FROM ${toTable(2)} WHERE p.bucket = $1 AND p.id = row.id`,
};

const deleteRows: Statement = {
  name: 'delete-plants',
  text: 'DELETE FROM plants WHERE bucket = $1 AND id = ANY($2::int8[])',
};

const lockSchemaRow: Statement = { name: 'lock-schema', text: 'SELECT FROM plant_store_schema FOR KEY SHARE' };

const addToTotal: Statement = {
  name: 'add-to-plant-count',
  text: `INSERT INTO plant_counts AS c (bucket, slot, plants) VALUES ($1, $2, $3::int8)
    ON CONFLICT (slot, bucket) DO UPDATE SET plants = c.plants + excluded.plants`,
};

const addToTags: Statement = {
  name: 'add-to-tag-counts',
  text: `INSERT INTO tag_counts AS c
    SELECT sha256(convert_to(tag, 'UTF8')), $2, left(tag, 100), tag, change, bucket
    FROM buckets, unnest($3::text[], $4::int8[]) AS row (tag, change) WHERE bucket = $1 ORDER BY 1
    ON CONFLICT (tag_hash, slot, bucket) DO UPDATE SET plants = c.plants + excluded.plants`,
};

/**
 * Stores those plants whose id is free, and counts them, in one transaction. Resolves to the
 * ids that were not stored. Writes a row even if it stores none, so that its commit waits for
 * the standbys.
 * @param creates each id once.
 */
export async function createPlants(
  connection: Connection,
  creates: readonly { readonly plant: NewPlant; readonly by?: string | undefined }[],
  slot: number,
): Promise<readonly bigint[]> {
  // In the order of their ids, or two commits could wait for each other.
  const sent = creates.toSorted((one, other) => (one.plant.id < other.plant.id ? -1 : 1));
  const columns = toColumns(sent.map(({ plant }) => plant));
  const { rows } = await connection.run(
    createRows,
    [...columns, slot, sent.map(({ by }) => by ?? null)],
    writeWithinMs,
  );
  return rows.map(([id]) => id as bigint);
}

/** Locks the plants, in the order of their ids, and reads them as they are now. */
export async function lockPlants(
  connection: Connection,
  bucket: number,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, StoredPlant>> {
  const { rows } = await connection.run(lockRows, [bucket, ids], writeWithinMs);
  return new Map(rows.map(toPlant).map((plant) => [plant.id, plant]));
}

/**
 * Sends the statements that write the changes, without waiting for an answer. The count is
 * written even if it stays: a transaction that writes nothing would not wait for the standbys,
 * and could acknowledge what they do not have yet.
 */
export function sendChanges(
  connection: Connection,
  bucket: number,
  changes: RowChanges,
  slot: number,
): readonly Promise<Rows>[] {
  const sent: Promise<Rows>[] = [];
  const send = (statement: Statement, values: readonly unknown[]): void =>
    void sent.push(connection.run(statement, values, writeWithinMs));
  const { inserted, updated, deleted, logged, total, byTag } = changes;
  if (inserted.length > 0) send(insertRows, [bucket, ...toColumns(inserted)]);
  if (updated.length > 0) send(updateRows, [bucket, ...toColumns(updated)]);
  if (deleted.length > 0) send(deleteRows, [bucket, deleted]);
  if (logged.length > 0) {
    const { statement, values } = insertChangesetStatement(bucket, logged);
    send(statement, values);
  }
  send(addToTotal, [bucket, slot, total]);
  if (byTag.size > 0) send(addToTags, [bucket, slot, [...byTag.keys()], [...byTag.values()]]);
  return sent;
}

/** Writes the lock of a row that is there always, for a transaction that may write nothing else. */
export function lockSchema(connection: Connection): Promise<Rows> {
  return connection.run(lockSchemaRow, [], writeWithinMs);
}

function toColumns(plants: readonly StoredPlant[]): readonly unknown[][] {
  return [
    plants.map(({ id }) => id),
    ...plantFields.map((field) => plants.map((plant) => plant[field] ?? null)),
    plants.map(toWordText),
  ];
}
