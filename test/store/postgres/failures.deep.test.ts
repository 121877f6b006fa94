/** What each failure of the database comes to: nothing written, or unknown; and what becomes of the next request. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../../src/domain/store.ts';
import {
  type Interference,
  type InterferingProxy,
  startProxy,
  toCompletion,
  toErrorMessage,
} from './interfering-proxy.ts';
import { createMigratedDatabase, openOn, type TemporaryDatabase, withConnection } from './open-temporary-database.ts';
import { findServer } from './servers.ts';
import { codeOf } from '../write-together.ts';
import { until } from '../../support/until.ts';

const stack = new AsyncDisposableStack();
const ends = { after: (callback: () => Promise<void> | void) => stack.defer(callback) };

describe('a database that fails', () => {
  let database: TemporaryDatabase | undefined;
  let proxy: InterferingProxy | undefined;
  let store: Store | undefined;
  const base = (): TemporaryDatabase => database ?? assert.fail('the database exists');
  const between = (): InterferingProxy => proxy ?? assert.fail('the proxy runs');
  const plants = (): Store['plants'] => (store ?? assert.fail('the store is open')).plants;
  before(async () => {
    database = await createMigratedDatabase(await findServer(18));
    proxy = await startProxy(ends, base().url);
    store = await openOn({ ...base(), url: proxy.url });
  });
  after(async () => {
    await store?.close();
    await stack.disposeAsync();
    await database?.remove();
  });
  const isStored = async (id: bigint): Promise<boolean> =>
    withConnection(base(), async (connection) => {
      const { rows } = await connection.run('SELECT 1 FROM plants WHERE id = $1', [id], 5_000);
      return rows.length === 1;
    });

  /** A put reads, writes and commits in separate messages. */
  const cases: readonly (readonly [
    name: string,
    text: string,
    how: Interference,
    outcome: string,
    isStored: boolean,
  ])[] = [
    ['silence after COMMIT', 'COMMIT', 'silence', 'store_failed', true],
    ['a connection cut after COMMIT', 'COMMIT', 'cut', 'store_failed', true],
    ['a COMMIT that never arrives', 'COMMIT', 'swallow', 'store_failed', false],
    [
      'PANIC 53100 at COMMIT',
      'COMMIT',
      { answer: toErrorMessage('E', 'PANIC', '53100'), isLast: true },
      'store_failed',
      false,
    ],
    [
      'a COMMIT answered with a warning',
      'COMMIT',
      { answer: Buffer.concat([toErrorMessage('N', 'WARNUNG', '01000'), toCompletion('COMMIT')]), isLast: false },
      'store_failed',
      false,
    ],
    ['FATAL 57P01 at BEGIN', 'BEGIN', { answer: toErrorMessage('E', 'FATAL', '57P01'), isLast: true }, 'created', true],
    ['a connection cut before COMMIT', 'BEGIN', 'cut', 'created', true],
    ['a COMMIT answered with ROLLBACK', 'COMMIT', { answer: toCompletion('ROLLBACK'), isLast: true }, 'created', true],
    [
      'error 40001 at COMMIT',
      'COMMIT',
      { answer: Buffer.concat([toErrorMessage('E', 'ERROR', '40001'), toCompletion('').subarray(-6)]), isLast: false },
      'created',
      true,
    ],
    [
      'error XX000 at COMMIT',
      'COMMIT',
      { answer: Buffer.concat([toErrorMessage('E', 'ERROR', 'XX000'), toCompletion('').subarray(-6)]), isLast: false },
      'store_failed',
      false,
    ],
  ];
  for (const [index, [name, text, how, outcome, stored]] of cases.entries()) {
    it(`${name}: ${outcome}`, { timeout: 120_000 }, async () => {
      const id = BigInt(index);
      await plants().put({ id: 1000n + id, name: 'before' }, {});
      between().interfere(text, how);
      const seen = await plants()
        .put({ id, name: 'fern' }, {})
        .catch((error: unknown) => codeOf(error));
      assert.equal(seen, outcome);
      assert.equal(await isStored(id), stored);
      // A create is one statement: in a transaction that is still open it would be acknowledged,
      // and lost.
      await plants().create({ id: 2000n + id, name: 'after' });
      assert.equal(await isStored(2000n + id), true);
    });
  }

  it('a create whose response is lost is not sent again: it could restore a plant that was deleted since', async () => {
    between().interfere('create-plants', 'cut');
    assert.equal(await plants().create({ id: 3_000_000n, name: 'fern' }).catch(codeOf), 'store_failed');
    assert.equal(await isStored(3_000_000n), true);
  });

  for (const [code, outcome] of [
    ['40001', 'created'],
    ['40P01', 'created'],
    ['55P03', 'created'],
    ['57014', 'created'],
    ['25006', 'created'],
    ['53300', 'created'],
    ['53100', 'store_full'],
    ['40003', 'store_failed'],
    ['22P02', 'internal'],
  ] as const) {
    it(`an error ${code} of the server: ${outcome}, alone and in a transaction`, async () => {
      await withConnection(base(), async (connection) => {
        await connection.run(
          `DROP SEQUENCE IF EXISTS raised; CREATE SEQUENCE raised;
           CREATE OR REPLACE FUNCTION raise_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF new.name = 'raise' AND nextval('raised') % 2 = 1 THEN
               RAISE EXCEPTION 'raised by the test' USING ERRCODE = '${code}'; END IF;
             RETURN new; END $$;
           CREATE OR REPLACE TRIGGER raise_once BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION raise_once()`,
          [],
          60_000,
        );
      });
      const id = 4_000_000n + 2n * BigInt(parseInt(code, 36) % 100_000);
      assert.equal(await plants().create({ id, name: 'raise' }).catch(codeOf), outcome);
      assert.equal(await isStored(id), outcome === 'created');
      if (outcome !== 'created') await plants().create({ id, name: 'raise' });
      assert.equal(
        await plants()
          .put({ id: id + 1n, name: 'raise' }, {})
          .catch(codeOf),
        outcome,
      );
      assert.equal(await isStored(id + 1n), outcome === 'created');
    });
  }

  it('a plant that is deleted while it is created, and then cannot be stored: its neighbour is created', async () => {
    const [gone, fresh] = [5_000_000n, 5_000_001n];
    await plants().create({ id: gone, name: 'before' });
    await withConnection(base(), async (other) => {
      const run = (text: string): Promise<unknown> => other.run(text, [], 60_000);
      await run(
        `CREATE FUNCTION raise_if_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF new.id = ${gone} AND NOT EXISTS (SELECT FROM plants WHERE id = new.id) THEN
             RAISE EXCEPTION 'raised by the test' USING ERRCODE = '53100'; END IF;
           RETURN new; END $$;
         CREATE TRIGGER raise_if_gone BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION raise_if_gone()`,
      );
      await run('BEGIN');
      await run(`SELECT FROM plants WHERE id = ${gone} FOR UPDATE`);
      const creates = [fresh, gone].map((id) => plants().create({ id, name: 'after' }).catch(codeOf));
      while (!(await isStored(fresh)));
      await run(`DELETE FROM plants WHERE id = ${gone}`);
      await run('COMMIT');
      assert.deepEqual(await Promise.all(creates), ['created', 'store_full']);
    });
  });

  for (const [name, how] of [
    ['a connection that is cut', 'cut'],
    ['silence', 'silence'],
  ] as const)
    it(`${name} when a snapshot begins: store_unavailable`, { timeout: 120_000 }, async () => {
      between().interfere('BEGIN ISOLATION', how);
      const first = (): Promise<unknown> => plants().snapshot({})[Symbol.asyncIterator]().next();
      assert.equal(await first().catch(codeOf), 'store_unavailable');
      await Array.fromAsync(plants().snapshot({}));
    });

  it('a database that is away: 503 at once, and recovery by itself', { timeout: 120_000 }, async () => {
    between().goAway();
    const create = (): Promise<unknown> => plants().create({ id: 3000n, name: 'away' }).catch(codeOf);
    await until(async () => (await plants().find(1000n).catch(codeOf)) === 'store_unavailable', 'reads are refused');
    await until(async () => (await create()) === 'store_unavailable', 'writes are refused');
    const refusals: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const asked = performance.now();
      assert.equal(await create(), 'store_unavailable');
      assert.equal(await plants().list({ limit: 1 }).catch(codeOf), 'store_unavailable');
      refusals.push(performance.now() - asked);
    }
    // Other load on the machine only adds time; opening a connection would wait a second.
    assert.ok(Math.min(...refusals) < 200, 'refused at once');
    assert.equal(await isStored(3000n), false);
    await between().comeBack();
    await until(async () => (await create()) === 'created', 'writes are stored again');
  });
});
