/** A database that is divided as for Citus: the numbers of its changesets, and commits whose buckets are away. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { divisionOf } from '../../../src/store/postgres/citus/divided.ts';
import { createMigratedDatabase, openOn, type TemporaryDatabase, withConnection } from './open-temporary-database.ts';
import { findServer, startOwnServer } from './servers.ts';
import { until } from '../../support/until.ts';

const { buckets, servers = assert.fail() } = divisionOf.citus;
const skipNumbers = servers.prepareWriter;

describe('a divided database', () => {
  it('never numbers a changeset lower than one before it, though its sequence lost the last numbers in a crash', async (t) => {
    const database = await createMigratedDatabase(await startOwnServer(18), 'citus');
    const run = async (sql: string): Promise<unknown> =>
      withConnection(database, async (connection) => (await connection.run(sql, [], 60_000)).rows[0]?.[0]);
    const lastNumber = 'SELECT max(seq) FROM change_batches';
    const first = await openOn(database);
    await first.plants.create({ id: 1n, name: 'fern' });
    // Simulates a million changesets that were committed on their nodes while nothing reached the disk
    // of the coordinator.
    await run(`SELECT setval('change_batches_seq_seq', last_value + 1000000) FROM change_batches_seq_seq`);
    await first.plants.create({ id: 2n, name: 'fern' });
    await first.close();
    const before = await run(lastNumber);
    await crash(database);
    await run(`SELECT setval('change_batches_seq_seq', ${String(before)} - 1000000)`);
    const second = await openOn(database);
    t.after(() => second.close());
    await second.plants.put({ id: 2n, name: 'moss' }, {});
    assert.ok(Number(await run(lastNumber)) > Number(before));
    assert.equal(await run('SELECT count(*) FROM change_batches'), 3n);
    const changes = (await second.changes.history(2n, 5)).map(({ kind }) => kind);
    assert.deepEqual(changes, ['replaced', 'created']);
  });

  it('skips numbers once, and lets all connections wait until the skip is on disk', async (t) => {
    const database = await createMigratedDatabase(await findServer(18), 'citus');
    t.after(() => database.remove());
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => database.connect()));
    assert.ok(first);
    const readLast = async (): Promise<unknown> =>
      (await first.run('SELECT last_value FROM change_batches_seq_seq', [], 60_000)).rows[0]?.[0];
    await first.run('BEGIN', [], 60_000);
    await first.run(skipNumbers, [], 60_000);
    let ready = 0;
    const waiting = Promise.all(others.map((each) => each.run(skipNumbers, [], 60_000).then(() => (ready += 1))));
    await sleep(200);
    assert.equal(ready, 0);
    await first.run('COMMIT', [], 60_000);
    await waiting;
    assert.equal(await readLast(), 1n + (1n << 32n));
    await Promise.all([first, ...others].map((connection) => connection.close()));
  });
});

describe('a commit of a divided database whose buckets are away', () => {
  it('is tried for as long as one of its parts would be, however many it has', { timeout: 60_000 }, async (t) => {
    const database = await createMigratedDatabase(await findServer(18), 'citus');
    t.after(() => database.remove());
    const connection = await database.connect();
    const run = async (sql: string): Promise<readonly (readonly unknown[])[]> =>
      (await connection.run(sql, [], 60_000)).rows;
    // A number of a sequence stays taken when its transaction is rolled back.
    for (let bucket = 0; bucket < buckets; bucket += 1) await run(`CREATE SEQUENCE tries_${bucket}`);
    await run(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('tries_' || NEW.bucket);
      RAISE EXCEPTION 'the node is away' USING ERRCODE = '08006';
    END $$`);
    await run('CREATE TRIGGER fail BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION fail()');
    const store = await openOn(database);
    const row = (id: number): { id: bigint; name: string } => ({ id: BigInt(id), name: 'fern' });
    const rows = Array.from({ length: 100 }, (_, id) => row(id));
    await assert.rejects(store.plants.import(rows, { onConflict: 'skip', dryRun: false }), {
      code: 'store_unavailable',
    });
    await store.close();
    const tries: number[] = [];
    for (let bucket = 0; bucket < buckets; bucket += 1)
      tries.push(Number((await run(`SELECT last_value FROM tries_${bucket}`))[0]?.[0]));
    await connection.close();
    // The first parts use up the time; the later ones are tried once, with all their rows in one
    // statement.
    assert.ok(Math.max(...tries) > 1, `tries: ${tries.join(' ')}`);
    assert.ok(tries.filter((count) => count === 1).length >= buckets / 2, `tries: ${tries.join(' ')}`);
  });
});

/** Kills a process of the server: all its connections end, and it recovers from its log. */
async function crash(database: TemporaryDatabase): Promise<void> {
  const connection = await database.connect();
  const { rows } = await connection.run('SELECT pg_backend_pid()', [], 60_000);
  process.kill(Number(rows[0]?.[0]), 'SIGKILL');
  await sleep(100);
  const isUp = (): Promise<boolean> => withConnection(database, () => Promise.resolve(true)).catch(() => false);
  await until(isUp, 'the database is back');
}
