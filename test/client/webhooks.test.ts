/** The webhooks of PlantClient: every operation against the service, and what is sent again after a lost response. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { refusal, startScript, type Step } from './scripted-server.ts';

describe('PlantClient webhooks', () => {
  it('creates, finds, changes, tests and deletes a webhook, and sends a delivery again', async (t) => {
    const service = await startService(t, {
      env: { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' },
    });
    const client = new PlantClient(service);
    const { webhooks } = client;
    const receiver = await startReceiver(t, (index) => (index === 0 ? 410 : 204));
    const { secret, ...created } = await webhooks.create({ url: receiver.url, events: ['plant.created'] });
    service.addSecret(secret);
    assert.deepEqual(await webhooks.list(), [created]);
    assert.deepEqual(await webhooks.get(created.id), created);
    assert.deepEqual((await webhooks.update(created.id, { events: ['plant.created', 'plant.deleted'] })).events, [
      'plant.created',
      'plant.deleted',
    ]);
    const plantId = 2n ** 63n - 1n;
    await client.create({ id: plantId, name: 'Monstera' });
    await receiver.waitFor(1);
    // A status of 410 disables the webhook, and the delivery waits.
    let [delivery] = await webhooks.deliveries(created.id, { limit: 1 });
    while (delivery === undefined) [delivery] = await webhooks.deliveries(created.id);
    assert.deepEqual([delivery.plantId, delivery.attempts, delivery.responseStatus], [plantId, 1, 410]);
    const retried = await webhooks.retryDelivery(created.id, delivery.id);
    assert.deepEqual([retried.status, retried.attempts], ['delivered', 2]);
    const rotated = await webhooks.rotateSecret(created.id);
    service.addSecret(rotated.secret);
    assert.notEqual(rotated.secret, secret);
    assert.deepEqual(await webhooks.test(created.id), { delivered: true, responseStatus: 204 });
    await assert.rejects(webhooks.retryDelivery(created.id, 'msg_none'), { number: 40404 });
    assert.equal(await webhooks.delete(created.id), true);
    assert.equal(await webhooks.delete(created.id), false);
    assert.equal(await webhooks.get(created.id), undefined);
    await assert.rejects(webhooks.test(created.id), { name: 'PlantStoreError', number: 40403 });
  });

  for (const [name, call, isRepeated] of [
    ['create', ({ webhooks }) => webhooks.create({ url: 'https://a.example', events: [] }), false],
    ['update', ({ webhooks }) => webhooks.update('a', { enabled: true }), false],
    ['rotateSecret', ({ webhooks }) => webhooks.rotateSecret('a'), false],
    ['delete', ({ webhooks }) => webhooks.delete('a'), true],
    ['test', ({ webhooks }) => webhooks.test('a'), true],
  ] as readonly [string, (client: PlantClient) => Promise<unknown>, boolean][]) {
    it(`${name}() is ${isRepeated ? 'sent again' : 'not sent again'} after a lost response`, async (t) => {
      const { client, received } = await startScript(t, ['cut', refusal(40403)]);
      if (name === 'delete') assert.equal(await call(client), true);
      else await assert.rejects(call(client), isRepeated ? { number: 40403 } : { name: 'ConnectionError' });
      assert.equal(received.length, isRepeated ? 2 : 1);
    });
  }

  it('takes a 404 that is not about the webhook for a wrong address', async (t) => {
    const nowhere: Step = { status: 404, body: '<html>' };
    const { client } = await startScript(t, [nowhere, nowhere]);
    await assert.rejects(client.webhooks.get('a'), { number: 40400 });
    await assert.rejects(client.webhooks.delete('a'), { number: 40400 });
  });
});
