/** A failover under load, seen by three instances of the adapter: nothing acknowledged is lost, and none needs a restart. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../src/domain/store.ts';
import { findFaults } from '../../../src/store/postgres/maintenance/check.ts';
import {
  connectTo,
  createMigratedDatabase,
  openOn,
  withConnection,
  type TemporaryDatabase,
} from './open-temporary-database.ts';
import { ReplicatedCluster } from './replicated-cluster.ts';

const writableWithinMs = 15_000;

describe('a failover', () => {
  let cluster: ReplicatedCluster | undefined;
  let database: TemporaryDatabase | undefined;
  let stores: Store[] = [];
  const acknowledged = new Map<bigint, string>();
  let nextId = 1n;
  const running = (): ReplicatedCluster => cluster ?? assert.fail('the cluster runs');

  before(async () => {
    cluster = await ReplicatedCluster.start(18);
    const created = await createMigratedDatabase(cluster.serverUrl(cluster.primary));
    const url = cluster.urlOf(new URL(created.url).pathname.slice(1));
    database = { ...created, url, connect: () => connectTo(url) };
    stores = await Promise.all([0, 1, 2].map(() => openOn({ ...created, url })));
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await cluster?.close();
  });

  /** Creates plants on every instance until `isOver`. Resolves to the codes that were refused. */
  const load = async (isOver: () => boolean): Promise<Set<unknown>> => {
    const codes = new Set<unknown>();
    const work = async (store: Store): Promise<void> => {
      while (!isOver()) {
        const id = nextId++;
        try {
          await store.plants.create({ id, name: `plant ${id}`, tag: `t${id % 3n}` });
          acknowledged.set(id, `plant ${id}`);
        } catch (error) {
          codes.add(codeOf(error));
          await sleep(20);
        }
      }
    };
    await Promise.all(stores.flatMap((store) => Array.from({ length: 8 }, () => work(store))));
    return codes;
  };

  /** Does something to the cluster under load, and judges what is left. */
  const judge = async (fault: (cluster: ReplicatedCluster) => Promise<unknown>): Promise<void> => {
    let isOver = false;
    const loaded = load(() => isOver);
    await sleep(300);
    await fault(running());
    const promotedAt = performance.now();
    for (const store of stores) {
      while ((await store.plants.create({ id: nextId++, name: 'probe' }).catch(codeOf)) !== 'created') {
        assert.ok(performance.now() - promotedAt < writableWithinMs, 'writable again in time');
        await sleep(50);
      }
      await store.ping();
    }
    await sleep(200);
    isOver = true;
    const codes = await loaded;
    for (const code of codes)
      assert.ok(['store_failed', 'store_unavailable', 'store_busy'].includes(String(code)), String(code));
    const stored = new Map<bigint, string>();
    for (const store of stores.slice(0, 1))
      for await (const batch of store.plants.snapshot({})) for (const { id, name } of batch) stored.set(id, name);
    const lost = [...acknowledged].filter(([id, name]) => stored.get(id) !== name);
    assert.deepEqual(lost.slice(0, 5), [], `${lost.length} of ${acknowledged.size} are lost`);
    const url = `${running().serverUrl(running().primary)}/${new URL(database?.url.replace(/,[^/]*/, '') ?? '').pathname.slice(1)}`;
    assert.deepEqual(await withConnection({ connect: () => connectTo(url) }, findFaults), []);
  };

  it('to a standby, when the primary is killed', { timeout: 60_000 }, async () => {
    await judge(async (it) => {
      await it.kill(it.primary);
      await it.promote();
    });
  });

  it('to a standby, when the primary hangs; awake again it is not believed', { timeout: 90_000 }, async () => {
    const old = running().nodes.find((node) => node.server === undefined) ?? assert.fail('a node is down');
    await running().reseed(old);
    await running().untilStreaming(2);
    const hung = running().primary;
    await judge(async (it) => {
      it.pause(hung);
      await it.promote();
    });
    running().resume(hung);
    await sleep(2_500);
    for (const store of stores) {
      const id = nextId++;
      assert.equal(await store.plants.create({ id, name: 'after' }), 'created');
      assert.equal((await stores[0]?.plants.find(id))?.name, 'after');
    }
  });
});

function codeOf(reason: unknown): unknown {
  return reason instanceof Error && 'code' in reason ? reason.code : reason;
}
