/** Deliveries to webhooks: in order, at least once, and each webhook on its own. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/domain/errors.ts';
import type { Store } from '../../src/domain/store.ts';
import { rotationMs } from '../../src/webhooks/secrets.ts';
import { openInMemory } from '../store/open-temporary-store.ts';
import type { OpenedStore } from '../store/behaviour.ts';
import { recordLog } from '../support/record-log.ts';
import { stopClock } from '../support/stop-clock.ts';
import {
  createPlants,
  look,
  openWebhooks,
  type OpenedWebhooks,
  retry,
  sendTest,
  subscribe,
  waitFor,
  webhooksKey,
} from './open-webhooks.ts';
import { type Received, startReceiver, verify } from './receiver.ts';
import { until } from '../support/until.ts';

let opened: OpenedStore;
let store: Store;
let webhooks: OpenedWebhooks;
beforeEach(async () => {
  opened = await openInMemory();
  ({ store } = opened);
  webhooks = await openWebhooks(store);
});
afterEach(async () => {
  await webhooks.stop();
  await opened.close();
});

const idsOf = (requests: readonly Received[]): number[] =>
  requests.map(({ body }) => Number(/"id":(\d+)/.exec(body)?.[1]));
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

describe('webhooks and the changes of the log', () => {
  it('get each change once, in the order of the log, while many are written', async (test) => {
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, receiver.url, ['plant.created', 'plant.deleted']);
    for (let round = 0; round < 3; round++) {
      await createPlants(store, round * 20, 20);
      await store.plants.delete(BigInt(round * 20), {});
      await store.plants.put({ id: BigInt(round * 20 + 1), name: 'not wanted' }, {});
    }
    await receiver.waitFor(63);
    const { changes } = await store.changes.read({ limit: 1_000 });
    const wanted = changes.filter(({ kind }) => kind !== 'replaced').map((change) => Number(change.id));
    assert.deepEqual(idsOf(receiver.requests), wanted);
    assert.equal(new Set(receiver.requests.map((each) => each.id)).size, 63);
    await waitFor(store, id, ({ deliveries }) => deliveries === 63);
  });

  it('are sent one request at a time', async (test) => {
    let most = 0;
    const receiver = await startReceiver(test, (_index, _received, response) => {
      most = Math.max(most, receiver.open());
      setTimeout(() => response.writeHead(204).end(), 5);
      return undefined;
    });
    await subscribe(webhooks, receiver.url);
    await createPlants(store, 0, 20);
    await receiver.waitFor(20);
    assert.equal(most, 1);
  });

  it('that are slow or fail hold up no other', async (test) => {
    await webhooks.stop();
    webhooks = await openWebhooks(store, { timeoutMs: 600_000 });
    const silent = await startReceiver(test, () => undefined);
    const failing = await startReceiver(test, () => 500);
    const good = await startReceiver(test);
    for (const { url } of [silent, failing, good]) for (let copy = 0; copy < 3; copy++) await subscribe(webhooks, url);
    await createPlants(store, 0, 10);
    await good.waitFor(30);
    await silent.waitFor(3);
    // None of the silent ones has timed out.
    assert.equal(silent.open(), 3);
  });

  it('pass many changes of a kind that they do not want with few reads', async (test) => {
    await webhooks.stop();
    const read = test.mock.fn<Store['changes']['read']>((page) => store.changes.read(page));
    const reads = (): number => read.mock.callCount();
    webhooks = await openWebhooks({ ...store, changes: { ...store.changes, read } });
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, receiver.url, ['plant.replaced', 'plant.deleted']);
    await webhooks.service.update(id, { enabled: false });
    await createPlants(store, 1, 1_000);
    await store.plants.delete(1n, {});
    await webhooks.service.update(id, { enabled: true });
    await waitFor(store, id, ({ deliveries }) => deliveries === 1);
    assert.ok(reads() < 10, `${reads()} reads`);
  });

  it('look for changes at once when it was quiet, and else once for all commits of 100 ms', async (test) => {
    await webhooks.stop();
    const read = test.mock.fn<Store['changes']['read']>((page) => store.changes.read(page));
    const reads = (): number => read.mock.callCount();
    let commit = (): void => assert.fail('nobody listens');
    const listen: Store['changes']['subscribe'] = (listener) => {
      commit = listener;
      return () => undefined;
    };
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn++) await nextTurn();
    };
    const watched = { ...store, changes: { ...store.changes, read, subscribe: listen } };
    webhooks = await openWebhooks(watched, { leaseMs: 3_600_000, tickMs: 3_600_000 });
    await subscribe(webhooks, 'http://127.0.0.1:1/');
    while (reads() === 0) await nextTurn();
    await turns();
    const passMs = stopClock(test, { apis: ['setTimeout'] });
    const pass = async (ms: number): Promise<void> => {
      passMs(ms);
      await turns();
    };
    await pass(1_000);
    read.mock.resetCalls();
    for (let commits = 0; commits < 10; commits++) {
      commit();
      await turns();
      assert.equal(reads(), 1);
    }
    await pass(99);
    assert.equal(reads(), 1);
    await pass(1);
    assert.equal(reads(), 2, 'the commits after the first read are not lost');
    await pass(1_000);
    assert.equal(reads(), 2);
    commit();
    await turns();
    assert.equal(reads(), 3);
  });

  it('pass changes that they do not want, and note how far they are now and then, whatever the clock says', async (test) => {
    let setBackMs = 0;
    await webhooks.stop();
    const pass = stopClock(test, { isRunning: true });
    webhooks = await openWebhooks(store, { now: () => Date.now() - setBackMs, leaseMs: 3_600_000 });
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, receiver.url, ['plant.deleted']);
    const { position } = await look(store, id);
    await createPlants(store, 1, 60);
    await sleep(100);
    assert.equal((await look(store, id)).position, position);
    pass(20_000);
    setBackMs = 3_600_000;
    await createPlants(store, 100, 1);
    await waitFor(store, id, (found) => found.position !== position);
    await store.plants.delete(1n, {});
    await receiver.waitFor(1);
  });
});

describe('webhooks whose deliveries fail', () => {
  it('get a failed delivery again, with the same id and a new signature, before any other', async (test) => {
    const receiver = await startReceiver(test, (index) => (index === 1 || index === 2 ? 500 : 204));
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 3);
    await receiver.waitFor(5);
    assert.deepEqual(idsOf(receiver.requests), [1, 2, 2, 2, 3]);
    assert.equal(new Set(receiver.requests.slice(1, 4).map((each) => each.id)).size, 1);
    await waitFor(store, id, ({ deliveries, failing }) => deliveries === 3 && failing === undefined);
    const kept = await store.webhooks.listDeliveries(id, 10);
    assert.deepEqual(
      kept.map(({ status, attempts, body }) => [status, attempts, body]),
      [
        ['delivered', 1, undefined],
        ['delivered', 3, undefined],
        ['delivered', 1, undefined],
      ],
    );
  });

  it('get a failed delivery again although the clock was set back', async (test) => {
    let aheadMs = 10 * 365 * 86_400_000;
    await webhooks.stop();
    webhooks = await openWebhooks(store, { now: () => Date.now() + aheadMs, delaysMs: [1_000, 1_000] });
    const receiver = await startReceiver(test, (index) => (index === 0 ? 500 : 204));
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 2);
    await waitFor(store, id, ({ waiting }) => waiting !== undefined);
    aheadMs = 0;
    await receiver.waitFor(3);
    assert.deepEqual(idsOf(receiver.requests), [1, 1, 2]);
  });

  it('give a delivery up after ten attempts, keep it, and go on; it can be retried', async (test) => {
    let fails = true;
    const receiver = await startReceiver(test, (_index, { body }) => (fails && body.includes('"id":1,') ? 500 : 204));
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 2);
    await receiver.waitFor(11);
    assert.deepEqual(idsOf(receiver.requests), [...range(0, 10).map(() => 1), 2]);
    const [delivered, dead] = await store.webhooks.listDeliveries(id, 10).then(async (found) => {
      await waitFor(store, id, ({ deliveries }) => deliveries === 2);
      return found.length === 2 ? found : store.webhooks.listDeliveries(id, 10);
    });
    assert.deepEqual([delivered?.status, dead?.status, dead?.attempts], ['delivered', 'failed', 10]);
    assert.equal((await retry(webhooks, id, dead?.id ?? '')).status, 'failed');
    fails = false;
    const retried = await retry(webhooks, id, dead?.id ?? '');
    assert.deepEqual([retried.status, retried.attempts], ['delivered', 12]);
    assert.equal(receiver.requests.at(-1)?.id, dead?.id);
  });

  it('that failed and are retried on two instances at once stay delivered, whichever retry ends last', async (test) => {
    await webhooks.stop();
    webhooks = await openWebhooks(store, { delaysMs: [] });
    const open: ServerResponse[] = [];
    const receiver = await startReceiver(test, (index, _received, response) => {
      if (index === 0) return 500;
      open.push(response);
      return undefined;
    });
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 1);
    await waitFor(store, id, ({ deliveries }) => deliveries === 1);
    const [failed] = await store.webhooks.listDeliveries(id, 1);
    const noLease = { lease: () => Promise.resolve(false) };
    const other = await openWebhooks({ ...store, webhooks: { ...store.webhooks, ...noLease } });
    test.after(() => other.stop());
    const retries = [webhooks, other].map((each) => retry(each, id, failed?.id ?? ''));
    await receiver.waitFor(3);
    open[0]?.writeHead(204).end();
    await Promise.race(retries);
    open[1]?.writeHead(500).end();
    const ended = await Promise.all(retries);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['delivered', 'delivered'],
    );
    await assert.rejects(retry(webhooks, id, failed?.id ?? ''), { code: 'delivery_done' });
  });

  it('that wait for a disabled webhook are sent by the retry itself, and keep their place until they succeed', async (test) => {
    await webhooks.stop();
    webhooks = await openWebhooks(store, { delaysMs: [3_600_000] });
    const receiver = await startReceiver(test, (index) => (index < 2 ? 500 : 204));
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 2);
    const { waiting = '', position } = await waitFor(store, id, (found) => found.waiting !== undefined);
    await webhooks.service.update(id, { enabled: false });
    const failed = await retry(webhooks, id, waiting);
    assert.deepEqual([failed.status, failed.attempts, failed.responseStatus], ['waiting', 2, 500]);
    const kept = await look(store, id);
    assert.deepEqual([kept.waiting, kept.position], [waiting, position]);
    const sent = await retry(webhooks, id, waiting);
    assert.deepEqual([sent.status, sent.attempts, sent.responseStatus], ['delivered', 3, 204]);
    const after = await look(store, id);
    assert.deepEqual([after.failing, after.isEnabled], [undefined, false]);
    await webhooks.service.update(id, { enabled: true });
    await receiver.waitFor(4);
    assert.deepEqual(idsOf(receiver.requests), [1, 1, 1, 2]);
  });

  it('that are retried during an attempt are sent again when that fails', async (test) => {
    await webhooks.stop();
    webhooks = await openWebhooks(store, { delaysMs: [3_600_000, 3_600_000] });
    const attempt = Promise.withResolvers<ServerResponse>();
    const receiver = await startReceiver(test, (index, _received, response) => {
      if (index !== 1) return index === 0 ? 500 : 204;
      attempt.resolve(response);
      return undefined;
    });
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 1);
    const { waiting = '' } = await waitFor(store, id, (found) => found.waiting !== undefined);
    await retry(webhooks, id, waiting);
    const response = await attempt.promise;
    await retry(webhooks, id, waiting);
    response.writeHead(500).end();
    await receiver.waitFor(3);
  });

  it('count an attempt during which another delivery is retried', async (test) => {
    await webhooks.stop();
    webhooks = await openWebhooks(store, { delaysMs: [1] });
    const attempt = Promise.withResolvers<ServerResponse>();
    const receiver = await startReceiver(test, (index, { body }, response) => {
      if (index !== 2) return body.includes('"id":3,') ? 204 : 500;
      attempt.resolve(response);
      return undefined;
    });
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 3);
    const response = await attempt.promise;
    const [given] = await store.webhooks.listDeliveries(id, 1);
    await retry(webhooks, id, given?.id ?? '');
    response.writeHead(500).end();
    await waitFor(store, id, ({ deliveries, failing }) => deliveries === 3 && failing === undefined);
    assert.deepEqual(idsOf(receiver.requests), [1, 1, 2, 1, 2, 3]);
  });

  it('whose receiver answers nothing but errors for three days are disabled', async (test) => {
    let passedMs = 0;
    await webhooks.stop();
    webhooks = await openWebhooks(store, {
      now: () => Date.now() + passedMs,
      leaseMs: 1e9,
      delaysMs: Array.from({ length: 1_000 }, () => 50),
    });
    const receiver = await startReceiver(test, () => 500);
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 1);
    await receiver.waitFor(2);
    // A clock that is set ahead, alone.
    passedMs = 10_000 * 3_600_000;
    const jumped = receiver.requests.length;
    await receiver.waitFor(jumped + 3);
    assert.equal((await look(store, id)).isEnabled, true);
    stopClock(test, { isRunning: true })(73 * 3_600_000);
    passedMs += 73 * 3_600_000;
    const { disabledReason, waiting } = await waitFor(store, id, ({ isEnabled }) => !isEnabled);
    assert.match(disabledReason ?? '', /^Every attempt failed since /);
    assert.ok(waiting !== undefined, 'its place is kept');
  });
});

describe('webhooks that are changed while they are served', () => {
  it('keep what several operations change at the same time', async (test) => {
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, 'http://127.0.0.1:1/');
    const secrets = await Promise.all([
      webhooks.service.rotateSecret(id),
      webhooks.service.update(id, { url: receiver.url }),
      webhooks.service.update(id, { events: ['plant.deleted'] }),
      webhooks.service.rotateSecret(id),
    ]).then((all) => all.flatMap((each) => ('secret' in each ? [each.secret] : [])));
    await sendTest(webhooks, id);
    const [received = assert.fail()] = receiver.requests;
    for (const secret of secrets) verify(secret, received);
    assert.deepEqual((await store.webhooks.find(id))?.settings.events, ['plant.deleted']);
  });

  it('send one request of an operation at a time, which ends with its client', async (test) => {
    const silent = await startReceiver(test, () => undefined);
    const ids = await Promise.all([1, 2].map(() => subscribe(webhooks, silent.url)));
    const gone = new AbortController();
    const tests = ids.map((id) => webhooks.service.test(id, gone.signal));
    await silent.waitFor(2);
    for (const id of ids) await assert.rejects(sendTest(webhooks, id), { code: 'store_busy' });
    gone.abort();
    for (const each of tests) await assert.rejects(each, { name: 'AbortError' });
    const again = ids.map((id) => webhooks.service.test(id, AbortSignal.timeout(50)));
    for (const each of again) await assert.rejects(each, { name: 'TimeoutError' });
  });

  it('go on at a new URL, whatever the old one answers afterwards', async (test) => {
    const answer = Promise.withResolvers<undefined>();
    const old = await startReceiver(test, (_index, _received, response) => {
      void answer.promise.then(() => response.writeHead(410).end());
      return undefined;
    });
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, old.url);
    await createPlants(store, 1, 1);
    await old.waitFor(1);
    await webhooks.service.update(id, { url: receiver.url });
    answer.resolve(undefined);
    await receiver.waitFor(1);
    assert.equal((await look(store, id)).isEnabled, true);
  });

  it('that another instance changes get all changes after that as it was asked for', async (test) => {
    const noLease = { lease: () => Promise.resolve(false) };
    const other = await openWebhooks({ ...store, webhooks: { ...store.webhooks, ...noLease } });
    test.after(() => other.stop());
    const [old, receiver] = [await startReceiver(test), await startReceiver(test)];
    const id = await subscribe(webhooks, old.url);
    await createPlants(store, 1, 1);
    await waitFor(store, id, ({ deliveries }) => deliveries === 1);
    await other.service.update(id, { events: ['plant.created', 'plant.deleted'] });
    await store.plants.delete(1n, {});
    await waitFor(store, id, ({ deliveries }) => deliveries === 2);
    await other.service.update(id, { url: receiver.url });
    await createPlants(store, 2, 1);
    await receiver.waitFor(1);
    assert.deepEqual(idsOf(old.requests), [1, 1]);
    assert.deepEqual(idsOf(receiver.requests), [2]);
  });
});

describe('webhooks and the positions of the log', () => {
  it('go on with the oldest change that is kept, with a notice, if earlier ones were removed', async (test) => {
    await webhooks.stop();
    await opened.close();
    opened = await openInMemory(undefined, { recordsMax: 10, ageMsMax: 1e12 });
    ({ store } = opened);
    webhooks = await openWebhooks(store);
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, receiver.url, ['plant.deleted']);
    await webhooks.service.update(id, { enabled: false });
    for (let round = 0; round < 4; round++) await createPlants(store, 1 + round * 1_000, 1_000);
    const { position } = await look(store, id);
    const isRemoved = (): Promise<boolean> =>
      store.changes.read({ after: position, limit: 1 }).then(
        () => false,
        () => true,
      );
    await until(isRemoved, 'the position is removed');
    for (const plant of [1n, 2n, 3n]) await store.plants.delete(plant, {});
    await webhooks.service.update(id, { enabled: true });
    const { notice = '' } = await waitFor(store, id, (found) => found.notice !== undefined);
    assert.match(notice, /^Changes up to the position [0-9a-f]{8}-\d+ were skipped/);
    await receiver.waitFor(3);
    assert.deepEqual(idsOf(receiver.requests), [1, 2, 3]);
    await webhooks.service.update(id, {});
    assert.equal((await look(store, id)).notice, undefined);
  });

  it('go on from now, with a notice, if their position is one of another log', async (test) => {
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 1);
    await waitFor(store, id, ({ deliveries }) => deliveries === 1);
    const { progress } = (await store.webhooks.find(id)) ?? assert.fail();
    assert.ok(await store.webhooks.saveProgress(id, { ...progress, position: '00000000-1' }));
    await webhooks.service.update(id, {});
    const { notice } = await waitFor(store, id, (found) => found.notice !== undefined);
    assert.match(notice ?? '', /^Changes before 20.+ were skipped/);
    await createPlants(store, 2, 1);
    await receiver.waitFor(2);
    assert.deepEqual(idsOf(receiver.requests), [1, 2]);
  });
});

describe('webhooks and the instance that serves them', () => {
  it('stop at once with the service; the next start sends what was under way again, and skips nothing', async (test) => {
    await webhooks.stop();
    webhooks = await openWebhooks(store, { timeoutMs: 600_000 });
    const receiver = await startReceiver(test, (index) => (index === 3 ? undefined : 204));
    await subscribe(webhooks, receiver.url);
    await createPlants(store, 1, 6);
    await receiver.waitFor(4);
    await webhooks.stop();
    await sleep(100);
    assert.equal(receiver.requests.length, 4);
    webhooks = await openWebhooks(store);
    await receiver.waitFor(7);
    assert.deepEqual(idsOf(receiver.requests), [1, 2, 3, 4, 4, 5, 6]);
    assert.equal(receiver.requests[3]?.id, receiver.requests[4]?.id);
  });

  it('are left to another instance as soon as the shutdown begins', async (test) => {
    const silent = await startReceiver(test, () => undefined);
    const id = await subscribe(webhooks, silent.url);
    await createPlants(store, 1, 1);
    await silent.waitFor(1);
    assert.equal(webhooks.hasLease(), true);
    webhooks.beginShutdown();
    await until(() => !webhooks.hasLease(), 'the lease is released');
    assert.deepEqual(await store.webhooks.listDeliveries(id, 1), []);
  });

  it('are left to another instance in the middle of a page when the lease has ended', async (test) => {
    await webhooks.stop();
    const pass = stopClock(test, { isRunning: true });
    const leaseMs = 3_600_000;
    let [leaseTakesMs, findsSinceList] = [0, 0];
    const overlay: Partial<Store['webhooks']> = {
      lease: (...args) => {
        pass(leaseTakesMs);
        return store.webhooks.lease(...args);
      },
      list: () => {
        findsSinceList = 0;
        return store.webhooks.list();
      },
      find: (id) => {
        findsSinceList += 1;
        return store.webhooks.find(id);
      },
    };
    webhooks = await openWebhooks(
      { ...store, webhooks: { ...store.webhooks, ...overlay } },
      { leaseMs, tickMs: leaseMs },
    );
    const held = Promise.withResolvers<ServerResponse>();
    const receiver = await startReceiver(test, (index, _received, response) => {
      if (index > 0) return 204;
      held.resolve(response);
      return undefined;
    });
    const id = await subscribe(webhooks, receiver.url);
    const start = (await look(store, id)).position;
    await createPlants(store, 1, 5);
    const response = await held.promise;
    pass(leaseMs);
    response.writeHead(204).end();
    await waitFor(store, id, ({ position }) => position !== start);
    await sleep(200);
    assert.deepEqual(idsOf(receiver.requests), [1]);
    // A change of the webhook makes the dispatcher ask for the lease again. One that has ended before the answer is none.
    leaseTakesMs = leaseMs;
    findsSinceList = Infinity;
    await webhooks.service.update(id, {});
    await until(() => findsSinceList < Infinity, 'the webhooks are listed');
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    assert.equal(findsSinceList, 0, 'nothing is delivered');
    leaseTakesMs = 0;
    await webhooks.service.update(id, {});
    await receiver.waitFor(5);
    assert.deepEqual(idsOf(receiver.requests), [1, 2, 3, 4, 5]);
  });

  it('are looked at after each wake, also at the end of a look', async () => {
    await webhooks.stop();
    let looks = 0;
    const lease = async (): Promise<boolean> => {
      looks += 1;
      return false;
    };
    webhooks = await openWebhooks({ ...store, webhooks: { ...store.webhooks, lease } }, { tickMs: 3_600_000 });
    for (let microtasks = 0; microtasks < 30; microtasks++) {
      await nextTurn();
      webhooks.wake();
      for (let turn = 0; turn < microtasks; turn++) await Promise.resolve();
      const before = looks;
      webhooks.wake();
      await nextTurn();
      assert.ok(looks > before, `woken ${microtasks} microtasks after a look began`);
    }
  });

  it('are left to an instance that has the key', async (test) => {
    await webhooks.stop();
    let holder: string | undefined;
    const lease = async (owner: string): Promise<boolean> => (holder ??= owner) === owner;
    const release = async (owner: string): Promise<void> => {
      if (holder === owner) holder = undefined;
    };
    const shared = { ...store, webhooks: { ...store.webhooks, lease, release } };
    const tickMs = 20;
    const readKey = (): Promise<never> => Promise.reject(new ServiceError('webhook_key_missing'));
    webhooks = await openWebhooks(shared, { readKey, tickMs });
    assert.ok(holder !== undefined, 'the one without the key comes first');
    const other = await openWebhooks(shared, { tickMs });
    test.after(() => other.stop());
    const receiver = await startReceiver(test);
    await subscribe(other, receiver.url);
    await createPlants(store, 1, 1);
    await receiver.waitFor(1);
  });
});

describe('secrets of webhooks and their key', () => {
  it('wait for their key: one line when it is missed, one when it is read again', async (test) => {
    const receiver = await startReceiver(test);
    await subscribe(webhooks, receiver.url);
    await webhooks.stop();
    await createPlants(store, 1, 1);
    const { log, lines } = await recordLog('info');
    let reads = 0;
    const readKey = async (): Promise<Uint8Array> => {
      reads += 1;
      if (reads <= 3) throw new ServiceError('webhook_key_missing');
      return webhooksKey;
    };
    webhooks = await openWebhooks(store, { readKey, log, tickMs: 20 });
    await receiver.waitFor(1);
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      [
        'Cannot read the key of the webhooks: this instance does not deliver until it can',
        'This instance can deliver to webhooks again',
      ],
    );
  });

  it('that get another key are disabled, and say why', async (test) => {
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, receiver.url);
    await webhooks.stop();
    webhooks = await openWebhooks(store, { readKey: () => Promise.resolve(Buffer.alloc(32, 8)) });
    await createPlants(store, 1, 1);
    const { disabledReason } = await waitFor(store, id, ({ isEnabled }) => !isEnabled);
    assert.match(disabledReason ?? '', /create a new secret$/);
    assert.deepEqual(await sendTest(webhooks, id), { isDelivered: false, error: disabledReason });
    const { secret } = await webhooks.service.rotateSecret(id);
    await webhooks.service.update(id, { enabled: true });
    await receiver.waitFor(1);
    const [first] = receiver.requests;
    assert.ok(first);
    verify(secret, first);
  });

  it('that get their key back go on by themselves', async (test) => {
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, receiver.url);
    await webhooks.stop();
    webhooks = await openWebhooks(store, { readKey: () => Promise.resolve(Buffer.alloc(32, 8)) });
    await createPlants(store, 1, 1);
    await waitFor(store, id, ({ isEnabled }) => !isEnabled);
    await webhooks.stop();
    webhooks = await openWebhooks(store);
    await receiver.waitFor(1);
    assert.deepEqual(idsOf(receiver.requests), [1]);
  });

  it('sign with each old secret until it expires, however often a new one is made; with the oldest of too many', async (test) => {
    await webhooks.stop();
    let passedMs = 0;
    webhooks = await openWebhooks(store, { now: () => Date.now() + passedMs });
    const receiver = await startReceiver(test);
    const created = await webhooks.service.create({ url: receiver.url, events: ['plant.created'] });
    const { secret: known } = created;
    const { id } = created.webhook.settings;
    // The receiver learned none of these: the responses were lost.
    const lost: string[] = [];
    for (let round = 0; round < 6; round++) lost.push((await webhooks.service.rotateSecret(id)).secret);
    await sendTest(webhooks, id);
    const [during] = receiver.requests;
    assert.ok(during);
    for (const secret of [known, ...lost.slice(0, 4), lost.at(-1) ?? '']) verify(secret, during);
    assert.throws(() => verify(lost[4] ?? '', during));
    passedMs = rotationMs + 1;
    await webhooks.service.rotateSecret(id);
    await sendTest(webhooks, id);
    const after = receiver.requests[1] ?? assert.fail();
    assert.equal(String(after.headers['webhook-signature']).split(' ').length, 2);
  });

  it('that get a new secret while the old one turns out to be unreadable stay enabled', async (test) => {
    const receiver = await startReceiver(test);
    const id = await subscribe(webhooks, receiver.url);
    await webhooks.stop();
    let reads = 0;
    const readKey = async (): Promise<Uint8Array> => {
      reads += 1;
      // The first read is for the lease, the second one for the delivery.
      if (reads === 2) await webhooks.service.rotateSecret(id);
      return Buffer.alloc(32, 8);
    };
    webhooks = await openWebhooks(store, { readKey, tickMs: 60_000 });
    await createPlants(store, 1, 1);
    await receiver.waitFor(1);
    assert.equal((await look(store, id)).isEnabled, true);
  });
});
