/** Migrations: from nothing, and at once from several instances. What a command or a start says of a schema is in serve.deep.test.ts. */
import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import {
  currentSchema,
  findSchemaProblem,
  migrate,
  readSchema,
  scriptAfter,
} from '../../../src/store/postgres/migrations.ts';
import { onePlant, otherPlant } from '../../support/field-values.ts';
import { checkOldWebhook, oldDocument } from '../behaviour-webhooks.ts';
import { createDatabase, openOn, type TemporaryDatabase, withConnection } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

describe('migrate()', () => {
  let server = '';
  let database: TemporaryDatabase | undefined;
  const current = (): TemporaryDatabase => database ?? assert.fail('the database exists');
  const run = (sql: string): Promise<unknown> =>
    withConnection(current(), (connection) => connection.run(sql, [], 10_000));
  const all = Array.from({ length: currentSchema }, (_, index) => index + 1);
  before(async () => (server = await findServer(18)));
  beforeEach(async () => (database = await createDatabase(server)));
  afterEach(async () => database?.remove());

  it('takes every step once', async () => {
    const connection = await current().connect();
    assert.equal(await readSchema(connection), undefined);
    assert.deepEqual(await migrate(connection), all);
    assert.deepEqual(await readSchema(connection), { number: currentSchema, engine: 'postgres' });
    assert.deepEqual(await migrate(connection), []);
    await connection.close();
  });

  it('takes every step once from six instances at the same moment', async () => {
    const connections = await Promise.all(Array.from({ length: 6 }, () => current().connect()));
    const taken = await Promise.all(connections.map((connection) => migrate(connection)));
    assert.deepEqual(taken.flat().sort(), all);
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it('keeps the engine that a database was made for', async () => {
    const connection = await current().connect();
    const wanted = [undefined, 'citus', 'postgres'] as const;
    assert.deepEqual(await migrate(connection, 'citus'), all);
    assert.deepEqual(await migrate(connection), []);
    assert.deepEqual(await readSchema(connection), { number: currentSchema, engine: 'citus' });
    const { rows } = await connection.run('SELECT count(*), max(bucket) FROM buckets', [], 5_000);
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
      each.run(`SELECT indnatts FROM pg_index WHERE indexrelid = 'plants_pkey'::regclass`, [], 5_000),
    );
    assert.deepEqual([number, keys.rows[0]?.[0]], [currentSchema, engine === 'citus' ? 2 : 1]);
    await Promise.all(connections.map((each) => each.close()));
  });

  it('keeps the webhooks of the version before, which stops to deliver', async () => {
    const connection = await current().connect();
    for (const { sql } of scriptAfter(undefined).slice(0, 3)) await connection.run(sql, [], 10_000);
    await connection.run(`INSERT INTO webhooks VALUES ('old', 4, $1)`, [oldDocument], 5_000);
    assert.deepEqual(await migrate(connection), all.slice(3));
    const { rows } = await connection.run('SELECT FROM webhook_lease', [], 5_000);
    assert.equal(rows.length, 0);
    await connection.close();
    const store = await openOn(current());
    await checkOldWebhook(store);
    // The lease that an older instance may still have.
    assert.equal(await store.webhooks.lease('new', 20_000), false);
    await store.close();
  });

  it('accepts no schema so old that it could not serve on it', async () => {
    const connection = await current().connect();
    for (const { sql } of scriptAfter(undefined)) {
      if (findSchemaProblem(await readSchema(connection)) === undefined) break;
      await connection.run(sql, [], 10_000);
    }
    await connection.close();
    const store = await openOn(current());
    try {
      const { plants, changes } = store;
      await plants.create({ ...onePlant, id: 1n });
      await plants.put({ ...otherPlant, id: 1n }, {});
      assert.deepEqual(await plants.find(1n), { id: 1n, ...otherPlant });
      assert.equal((await changes.read({ limit: 9 })).changes.length, 2);
    } finally {
      await store.close();
    }
  });

  it('leaves nothing of a step that fails', async () => {
    await run('CREATE TABLE guards (x int)');
    const connection = await current().connect();
    await assert.rejects(migrate(connection), { code: '42P07' });
    assert.deepEqual(await readSchema(connection), { number: 0, engine: 'postgres' });
    const { rows } = await connection.run(`SELECT to_regclass('plants') IS NULL`, [], 5_000);
    assert.equal(rows[0]?.[0], true);
    await connection.close();
  });
});
