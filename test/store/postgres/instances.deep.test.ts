/** Several instances on one database: their writes meet in the database alone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenRecord } from '../../../src/domain/principal.ts';
import type { StoredPlant } from '../../../src/domain/schemas.ts';
import type { PlantStore, Store } from '../../../src/domain/store.ts';
import { ChangeHub } from '../../../src/feed/change-hub.ts';
import { openWebhooks, subscribe } from '../../webhooks/open-webhooks.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import { follow, readAll, replay } from '../behaviour-changes.ts';
import type { Connection } from '../../../src/store/postgres/connect/connection.ts';
import { PostgresChangeLog } from '../../../src/store/postgres/log/postgres-change-log.ts';
import { findProblems } from '../../../src/store/postgres/maintenance/check.ts';
import { moveChangesets } from '../../../src/store/postgres/log/move-changesets.ts';
import { lockLog } from '../../../src/store/postgres/log/change-rows.ts';
import { writeToken } from '../../../src/store/postgres/tables/token-rows.ts';
import {
  createMigratedDatabase,
  openOn,
  type TemporaryDatabase,
  transactionsOn,
  untilAlone,
  withConnection,
} from './open-temporary-database.ts';
import { findServer } from './servers.ts';
import { codeOf } from '../write-together.ts';
import { until } from '../../support/until.ts';

const instances = 3;
/** Set SEED to run a failure again. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

for (const engine of ['postgres', 'citus'] as const) {
  const kind = engine === 'citus' ? ' divided as for Citus' : '';
  describe(`${instances} instances on PostgreSQL 18${kind} (SEED=${seed})`, () => {
    let database: TemporaryDatabase | undefined;
    let stores: Store[] = [];
    const storeOf = (index: number): Store => stores[index] ?? assert.fail('the stores are open');
    const plantsOf = (index: number): PlantStore =>
      stores[index % instances]?.plants ?? assert.fail('the stores are open');
    const base = (): TemporaryDatabase => database ?? assert.fail('the database exists');
    before(async () => {
      database = await createMigratedDatabase(await findServer(18), engine);
      stores = await Promise.all(Array.from({ length: instances }, () => openOn(base())));
    });
    after(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await database?.remove();
    });

    describe('write, and', () => {
      it('create one of 1,000 equal plants and answer the rest with replayed', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 1000 }, (_, index) => plantsOf(index).create({ id: 1n, name: 'fern', tag: 'one' })),
        );
        assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
        assert.equal(outcomes.filter((outcome) => outcome === 'replayed').length, 999);
      });

      it('let one of 1,000 different plants have the id and refuse the rest', async () => {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 1000 }, (_, index) => plantsOf(index).create({ id: 2n, name: `fern ${index}` })),
        );
        const winners = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
        assert.equal(winners.length, 1);
        for (let index = 0; index < instances; index += 1)
          assert.deepEqual(await plantsOf(index).find(2n), { id: 2n, name: `fern ${winners[0] ?? ''}` });
        const codes = outcomes.flatMap((each) => (each.status === 'rejected' ? [codeOf(each.reason)] : []));
        assert.deepEqual(new Set(codes), new Set(['plant_id_taken']));
      });

      it('lose no change that If-Match guards', async () => {
        await plantsOf(0).create({ id: 3n, name: '0' });
        const add = async (index: number): Promise<number> => {
          const stored = (await plantsOf(index).find(3n)) ?? assert.fail('the counter is stored');
          const ifMatch = [plantsOf(index).versionOf(stored)];
          try {
            await plantsOf(index + 1).put({ id: 3n, name: String(Number(stored.name) + 1) }, { ifMatch });
            return 1;
          } catch (error) {
            assert.equal(codeOf(error), 'precondition_failed');
            return 0;
          }
        };
        let added = 0;
        for (let round = 0; round < 15; round += 1) {
          const each = await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)));
          added += each.reduce((sum, one) => sum + one, 0);
        }
        assert.ok(added >= 15, 'each round has a winner');
        assert.equal((await plantsOf(0).find(3n))?.name, String(added));
      });

      it('see on each what another has acknowledged', async () => {
        for (let id = 10n; id < 40n; id += 1n) {
          await plantsOf(Number(id)).create({ id, name: 'seen', tag: `seen ${id}` });
          const other = plantsOf(Number(id) + 1);
          assert.equal((await other.find(id))?.name, 'seen');
          assert.deepEqual((await other.listTags({ prefix: `seen ${id}`, limit: 1 })).tags, [
            { tag: `seen ${id}`, plants: 1n },
          ]);
          assert.equal((await other.list({ after: id - 1n, limit: 1 })).plants[0]?.id, id);
        }
      });

      it('leave exact counts after random writes, and never deadlock', async () => {
        const random = randomFrom(seed);
        const write = (index: number): Promise<unknown> => {
          const plants = plantsOf(index);
          const plant = () => ({ id: BigInt(1000 + random(200)), name: `n${random(3)}`, tag: `t${random(5)}` });
          switch (random(6)) {
            case 0:
              return plants.delete(plant().id, {});
            case 1:
              return plants.patch(plant().id, random(2) === 0 ? { tag: null } : { tag: `t${random(5)}` }, {});
            case 2:
              return plants.put(plant(), {});
            case 3: {
              const rows = Array.from({ length: 64 }, plant);
              return plants.import(rows, { onConflict: random(2) === 0 ? 'replace' : 'skip', dryRun: false });
            }
            default:
              return plants.create(plant());
          }
        };
        const expected = new Set(['plant_id_taken', 'plant_unknown']);
        const clients = Array.from({ length: 60 }, async (_, client) => {
          for (let round = 0; round < 25; round += 1)
            await write(client).catch((error: unknown) =>
              assert.ok(expected.has(String(codeOf(error))), String(error)),
            );
        });
        await Promise.all(clients);
        assert.deepEqual(await withConnection(base(), findProblems), []);
        assert.equal(await countDeadlocks(base()), 0n);
      });

      it('never deadlock when they create the same plants in different orders', async () => {
        const random = randomFrom(seed + 1);
        for (let round = 0; round < 20; round += 1) {
          const creates = Array.from({ length: 6 }, (_, client) => {
            const ids = Array.from({ length: 64 }, (_, index) => BigInt(5000 + 100 * round + index));
            ids.sort(() => random(3) - 1);
            return Promise.all(ids.map((id) => plantsOf(client).create({ id, name: 'same' })));
          });
          await Promise.all(creates);
        }
        assert.equal(await countDeadlocks(base()), 0n);
      });
    });

    describe('follow the change log, and', () => {
      it('follow each other without skipping a change, while all write', async () => {
        const start = await readAll(storeOf(0));
        const isDone = { value: false };
        const readers = stores.map((store) => follow(store, () => isDone.value));
        await Promise.all(
          Array.from({ length: 24 }, async (_, writer) => {
            for (let round = 0; round < 40; round += 1) {
              const id = BigInt(900_000 + ((writer * 5 + round) % 30));
              if (round % 4 === 3)
                await plantsOf(writer)
                  .delete(id, {})
                  .catch(() => undefined);
              else if (round % 4 === 1)
                await plantsOf(writer).import([{ id, name: `file ${writer}/${round}` }], {
                  ...{ onConflict: 'replace', dryRun: false, group: `import-${round}` },
                });
              else await plantsOf(writer).put({ id, name: `${writer}/${round}` }, {});
            }
          }),
        );
        isDone.value = true;
        const all = await readAll(storeOf(1));
        for (const reader of readers) assert.deepEqual(await reader, all);
        assert.ok(all.length - start.length > 500, `${all.length} changes`);
        // All make the same groups at once.
        for (const { plant, group } of all)
          assert.equal(
            group,
            /^file \d+\/(?<round>\d+)$/.exec(plant?.name ?? '')?.groups?.['round']?.replace(/^/, 'import-'),
          );
        const known = new Map<bigint, StoredPlant>();
        replay(known, all);
        assert.equal(known.size, await plantsOf(2).count());
        assert.deepEqual(await withConnection(base(), findProblems), []);
      });

      it('keep the name of a group of which one moves changes to the log while another trims the others', async (t) => {
        const own = await createMigratedDatabase(await findServer(18), engine);
        t.after(() => own.remove());
        const store = await openOn(own);
        const [mover, trimmer] = [await own.connect(), await own.connect()];
        t.after(() => Promise.all([store.close(), mover.close(), trimmer.close()]));
        const importOne = (id: bigint) =>
          store.plants.import([{ id, name: 'fern' }], { onConflict: 'fail', dryRun: false, group: 'file' });
        await importOne(1n);
        await store.changes.latest();
        const begun = await mover.run('BEGIN', [], 60_000);
        await mover.run(lockLog, [], 60_000);
        const log = new PostgresChangeLog((work) => work(trimmer), transactionsOn(trimmer));
        const trimmed = log.trim({ recordsMax: 1, ageMsMax: 1e12, elapsedMs: 0 });
        const findWaiting = 'SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid';
        await until(async () => (await mover.run(findWaiting, [], 60_000)).rows.length > 0, 'the other one waits');
        await importOne(2n);
        await Promise.all((await moveChangesets(mover, Promise.resolve(begun))).sent);
        await mover.run('COMMIT', [], 60_000);
        await trimmed;
        const { changes } = await store.changes.read({ limit: 9 });
        assert.deepEqual(
          changes.map(({ id, group }) => [id, group]),
          [[2n, 'file']],
        );
      });

      it('log a plant that one commit creates and deletes where it belongs among the changes of others', async () => {
        for (let round = 0; round < 150; round += 1) {
          const id = BigInt(980_000 + round);
          const calls = stores.flatMap(({ plants }, index) => [
            plants.create({ id, name: `by ${index}` }),
            plants.delete(id, {}),
          ]);
          await Promise.allSettled(calls);
        }
        assert.deepEqual(await withConnection(base(), findProblems), []);
      });

      it('hear of the changes of another instance', async () => {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        const end = storeOf(0).changes.subscribe(() => resolve(undefined));
        for (let id = 950_000n; (await Promise.race([promise, sleep(50, 'waits')])) === 'waits'; id += 1n)
          await plantsOf(1).create({ id, name: 'seen' });
        end();
      });

      it('follow a change that another instance makes right after they begin', async () => {
        const { changes } = storeOf(0);
        const end = new AbortController();
        const hub = new ChangeHub(changes, end.signal);
        const client = { authorization: 'Bearer one', limitKey: 'one', isAllowed: () => Promise.resolve(true) };
        const options = {
          filter: {},
          limit: 100,
          patienceMs: 120_000,
          ...client,
          onGone: () => undefined,
          onHalfClosed: () => undefined,
        };
        const follower = hub.follow(await changes.latest(), options);
        const found = follower.next();
        await sleep(50);
        await plantsOf(1).create({ id: 951_000n, name: 'seen' });
        const { value } = await Promise.race([found, sleep(60_000, { value: undefined }, { ref: false })]);
        end.abort();
        await found;
        await follower.return(undefined);
        assert.deepEqual(
          value?.changes.map(({ id }) => id),
          [951_000n],
        );
      });

      it('export one moment while all of them write', async () => {
        // Each chain creates a plant once the one before it is acknowledged: an export has no later one without the earlier ones.
        const end = { isOver: false };
        const lengths = Array.from({ length: 6 }, () => 0);
        const chains = lengths.map(async (_, chain) => {
          for (let length = 0; !end.isOver; lengths[chain] = length += 1)
            await plantsOf(chain).create({ id: BigInt(2_000_000 + 100_000 * chain + length), name: 'link' });
        });
        const all = Promise.all(chains).finally(() => (end.isOver = true));
        const exports: bigint[][] = [];
        while (!end.isOver && (exports.length < 20 || Math.min(...lengths) < 20)) {
          const ids: bigint[] = [];
          for await (const chunk of plantsOf(exports.length).snapshot({})) ids.push(...chunk.map(({ id }) => id));
          exports.push(ids);
        }
        end.isOver = true;
        await all;
        for (const ids of exports)
          for (const chain of lengths.keys()) {
            const first = BigInt(2_000_000 + 100_000 * chain);
            const links = ids.filter((id) => id >= first && id < first + 100_000n);
            assert.equal(links.at(-1) ?? first - 1n, first + BigInt(links.length) - 1n, 'no link is missing');
          }
      });
    });

    describe('share webhooks, and', () => {
      it('let one at a time deliver to webhooks, and another one once its lease ends', async () => {
        const leases = (durationMs: number): Promise<boolean[]> =>
          Promise.all(stores.map((store, index) => store.webhooks.lease(`owner ${index}`, durationMs)));
        const first = await leases(60_000);
        assert.equal(first.filter(Boolean).length, 1);
        const owner = first.indexOf(true);
        const other = storeOf((owner + 1) % instances).webhooks;
        assert.deepEqual(await leases(60_000), first);
        for (const index of [0, 1, 2]) if (index !== owner) await storeOf(index).webhooks.release(`owner ${index}`);
        assert.equal(await other.lease('another', 60_000), false);
        // The owner renews its lease for the last time.
        assert.equal(await storeOf(owner).webhooks.lease(`owner ${owner}`, 100), true);
        await until(() => other.lease('another', 60_000), 'the lease has ended');
        assert.equal((await leases(60_000)).includes(true), false);
        await storeOf(0).webhooks.release('another');
        assert.equal((await leases(60_000)).filter(Boolean).length, 1);
        for (const [index, { webhooks }] of stores.entries()) await webhooks.release(`owner ${index}`);
        // Simulates a clock of the database that was set back by ten years.
        assert.equal(await other.lease('gone', 10 * 365 * 86_400_000), true);
        assert.equal((await leases(60_000)).filter(Boolean).length, 1);
        for (const [index, { webhooks }] of stores.entries()) await webhooks.release(`owner ${index}`);
      });

      it('deliver each change once, and another one takes over when the deliverer is gone', async (test) => {
        const receiver = await startReceiver(test);
        // On a busy machine, the owner renews its lease late.
        const times = { leaseMs: 5_000, tickMs: 150 };
        const all = await Promise.all(stores.map((store) => openWebhooks(store, times)));
        test.after(() => Promise.all(all.map((webhooks) => webhooks.stop())));
        const [first] = all;
        assert.ok(first);
        await subscribe(first, receiver.url);
        const create = (from: number): Promise<unknown> =>
          Promise.all(
            Array.from({ length: 30 }, (_, index) => plantsOf(index).create({ id: BigInt(from + index), name: 'a' })),
          );
        await create(960_000);
        await receiver.waitFor(30);
        await sleep(500);
        assert.equal(receiver.requests.length, 30);
        const owner = all.findIndex((webhooks) => webhooks.hasLease());
        // Another instance takes over when the lease of the first one ends.
        all[owner]?.kill();
        assert.equal(all.filter((webhooks) => webhooks.hasLease()).length, 1);
        await create(961_000);
        await receiver.waitFor(60);
        await sleep(300);
        const ids = receiver.requests.map(({ id }) => id);
        assert.equal(new Set(ids).size, 60);
        assert.ok(ids.length <= 61, 'only what was under way is repeated');
      });
    });

    describe('share tokens and connections, and', () => {
      it('leave no connection when they are closed while one is opened', async (test) => {
        const alone = await createMigratedDatabase(await findServer(18), engine);
        test.after(() => alone.remove());
        for (let round = 0; round < 6; round += 1) {
          const store = await openOn(alone);
          // The first is opened for them, or another one beside it.
          const read = (): Promise<unknown> => store.plants.list({ limit: 1 }).catch(() => undefined);
          const reads = Array.from({ length: 8 }, read);
          if (round % 2 === 1) {
            await Promise.race(reads);
            reads.push(read());
          }
          await store.close();
          await Promise.all(reads);
        }
        await withConnection(alone, untilAlone);
      });

      it('store one first token', async () => {
        const token = { name: 'first', scopes: ['webhooks:manage'] as const, createdAt: 1 };
        const outcomes = await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            (stores[index % instances] ?? assert.fail()).tokens.insertFirst({
              ...token,
              id: `t${index}`,
              hash: `h${index}`,
            }),
          ),
        );
        assert.equal(outcomes.filter((isStored) => isStored).length, 1);
        assert.equal((await stores[0]?.tokens.list())?.length, 1);
      });

      it('count the tokens that another one is about to store', async () => {
        const toToken = (id: string): TokenRecord => ({ id, name: id, hash: id, scopes: [], createdAt: 0 });
        const countMax = (await storeOf(0).tokens.list()).length + 1;
        await withConnection(base(), async (connection) => {
          const run = (text: string): ReturnType<Connection['run']> => connection.run(text, [], 60_000);
          await run('BEGIN');
          const other = { kind: 'insert-token', token: toToken('other'), onlyFirst: false, countMax } as const;
          assert.equal(await writeToken(connection, other, 60_000), 1);
          const settled = storeOf(1)
            .tokens.insert(toToken('one more'), countMax)
            .then(() => 'stored', codeOf);
          const findWaiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
          const waiting = until(async () => (await run(findWaiting)).rows.length > 0, 'the other one waits');
          assert.equal(await Promise.race([settled, waiting]), true);
          await run('COMMIT');
          assert.equal(await settled, 'tokens_full');
        });
      });
    });
  });
}

function randomFrom(start: number): (below: number) => number {
  let state = (start % 2_147_483_646) + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Backends report their statistics at most once a second, or when they end; the log of deadlocks is immediate. */
async function countDeadlocks(database: TemporaryDatabase): Promise<unknown> {
  return withConnection(database, async (connection) => {
    await connection.run('SELECT pg_sleep(1.1)', [], 60_000);
    const { rows } = await connection.run(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
      [],
      60_000,
    );
    return rows[0]?.[0];
  });
}
