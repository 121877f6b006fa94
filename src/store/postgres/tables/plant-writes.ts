/** The SQL that writes plants and their counts. Transactions and decisions are not here. */
import type { NewPlant, StoredPlant } from '../../../domain/schemas.ts';
import { toWords } from '../../search-tokens.ts';
import type { Connection, Rows, Statement } from '../connection.ts';
import type { RowChanges } from '../plant-changes.ts';
import { insertChangesQuery, nowMs } from './change-rows.ts';
import { toPlant } from './plant-reads.ts';

/** Longest time for one statement of a write, in milliseconds. */
export const writeWithinMs = 5_000;

/** Rows are locked in the order of their ids everywhere, or two batches could wait for each other. */
const lockRows: Statement = {
  name: 'lock-plants',
  text: 'SELECT id, name, tag FROM plants WHERE id = ANY($1::int8[]) ORDER BY id FOR UPDATE',
};

const createRows: Statement = {
  name: 'create-plants',
  text: `WITH inserted AS (
      INSERT INTO plants (id, name, tag, words)
      SELECT id, name, tag, array_to_tsvector(string_to_array(words, ' '))
      FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[]) AS row (id, name, tag, words)
      ON CONFLICT (id) DO NOTHING RETURNING id, name, tag
    ), logged AS (
      INSERT INTO changes (at, id, name, tag, token)
      SELECT ${nowMs}, i.id, i.name, i.tag, a.token
      FROM inserted AS i JOIN unnest($1::int8[], $6::text[]) AS a (id, token) USING (id)
    ), counted AS (
      INSERT INTO plant_counts AS c VALUES ($5, (SELECT count(*) FROM inserted))
      ON CONFLICT (slot) DO UPDATE SET plants = c.plants + excluded.plants
    ), tagged AS (
      INSERT INTO tag_counts AS c
      SELECT sha256(convert_to(tag, 'UTF8')), $5, left(tag, 100), tag, count(*)
      FROM inserted WHERE tag IS NOT NULL GROUP BY tag ORDER BY 1
      ON CONFLICT (tag_hash, slot) DO UPDATE SET plants = c.plants + excluded.plants
    )
    SELECT id FROM unnest($1::int8[]) AS wanted (id) WHERE id NOT IN (SELECT id FROM inserted)`,
};

const insertRows: Statement = {
  name: 'insert-plants',
  text: `INSERT INTO plants (id, name, tag, words)
    SELECT id, name, tag, array_to_tsvector(string_to_array(words, ' '))
    FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[]) AS row (id, name, tag, words)`,
};

const updateRows: Statement = {
  name: 'update-plants',
  text: `UPDATE plants AS p SET name = row.name, tag = row.tag, words = array_to_tsvector(string_to_array(row.words, ' '))
    FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[]) AS row (id, name, tag, words) WHERE p.id = row.id`,
};

const deleteRows: Statement = { name: 'delete-plants', text: 'DELETE FROM plants WHERE id = ANY($1::int8[])' };

const addToTotal: Statement = {
  name: 'add-to-plant-count',
  text: `INSERT INTO plant_counts AS c VALUES ($1, $2::int8)
    ON CONFLICT (slot) DO UPDATE SET plants = c.plants + excluded.plants`,
};

const addToTags: Statement = {
  name: 'add-to-tag-counts',
  text: `INSERT INTO tag_counts AS c
    SELECT sha256(convert_to(tag, 'UTF8')), $1, left(tag, 100), tag, change
    FROM unnest($2::text[], $3::int8[]) AS row (tag, change) ORDER BY 1
    ON CONFLICT (tag_hash, slot) DO UPDATE SET plants = c.plants + excluded.plants`,
};

/**
 * Stores those plants whose id is free, and counts them, in one transaction. Resolves to the ids that were not stored. Writes a row even
 * if it stores none, so that its commit waits for the standbys.
 * @param creates ascending by id, each id once.
 */
export async function createPlants(
  connection: Connection,
  creates: readonly { readonly plant: NewPlant; readonly by?: string | undefined }[],
  slot: number,
): Promise<readonly bigint[]> {
  const { rows } = await connection.run(
    createRows,
    [...toColumns(creates.map(({ plant }) => plant)), slot, creates.map(({ by }) => by ?? null)],
    writeWithinMs,
  );
  return rows.map(([id]) => id as bigint);
}

/** Locks the plants and reads them as they are now. @param ids ascending. */
export async function lockPlants(
  connection: Connection,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, StoredPlant>> {
  const { rows } = await connection.run(lockRows, [ids], writeWithinMs);
  return new Map(rows.map(toPlant).map((plant) => [plant.id, plant]));
}

/**
 * Sends the statements that write the changes, without waiting for an answer. The count is written even if it stays: a transaction that
 * writes nothing would not wait for the standbys, and could acknowledge what they do not have yet.
 */
export function sendChanges(connection: Connection, changes: RowChanges, slot: number): readonly Promise<Rows>[] {
  const sent: Promise<Rows>[] = [];
  const send = (statement: Statement, values: readonly unknown[]): void =>
    void sent.push(connection.run(statement, values, writeWithinMs));
  const { inserted, updated, deleted, logged, total, byTag } = changes;
  if (inserted.length > 0) send(insertRows, toColumns(inserted));
  if (updated.length > 0) send(updateRows, toColumns(updated));
  if (deleted.length > 0) send(deleteRows, [deleted]);
  if (logged.length > 0) {
    const { statement, values } = insertChangesQuery(logged);
    send(statement, values);
  }
  send(addToTotal, [slot, total]);
  if (byTag.size > 0) send(addToTags, [slot, [...byTag.keys()], [...byTag.values()]]);
  return sent;
}

function toColumns(plants: readonly StoredPlant[]): readonly unknown[][] {
  return [
    plants.map(({ id }) => id),
    plants.map(({ name }) => name),
    plants.map(({ tag }) => tag ?? null),
    plants.map(({ name }) => toWords(name).join(' ')),
  ];
}
