/** The promises of stored webhooks, as one suite for every adapter. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { deliveriesMax, type DeliveryRecord, type WebhookRecord, webhooksMax } from '../../src/domain/webhooks.ts';
import type { Store } from '../../src/domain/store.ts';
import type { OpenedStore, OpenStore } from './behaviour.ts';

export const webhook: WebhookRecord = {
  id: 'abcdefghijkl',
  url: 'https://example.com/hook?é=1',
  events: ['plant.created', 'plant.deleted'],
  createdAt: 1_700_000_000_000,
  secrets: [{ sealed: 'b' }, { sealed: 'a', expiresAt: 5 }],
  isEnabled: true,
  position: 'x-7',
  deliveries: 0,
  version: 1,
};

export function toDelivery(number: number, changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id: `msg_${number}`,
    number,
    event: 'plant.created',
    position: `x-${number}`,
    plantId: '9223372036854775807',
    createdAt: 1,
    status: 'waiting',
    attempts: 1,
    lastAttemptAt: Date.now(),
    body: '{"id":9223372036854775807,"name":"😀"}',
    ...changes,
  };
}

/** Declares the suite for one adapter. */
export function describeWebhooks(adapter: string, open: OpenStore): void {
  describe(`the webhooks on ${adapter}`, () => {
    let opened: OpenedStore | undefined;
    let store: Store;
    const current = (): OpenedStore => opened ?? assert.fail('no store is open');
    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterEach(async () => {
      await opened?.close();
    });

    /** Saves delivery after delivery; returns the webhook as it is stored. */
    const saveDeliveries = async (from: number, to: number, at = Date.now()): Promise<void> => {
      for (let number = from; number <= to; number++) {
        const stored = await store.webhooks.find(webhook.id);
        assert.ok(stored);
        assert.ok(
          await store.webhooks.save({ ...stored, deliveries: number }, toDelivery(number, { lastAttemptAt: at })),
        );
      }
    };

    it('are stored exactly, and found after the store was opened again', async () => {
      const other: WebhookRecord = { ...webhook, id: 'other', createdAt: webhook.createdAt - 1, isEnabled: false };
      assert.equal(await store.webhooks.insert(webhook), true);
      assert.equal(await store.webhooks.insert({ ...other, disabledReason: 'why', notice: 'n', waiting: 'w' }), true);
      store = await current().reopen();
      assert.deepEqual(await store.webhooks.find(webhook.id), webhook);
      assert.deepEqual(
        (await store.webhooks.list()).map(({ id }) => id),
        ['other', webhook.id],
      );
      assert.equal(await store.webhooks.find('absent'), undefined);
    });

    it('are not found by an id that none can have', async () => {
      await store.webhooks.insert(webhook);
      for (const id of ['', 'a\0b', 'x'.repeat(10_000)]) {
        assert.equal(await store.webhooks.find(id), undefined);
        assert.equal(await store.webhooks.delete(id), false);
        assert.deepEqual(await store.webhooks.listDeliveries(id, 10), []);
        assert.equal(await store.webhooks.findDelivery(webhook.id, id), undefined);
      }
    });

    it('are saved only over the version that was read', async () => {
      await store.webhooks.insert(webhook);
      assert.equal(await store.webhooks.save({ ...webhook, position: 'x-8' }), true);
      assert.equal(await store.webhooks.save({ ...webhook, position: 'x-9' }, toDelivery(1)), false);
      assert.equal(await store.webhooks.save({ ...webhook, position: 'x-9' }), false);
      assert.deepEqual(await store.webhooks.find(webhook.id), { ...webhook, position: 'x-8', version: 2 });
      assert.deepEqual(await store.webhooks.listDeliveries(webhook.id, 10), []);
      assert.equal(await store.webhooks.save({ ...webhook, id: 'absent' }), false);
    });

    it('of several saves at once let one win', async () => {
      await store.webhooks.insert(webhook);
      const saves = Array.from({ length: 20 }, (_, index) =>
        store.webhooks.save({ ...webhook, position: String(index) }, toDelivery(index)),
      );
      const won = (await Promise.all(saves)).flatMap((isSaved, index) => (isSaved ? [index] : []));
      assert.equal(won.length, 1);
      assert.equal((await store.webhooks.find(webhook.id))?.position, String(won[0]));
      assert.deepEqual(
        (await store.webhooks.listDeliveries(webhook.id, 10)).map(({ number }) => number),
        won,
      );
    });

    it('keep a delivery, and what became of it', async () => {
      await store.webhooks.insert(webhook);
      await saveDeliveries(1, 2);
      const last = toDelivery(2, { status: 'failed', error: 'The status is 500', responseStatus: 500, attempts: 10 });
      const stored = await store.webhooks.find(webhook.id);
      assert.ok(stored);
      await store.webhooks.save(stored, last);
      assert.deepEqual(await store.webhooks.findDelivery(webhook.id, 'msg_2'), last);
      assert.deepEqual(
        (await store.webhooks.listDeliveries(webhook.id, 10)).map(({ id }) => id),
        ['msg_2', 'msg_1'],
      );
      assert.equal((await store.webhooks.listDeliveries(webhook.id, 1)).length, 1);
      assert.equal(await store.webhooks.findDelivery(webhook.id, 'msg_3'), undefined);
      assert.equal(await store.webhooks.findDelivery('other', 'msg_2'), undefined);
    });

    it('keep a bounded number of deliveries, and none that is older than a week', async () => {
      await store.webhooks.insert({ ...webhook, deliveries: deliveriesMax - 1 });
      const other = { ...webhook, id: 'other' };
      await store.webhooks.insert(other);
      for (const number of [1, 2]) await store.webhooks.save({ ...other, version: number }, toDelivery(number));
      await saveDeliveries(1, 3);
      await saveDeliveries(deliveriesMax + 1, deliveriesMax + 2, Date.now() - 8 * 86_400_000);
      assert.deepEqual(
        (await store.webhooks.listDeliveries(webhook.id, 10)).map(({ number }) => number),
        [deliveriesMax + 2, deliveriesMax + 1, 3],
      );
      // Each new one replaces two that are too many or too old.
      await saveDeliveries(deliveriesMax + 3, deliveriesMax + 4);
      assert.deepEqual(
        (await store.webhooks.listDeliveries(webhook.id, 10)).map(({ number }) => number),
        [4, 3].map((number) => deliveriesMax + number),
      );
      assert.equal((await store.webhooks.listDeliveries(other.id, 10)).length, 2);
    });

    it('keep an old delivery that was tried again', async () => {
      await store.webhooks.insert(webhook);
      await saveDeliveries(1, 1, Date.now() - 8 * 86_400_000);
      await saveDeliveries(1, 2);
      assert.equal((await store.webhooks.listDeliveries(webhook.id, 10)).length, 2);
    });

    it('keep an old delivery that is to be tried again', async () => {
      await store.webhooks.insert(webhook);
      for (let version = 1; version <= 2; version++) await saveDeliveries(1, 1, Date.now() - 8 * 86_400_000);
      assert.equal((await store.webhooks.listDeliveries(webhook.id, 10)).length, 1);
    });

    it('keep the delivery that waits, however old, while another is retried', async () => {
      await store.webhooks.insert({ ...webhook, deliveries: 2, waiting: 'msg_2' });
      const save = (version: number, number: number, days: number): Promise<boolean> => {
        const delivery = toDelivery(number, { lastAttemptAt: Date.now() - days * 86_400_000 });
        return store.webhooks.save({ ...webhook, deliveries: 2, waiting: 'msg_2', version }, delivery);
      };
      for (const [version, number, days] of [
        [1, 2, 8],
        [2, 1, 8],
        [3, 1, 0],
      ] as const)
        assert.ok(await save(version, number, days));
      assert.ok(await store.webhooks.findDelivery(webhook.id, 'msg_2'));
    });

    it('are deleted with their deliveries', async () => {
      await store.webhooks.insert(webhook);
      await saveDeliveries(1, 1);
      assert.equal(await store.webhooks.delete(webhook.id), true);
      assert.equal(await store.webhooks.delete(webhook.id), false);
      await store.webhooks.insert(webhook);
      assert.deepEqual(await store.webhooks.listDeliveries(webhook.id, 10), []);
    });

    it('are at most as many as the limit', async () => {
      for (let index = 0; index < webhooksMax; index++)
        assert.equal(await store.webhooks.insert({ ...webhook, id: `id${index}` }), true);
      assert.equal(await store.webhooks.insert(webhook), false);
      assert.equal((await store.webhooks.list()).length, webhooksMax);
    });

    it('do not count as changes of plants', async () => {
      const before = await store.changes.latest();
      await store.webhooks.insert(webhook);
      await saveDeliveries(1, 3);
      assert.equal(await store.changes.latest(), before);
    });

    it('are delivered by the one who has the lease', async () => {
      assert.equal(await store.webhooks.lease('one', 60_000), true);
      assert.equal(await store.webhooks.lease('one', 60_000), true);
      await store.webhooks.release('one');
      assert.equal(await store.webhooks.lease('two', 60_000), true);
    });
  });
}
