/** Webhooks in the console: add one, see its secret once, test it, look at deliveries, retry, disable and delete. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, refreshUntil } from './open-console.ts';

const service = await startService({ after }, { env: { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token });

/** What the receiver responds with. */
let status = 204;
const received: string[] = [];
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    received.push(String(request.headers['webhook-id']));
    // No attempt but those of the test.
    response.writeHead(status, { 'retry-after': '3600' }).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
after(() => receiver.close());
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${'a-long-path'.repeat(20)}`;

async function receivedAre(count: number): Promise<void> {
  while (received.length < count) await setTimeout(20);
}

describe('the webhooks page', () => {
  it('adds a webhook, shows its secret once, tests it, retries a delivery, and deletes it', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=settings', statuses: [400] });
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
    await press('Manage webhooks');

    await page.getByLabel('URL').fill('ftp://nowhere');
    await press('Add webhook');
    await page.locator('.field-error').waitFor();
    await page.getByLabel('URL').fill(url);
    await page.getByLabel('Plant deleted').uncheck();
    await press('Add webhook');
    await page.getByText('It is shown only once.').waitFor();
    const secret = (await page.locator('.hook-secret code').textContent()) ?? '';
    assert.match(secret, /^whsec_/);
    service.addSecret(secret);
    await page.getByText('Enabled · Plant created, Plant changed').waitFor();
    await press('Done');
    await page.reload();
    await page.getByText('Enabled · ').waitFor();
    assert.equal(await page.getByText(secret).count(), 0);

    await press(/^Send test/);
    await page.getByText('The receiver responded with status 204.').waitFor();
    assert.equal(received.length, 1);

    status = 500;
    await client.create({ id: 1n, name: 'Aloe' });
    await receivedAre(2);
    await page.locator('summary', { hasText: 'Deliveries' }).click();
    // The receiver knows of an attempt before the service has stored its outcome.
    await refreshUntil(page, 'Waiting for attempt 2');
    await page.locator('.history b', { hasText: 'Plant created' }).waitFor();
    status = 204;
    await press(/^Retry/);
    await receivedAre(3);
    assert.equal(received[1], received[2], 'the same webhook-id');
    await refreshUntil(page, 'Delivered, 2 attempts');

    await press(/^Disable/);
    await page.getByText('Disabled · ').waitFor();
    await press(/^Enable/);
    await page.getByText('Enabled · ').waitFor();
    await press(/^New secret/);
    await page.getByText('It is shown only once.').waitFor();
    const next = (await page.locator('.hook-secret code').textContent()) ?? '';
    service.addSecret(next);
    assert.notEqual(next, secret);
    await press(/^Delete/);
    await press(/^Delete with all deliveries/);
    await page.locator('.hook').waitFor({ state: 'detached' });
  });

  it('says which scope is missing', async (test) => {
    const { token } = await createToken(service, ['plants:read']);
    const { page } = await openConsole(test, browser, service, { query: '?view=webhooks', token, statuses: [403] });
    await page.getByRole('heading', { name: 'This token cannot manage webhooks' }).waitFor();
    await page.getByText('--scope plants:read webhooks:manage').waitFor();
  });
});
