/** Migrations: from nothing, and at once from several instances. What a command or a start says of a schema is in serve.deep.test.ts. */
import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import {
  findElsewhere,
  findSchemaProblem,
  migrate,
  readSchema,
  scriptAfter,
} from '../../../src/store/postgres/maintenance/migrations.ts';
import { firstSchema, schemaSteps } from '../../../src/store/postgres/schema.ts';
import { addSteps } from '../../support/add-steps.ts';
import { createDatabase, type TemporaryDatabase, withConnection } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

describe('migrate()', () => {
  let server = '';
  let database: TemporaryDatabase | undefined;
  const current = (): TemporaryDatabase => database ?? assert.fail('the database exists');
  const run = (sql: string): Promise<unknown> =>
    withConnection(current(), (connection) => connection.run(sql, [], 60_000));
  const all = [firstSchema];
  before(async () => (server = await findServer(18)));
  beforeEach(async () => (database = await createDatabase(server)));
  afterEach(async () => database?.remove());

  it('takes every step once', async () => {
    const connection = await current().connect();
    assert.equal(await readSchema(connection), undefined);
    assert.deepEqual(await migrate(connection), all);
    assert.deepEqual(await readSchema(connection), { number: firstSchema, engine: 'postgres' });
    assert.deepEqual(await migrate(connection), []);
    await connection.close();
  });

  it('takes every step once from six instances at the same moment', async () => {
    const connections = await Promise.all(Array.from({ length: 6 }, () => current().connect()));
    const taken = await Promise.all(connections.map((connection) => migrate(connection)));
    assert.deepEqual(taken.flat().sort(), all);
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it('does not take tables that another instance has just made for those of another schema', async () => {
    const connection = await current().connect();
    const schema = await readSchema(connection);
    await withConnection(current(), (other) => migrate(other));
    assert.equal(await findElsewhere(connection, schema), undefined);
    await connection.close();
  });

  it('keeps the engine that a database was made for', async () => {
    const connection = await current().connect();
    const wanted = [undefined, 'citus', 'postgres'] as const;
    assert.deepEqual(await migrate(connection, 'citus'), all);
    assert.deepEqual(await migrate(connection), []);
    assert.deepEqual(await readSchema(connection), { number: firstSchema, engine: 'citus' });
    const { rows } = await connection.run('SELECT count(*), max(bucket) FROM buckets', [], 60_000);
    assert.deepEqual(rows[0], [16n, 15]);
    await assert.rejects(migrate(connection, 'postgres'), { message: /^it was made for the engine citus; use a new/ });
    await connection.close();
    await database?.remove();
    // At once, only one kind of schema is made.
    database = await createDatabase(server);
    const connections = await Promise.all(wanted.map(() => current().connect()));
    await Promise.allSettled(connections.map((each, index) => migrate(each, wanted[index])));
    const { number, engine } = (await readSchema(connections[0] ?? assert.fail())) ?? assert.fail();
    const keys = await withConnection(current(), (each) =>
      each.run(`SELECT indnatts FROM pg_index WHERE indexrelid = 'plants_pkey'::regclass`, [], 60_000),
    );
    assert.deepEqual([number, keys.rows[0]?.[0]], [firstSchema, engine === 'citus' ? 2 : 1]);
    await Promise.all(connections.map((each) => each.close()));
  });

  it('takes the steps that a database lacks, in order, and those of its engine only', async (t) => {
    const connection = await current().connect();
    await migrate(connection, 'citus');
    addSteps(
      t,
      schemaSteps,
      {
        sql: 'ALTER TABLE guards ADD COLUMN height int; INSERT INTO guards VALUES (1, 1);',
        citus: 'UPDATE guards SET height = 7;',
      },
      { sql: 'UPDATE guards SET height = height + 1;' },
    );
    // The version before serves on.
    const schema = await readSchema(connection);
    assert.deepEqual(schema, { number: firstSchema, engine: 'citus' });
    assert.equal(findSchemaProblem(schema), undefined);
    assert.deepEqual(await migrate(connection), [firstSchema + 1, firstSchema + 2]);
    assert.deepEqual((await connection.run('SELECT height FROM guards', [], 60_000)).rows, [[8]]);
    assert.deepEqual(await readSchema(connection), { number: firstSchema + 2, engine: 'citus' });
    await connection.close();
  });

  it('refuses the tables of a build before 1.0.0, and leaves them as they are', async () => {
    const connection = await current().connect();
    await migrate(connection);
    await run('UPDATE plant_store_schema SET number = 9');
    const message =
      /^its tables were made by a build before 1\.0\.0 \(schema 9; .*\); export the plants with that build, and import them with this one into a new database$/;
    await assert.rejects(migrate(connection), { message });
    for (const isServing of [false, true])
      assert.match(findSchemaProblem(await readSchema(connection), isServing) ?? '', message);
    assert.equal((await readSchema(connection))?.number, 9);
    await connection.close();
  });

  it('makes no second store in another schema, unless its script is applied', async () => {
    await run('CREATE SCHEMA garden; SET search_path = garden; CREATE TABLE plant_store_schema (number int)');
    const connection = await current().connect();
    await assert.rejects(migrate(connection), { message: /^it has tables in the schema garden, which is not in the/ });
    assert.equal(await readSchema(connection), undefined);
    for (const { sql } of scriptAfter(undefined)) await connection.run(sql, [], 60_000);
    assert.deepEqual(await migrate(connection), []);
    await connection.close();
  });

  it('leaves nothing of a step that fails', async () => {
    await run('CREATE TABLE guards (x int)');
    const connection = await current().connect();
    await assert.rejects(migrate(connection), { code: '42P07' });
    assert.deepEqual(await readSchema(connection), { number: 0, engine: 'postgres' });
    const { rows } = await connection.run(`SELECT to_regclass('plants') IS NULL`, [], 60_000);
    assert.equal(rows[0]?.[0], true);
    await connection.close();
  });
});
