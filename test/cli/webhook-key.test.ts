/** The key of webhooks, missing in a data folder that needs it: never made anew, and all is well once it is back. */
import assert from 'node:assert/strict';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeFolder } from '../support/clean-up.ts';
import { postPlant, request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const toSecret = (reply: { readonly text: string }): { id: string; secret: string } =>
  JSON.parse(reply.text) as { id: string; secret: string };

describe('plant-store serve without the webhook-key of its webhooks', () => {
  it('delivers nothing and says what to do, until the key is back, or there are another key and new secrets', async (t) => {
    const dataDir = join(await makeFolder(t), 'data');
    const [path, away] = [join(dataDir, 'webhook-key'), `${dataDir}-key`];
    const receiver = await startReceiver(t);
    const start = (): ReturnType<typeof startService> =>
      startService(t, { dataDir, store: 'folder', env: { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const body = JSON.stringify({ url: receiver.url, events: ['plant.created'] });

    let service = await start();
    const created = toSecret(await request(service, { path: '/webhooks', body }));
    service.addSecret(created.secret);
    await service.stop();
    renameSync(path, away);

    service = await start();
    await service.findLog(({ msg }) => msg.startsWith('Cannot read the key of the webhooks'));
    const refused = await request(service, { path: '/webhooks', body });
    assert.equal(refused.status, 409);
    assert.match(
      refused.text,
      /The file webhook-key is missing in the data folder, and the secrets of webhooks need it: put it back\. If it is lost, create one \(openssl rand -base64 32\), then a new secret for each webhook, and enable it"/,
    );
    assert.equal((await postPlant(service, { id: 1n, name: 'fern' })).status, 200);
    assert.equal(existsSync(path), false);

    renameSync(away, path);
    // Any change of a webhook makes the service look at once.
    const headers = { 'content-type': 'application/merge-patch+json' };
    const touch = (change: object): ReturnType<typeof request> =>
      request(service, { path: `/webhooks/${created.id}`, method: 'PATCH', body: JSON.stringify(change), headers });
    assert.equal((await touch({ enabled: true })).status, 200);
    await receiver.waitFor(1);
    await service.stop();

    rmSync(path);
    writeFileSync(path, `${Buffer.alloc(32, 9).toString('base64')}\n`);
    service = await start();
    await postPlant(service, { id: 2n, name: 'moss' });
    await service.findLog(({ msg }) => msg === 'Disabled a webhook');
    const renewed = await request(service, { path: `/webhooks/${created.id}/secret`, method: 'POST' });
    service.addSecret(toSecret(renewed).secret);
    assert.equal((await touch({ enabled: true })).status, 200);
    await receiver.waitFor(2);
  });
});
