/** The promises of stored webhooks, as one suite for every adapter. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  deliveriesMax,
  type DeliveryRecord,
  type WebhookProgress,
  type WebhookRecord,
  webhooksMax,
} from '../../src/domain/webhooks.ts';
import type { Store } from '../../src/domain/store.ts';
import type { OpenedStore, OpenStore } from './behaviour.ts';

export const webhook: WebhookRecord = {
  settings: {
    id: 'abcdefghijkl',
    url: 'https://example.com/hook?é=1',
    events: ['plant.created', 'plant.deleted'],
    createdAt: 1_700_000_000_000,
    secrets: [{ sealed: 'b' }, { sealed: 'a', expiresAt: 5 }],
    isEnabled: true,
    version: 1,
  },
  progress: { position: 'x-7', deliveries: 0, version: 1, step: 1 },
};
const { settings, progress } = webhook;
const { id } = settings;

export function withId(other: string, changes: Partial<WebhookProgress> = {}): WebhookRecord {
  return { settings: { ...settings, id: other }, progress: { ...progress, ...changes } };
}

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

/** Declares the suite for one adapter. All tests share one store, without webhooks before each. */
export function describeWebhooks(adapter: string, open: OpenStore): void {
  describe(`the webhooks on ${adapter}`, () => {
    let opened: OpenedStore | undefined;
    let store: Store;
    const current = (): OpenedStore => opened ?? assert.fail('no store is open');
    before(async () => {
      opened = await open();
      ({ store } = opened);
    });
    beforeEach(async () => {
      for (const { settings } of await store.webhooks.list()) await store.webhooks.delete(settings.id);
    });
    after(async () => {
      await opened?.close();
    });

    const stored = async (of = id): Promise<WebhookRecord> => (await store.webhooks.find(of)) ?? assert.fail();
    const save = async (changes: Partial<WebhookProgress>, delivery?: DeliveryRecord, of = id): Promise<boolean> =>
      store.webhooks.saveProgress(of, { ...(await stored(of)).progress, ...changes }, delivery);

    const saveDeliveries = async (from: number, to: number): Promise<void> => {
      for (let number = from; number <= to; number++) assert.ok(await save({ deliveries: number }, toDelivery(number)));
    };

    it('are stored exactly, and found after the store was opened again', async () => {
      const first = { ...settings, id: 'other', createdAt: settings.createdAt - 1, isEnabled: false };
      assert.equal(await store.webhooks.insert(webhook), true);
      const other = {
        settings: { ...first, disabledReason: 'why' },
        progress: { ...progress, notice: 'n', waiting: 'w' },
      };
      assert.equal(await store.webhooks.insert(other), true);
      store = await current().reopen();
      assert.deepEqual(await store.webhooks.list(), [other, webhook]);
      assert.deepEqual(await store.webhooks.find(id), webhook);
      assert.equal(await store.webhooks.find('absent'), undefined);
    });

    it('are not found by an id that none can have', async () => {
      await store.webhooks.insert(webhook);
      for (const none of ['', 'a\0b', 'x'.repeat(10_000)]) {
        assert.equal(await store.webhooks.find(none), undefined);
        assert.equal(await store.webhooks.delete(none), false);
        assert.deepEqual(await store.webhooks.listDeliveries(none, 10), []);
        assert.equal(await store.webhooks.findDelivery(id, none), undefined);
      }
    });

    it('have settings that are saved only over the version that was read, and leave the progress alone', async () => {
      await store.webhooks.insert(webhook);
      assert.equal(await store.webhooks.saveSettings({ ...settings, isEnabled: false }), true);
      assert.equal(await store.webhooks.saveSettings({ ...settings, url: 'https://other.example/' }), false);
      assert.deepEqual(await stored(), { settings: { ...settings, isEnabled: false, version: 2 }, progress });
      assert.equal(await store.webhooks.saveSettings({ ...settings, id: 'absent' }), false);
    });

    it('have a progress that is saved only over the step that was read, and leave the settings alone', async () => {
      await store.webhooks.insert(webhook);
      assert.equal(await store.webhooks.saveProgress(id, { ...progress, position: 'x-8' }), true);
      assert.equal(await store.webhooks.saveProgress(id, { ...progress, position: 'x-9' }, toDelivery(1)), false);
      assert.equal(await store.webhooks.saveProgress(id, { ...progress, position: 'x-9' }), false);
      assert.deepEqual(await stored(), { settings, progress: { ...progress, position: 'x-8', step: 2 } });
      assert.deepEqual(await store.webhooks.listDeliveries(id, 10), []);
      assert.equal(await store.webhooks.saveProgress('absent', progress, toDelivery(1)), false);
    });

    it('of several saves at once let one win', async () => {
      await store.webhooks.insert(webhook);
      const saves = Array.from({ length: 20 }, (_, index) =>
        store.webhooks.saveProgress(id, { ...progress, position: String(index) }, toDelivery(index)),
      );
      const won = (await Promise.all(saves)).flatMap((isSaved, index) => (isSaved ? [index] : []));
      assert.equal(won.length, 1);
      assert.equal((await stored()).progress.position, String(won[0]));
      assert.deepEqual(
        (await store.webhooks.listDeliveries(id, 10)).map(({ number }) => number),
        won,
      );
    });

    it('keep a delivery, and what became of it', async () => {
      await store.webhooks.insert(webhook);
      await saveDeliveries(1, 2);
      const last = toDelivery(2, { status: 'failed', error: 'The status is 500', responseStatus: 500, attempts: 10 });
      assert.ok(await save({ deliveries: 2 }, last));
      assert.deepEqual(await store.webhooks.findDelivery(id, 'msg_2'), last);
      assert.deepEqual(
        (await store.webhooks.listDeliveries(id, 10)).map((each) => each.id),
        ['msg_2', 'msg_1'],
      );
      assert.equal((await store.webhooks.listDeliveries(id, 1)).length, 1);
      assert.equal(await store.webhooks.findDelivery(id, 'msg_3'), undefined);
      assert.equal(await store.webhooks.findDelivery('other', 'msg_2'), undefined);
    });

    it('have deliveries that are replaced only as they were read, and stay delivered', async () => {
      await store.webhooks.insert(webhook);
      const [waiting, delivered] = [toDelivery(1), toDelivery(1, { status: 'delivered', attempts: 2 })];
      await save({ deliveries: 1 }, waiting);
      assert.equal(await store.webhooks.replaceDelivery(id, { ...waiting, attempts: 7 }, delivered), false);
      assert.equal(await store.webhooks.replaceDelivery(id, waiting, delivered), true);
      assert.equal(await store.webhooks.replaceDelivery(id, waiting, { ...waiting, attempts: 3 }), false);
      assert.ok(await save({ deliveries: 1, waiting: waiting.id }, { ...waiting, attempts: 2 }));
      assert.deepEqual(await store.webhooks.findDelivery(id, waiting.id), delivered);
    });

    it('keep a bounded number of deliveries, and the one that waits', async () => {
      await store.webhooks.insert(webhook);
      await store.webhooks.insert(withId('other'));
      for (const number of [1, 2]) await save({ deliveries: number }, toDelivery(number), 'other');
      await saveDeliveries(1, 3);
      const numbers = async (): Promise<number[]> =>
        (await store.webhooks.listDeliveries(id, 10)).map(({ number }) => number);
      const waiting = 'msg_1';
      assert.ok(await save({ deliveries: deliveriesMax + 2, waiting }, toDelivery(deliveriesMax + 1)));
      assert.deepEqual(await numbers(), [deliveriesMax + 1, 3, 1]);
      // Each new one replaces up to two that are too many.
      await saveDeliveries(deliveriesMax + 3, deliveriesMax + 4);
      assert.deepEqual(await numbers(), [deliveriesMax + 4, deliveriesMax + 3, deliveriesMax + 1, 1]);
      assert.equal((await store.webhooks.listDeliveries('other', 10)).length, 2);
    });

    it('are deleted with their deliveries', async () => {
      await store.webhooks.insert(webhook);
      await saveDeliveries(1, 1);
      assert.equal(await store.webhooks.delete(id), true);
      assert.equal(await store.webhooks.delete(id), false);
      await store.webhooks.insert(webhook);
      assert.deepEqual(await stored(), webhook);
      assert.deepEqual(await store.webhooks.listDeliveries(id, 10), []);
    });

    it('are at most as many as the limit', async () => {
      for (let index = 0; index < webhooksMax; index++)
        assert.equal(await store.webhooks.insert(withId(`id${index}`)), true);
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
