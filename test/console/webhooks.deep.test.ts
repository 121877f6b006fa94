/** Webhooks in the console: add one, see its secret once, test it, see how it does, retry, edit, disable and delete. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { PlantClient } from '../../src/client/client.ts';
import { listen } from '../support/listen.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, setHidden } from './open-console.ts';

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
const url = `http://127.0.0.1:${await listen({ after }, receiver)}/${'a-long-path'.repeat(20)}`;

describe('the webhooks page', () => {
  it('adds a webhook, shows its secret once, tests it, retries a delivery, and deletes it', async (test) => {
    // 404: its deliveries may be asked for once more while it is deleted.
    const { page } = await openConsole(test, browser, service, { statuses: [400, 404] });
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await press('Manage webhooks');
    await press('New webhook');

    await page.getByLabel('URL').fill('ftp://nowhere');
    await press('Add webhook');
    await page.getByText('The URL must begin with https:// or http://').waitFor();
    await page.getByLabel('URL').fill(url);
    await page.getByLabel('Plant deleted').uncheck();
    await press('Add webhook');
    await page.getByText('It is shown only once.').waitFor();
    const secret = (await page.locator('.shown-once code').textContent()) ?? '';
    assert.match(secret, /^whsec_/);
    service.addSecret(secret);
    await page.getByText('Enabled · Plant created, Plant changed').waitFor();
    await press('Done');
    await page.reload();
    await page.getByText('Enabled · ').waitFor();
    assert.equal(await page.getByText(secret).count(), 0);

    await press(/^Send a test/);
    await page.getByText(`Test sent to ${url.slice(0, 60)}…: status 204.`).waitFor();
    assert.equal(received.length, 1);

    status = 500;
    for (const id of [1n, 2n, 3n]) await client.create({ id, name: 'Aloe' });
    // Without a reload: the page follows its webhooks.
    await page.getByText('Failing · ').waitFor();
    await page.getByText(/The response has status 500.+next attempt in (59|60) minutes|1 hour/).waitFor();
    await page.getByText(/^3 changes wait, the oldest .+/).waitFor();
    await page.reload();
    await page.getByRole('link', { name: /Settings.*a webhook fails/ }).waitFor();
    await page.locator('summary', { hasText: 'Deliveries' }).click();
    await page.getByText(/Waiting for attempt 2 in .+ status 500/).waitFor();
    await page.locator('.history li', { hasText: 'Plant created Aloe' }).getByRole('link', { name: 'Aloe' }).waitFor();
    status = 204;
    await press(/^Retry/);
    await page.getByText('Delivered, 2 attempts, status 204').waitFor();
    await page.getByText(/^Last delivery .+, status 204$/).waitFor();
    assert.equal(received[1], received[2], 'the same webhook-id');

    const held = Promise.withResolvers<undefined>();
    await page.route('**/test', async (route) => {
      await held.promise;
      await route.continue();
    });
    await press(/^Send a test/);
    await press(/^Edit/);
    const edited = page.getByRole('dialog', { name: 'Edit webhook' });
    await edited.getByLabel('URL').fill(`${url}?edited`);
    held.resolve(undefined);
    await page.getByText(`Test sent to ${url.slice(0, 60)}…: status 204.`).waitFor();
    // The end of the test does not close what was opened meanwhile.
    assert.equal(await edited.getByLabel('URL').inputValue(), `${url}?edited`);
    await edited.getByLabel('Plant deleted').check();
    await edited.getByLabel('Plant created').uncheck();
    await press('Save');
    await page.getByRole('heading', { name: `${url}?edited` }).waitFor();
    await page.getByText('Enabled · Plant changed, Plant deleted').waitFor();
    await press(/^Disable/);
    await page.getByText('Disabled · ').waitFor();
    await client.delete(3n);
    await page.getByText('1 change waits until it is enabled').waitFor();
    await press(/^Enable/);
    await page.getByText('Enabled · ').waitFor();

    await press(/^New secret/);
    await page.getByText('The old one stays valid for 24 hours').waitFor();
    await press('Cancel');
    assert.equal(await page.locator('.shown-once').count(), 0);
    await press(/^New secret/);
    await press('Make a new secret');
    await page.getByText('It is shown only once.').waitFor();
    const next = (await page.locator('.shown-once code').textContent()) ?? '';
    service.addSecret(next);
    assert.notEqual(next, secret);
    await press(/^Delete/);
    await press('Delete it');
    await page.locator('.managed-item').waitFor({ state: 'detached' });
  });

  it('reads the deliveries again after an action: a disabled webhook has no next attempt', async (test) => {
    status = 500;
    const { id, secret } = await client.webhooks.create({ url, events: ['plant.created'] });
    service.addSecret(secret);
    await client.create({ id: 4n, name: 'Aloe' });
    const { page } = await openConsole(test, browser, service, { query: '?view=webhooks' });
    await page.locator('summary', { hasText: 'Deliveries' }).click();
    await page.getByText(/^Waiting for attempt 2 in .+ status 500/).waitFor();
    // Nothing is read again by time.
    await setHidden(page, true);
    await page.getByRole('button', { name: /^Disable/ }).click();
    await page.getByText(/^Waiting for attempt 2\. The response has status 500/).waitFor();
    await client.webhooks.delete(id);
  });

  it('asks for nothing while the tab is hidden', async (test) => {
    const { page, requests } = await openConsole(test, browser, service, { query: '?view=webhooks' });
    const count = (): number => requests.filter((each) => each.endsWith('/webhooks')).length;
    const untilMore = async (than: number): Promise<void> => {
      while (count() <= than) await setTimeout(20);
    };
    await untilMore(1);
    await setHidden(page, true);
    const before = count();
    // Longer than the pause between two requests.
    await setTimeout(6_000);
    assert.ok(count() <= before + 1, 'one may have been under way');
    await setHidden(page, false);
    await untilMore(count());
  });

  it('says which scope is missing, and is not in the settings, as the tokens', async (test) => {
    const { token } = await createToken(service, ['plants:read']);
    const { page } = await openConsole(test, browser, service, { query: '?view=webhooks', token });
    await page.getByRole('heading', { name: 'This token cannot manage webhooks' }).waitFor();
    await page.getByText('--scope plants:read webhooks:manage').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Show the keys' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Manage/ }).count(), 0);
  });
});
