/** Sessions: what a browser keeps, for how long, and what other tabs see of it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken, revokeToken } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { openBrowser, openConsole, signIn } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token });
await client.put(7n, { name: 'Monstera', tag: 'climber' });

/** A running service learns of a revoked token within a second. */
function untilRefused(token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  return until(async () => (await fetch(`${service.url}/plants`, { headers })).status === 401, 'the token is refused');
}

const kept = 'JSON.stringify([Object.values(sessionStorage), Object.values(localStorage)])';
const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
};

describe('signing in', () => {
  it('is a form that a password manager recognises, also when it fills the field silently', async (test) => {
    const { page } = await openConsole(test, browser, service, { token: null });
    const field = page.getByLabel('Token');
    assert.equal(await field.getAttribute('autocomplete'), 'current-password');
    assert.equal(await page.locator('form input[autocomplete=username]').count(), 1);
    await page.evaluate(`document.querySelector('[name=password]').value = ${JSON.stringify(service.token)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Plants', exact: true }).waitFor();
  });

  it('keeps the token for the tab alone unless asked to, until the session ends', async (test) => {
    const { page } = await openConsole(test, browser, service, { token: null });
    await page.getByLabel('Token').fill(service.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plants', exact: true }).waitFor();
    assert.equal(await page.evaluate(kept), JSON.stringify([[service.token], []]));
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.reload();
    await page.getByText('The token is kept in this tab').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${service.url}/console`);
    await other.getByLabel('Token').waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    assert.equal(await page.evaluate(kept), '[[],[]]');
  });
});

describe('the settings', () => {
  it('show the name of the token, what it allows, and when it expires', async (test) => {
    const { token } = await createToken(service, ['plants:read', 'plants:write', 'tokens:manage'], {
      lifeMs: 90 * 86_400_000,
    });
    const { page } = await openConsole(test, browser, service, { query: '?view=settings', token });
    const day = new Date(Date.now() + 90 * 86_400_000).toLocaleDateString('en', { dateStyle: 'long' });
    await page.getByText(`, expires on ${day}`).waitFor();
    const scopesOf = (kind: string): Promise<unknown> =>
      page.locator(kind).evaluateAll((items) => items.map((item) => (item as { title?: string }).title));
    assert.deepEqual(await scopesOf('.right-yes'), ['plants:read', 'plants:write', 'tokens:manage']);
    assert.deepEqual(await scopesOf('.right-no'), ['webhooks:manage']);
  });

  it('learn it once the service responds, if it was away when the page was loaded', async (test) => {
    const { page, expectSilence } = await openConsole(test, browser, service, { query: '?view=settings' });
    expectSilence();
    await page.route('**/tokens/self', (route) => route.abort());
    await page.reload();
    await page.locator('.setting').getByText('The service is not responding.').waitFor();
    await page.unrouteAll();
    await page.locator('.right-yes').nth(3).waitFor();
  });
});

describe('a kept session', () => {
  it('opens a second tab, a shared link and a scanned label without a new sign-in', async (test) => {
    const { page } = await openConsole(test, browser, service);
    const second = await page.context().newPage();
    await second.goto(`${service.url}/console?plant=7`);
    await second.getByRole('heading', { name: 'Monstera' }).waitFor();
    await second.goto(`${service.url}/console?view=settings`);
    const inThirtyDays = new Date(Date.now() + 30 * 86_400_000).toLocaleDateString('en', { dateStyle: 'long' });
    await second.getByText(`signed in on this browser until ${inThirtyDays}`).waitFor();
  });

  it('ends in all tabs with Sign out, and leaves nothing behind', async (test) => {
    const { page } = await openConsole(test, browser, service);
    const second = await page.context().newPage();
    await second.goto(`${service.url}/console?plant=7`);
    await second.getByLabel('Name', { exact: true }).fill('Unsaved');
    await signOut(page);
    await second.getByText('You signed out in another tab.').waitFor();
    for (const each of [page, second]) assert.equal(await each.evaluate(kept), '[[],[]]');
  });

  it('asks before it deletes unsaved changes', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=7' });
    await page.getByLabel('Name', { exact: true }).fill('Unsaved');
    await signOut(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Signing out deletes the unsaved changes of 1 plant.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.goto(`${service.url}/console?plant=7`);
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Unsaved');
    await signOut(page);
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    assert.equal(await page.evaluate(kept), '[[],[]]');
  });

  for (const [what, message] of [
    ['nothing more is deleted or saved', undefined],
    ['a late refusal does not end the next session', 'Cannot authenticate'],
  ] as const)
    it(`ends what it has begun: ${what}`, async (test) => {
      for (const id of [21n, 22n]) await client.put(id, { name: `Fern ${id}`, tag: 'fern' });
      const { page } = await openConsole(test, browser, service, { query: '?tag=fern', statuses: [401] });
      const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
      const { promise: asked, resolve: ask } = Promise.withResolvers<undefined>();
      const aborted = Promise.all(
        ['/plants/export?', '/plants/batch'].map((part) =>
          page.waitForEvent('requestfailed', (request) => request.url().includes(part)),
        ),
      );
      const downloads: unknown[] = [];
      page.on('download', (download) => downloads.push(download));
      await page.route('**/plants/export?*', async (route) => {
        await held;
        await route.continue().catch(() => undefined);
      });
      await page.route('**/plants/batch', async (route) => {
        ask(undefined);
        await held;
        const answer =
          message === undefined ? route.continue() : route.fulfill({ status: 401, json: { error: 40102, message } });
        await answer.catch(() => undefined);
      });
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('button', { name: 'CSV' }).click();
      await page.getByLabel('Select all').click();
      await page.locator('.selection-bar').getByRole('button', { name: 'Delete' }).click();
      await asked;
      await signOut(page);
      await signIn(page, service.token);
      await aborted;
      release(undefined);
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('link', { name: 'Plants', exact: true }).click();
      await page.getByRole('row', { name: 'Fern 21' }).waitFor();
      assert.notEqual(await page.evaluate(kept), '[[],[]]');
      assert.equal(await page.getByLabel('Token').count(), 0);
      assert.equal(await page.locator('.toast').count(), 0);
      assert.deepEqual(downloads, []);
      for (const id of [21n, 22n]) assert.notEqual(await client.get(id), undefined);
    });

  it('starts whatever the browser has in place of what it kept', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.evaluate(
      `for (const key of ['place /', 'batch /', 'draft / new']) sessionStorage['plant-store.' + key] = '{"a'`,
    );
    await page.goto(`${service.url}/console?plant=`);
    await page.locator('.grid-slice .row', { hasText: 'Monstera' }).waitFor();
    assert.equal(await page.getByText('The link names no plant').count(), 0);
    await page.getByRole('button', { name: 'New plant' }).click();
    await page.getByRole('heading', { name: 'New plant' }).waitFor();
    await page.evaluate(`localStorage['plant-store.token /'] = Date.now() + 1e6 + ' 🌵'`);
    await page.reload();
    await page.getByText('The token is no longer valid.').waitFor();
  });

  it('is separate for each service of an origin, with its drafts and the address on its labels', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=labels&ids=7' });
    // Simulates a proxy that has another service below /shop.
    await page.route(`${service.url}/shop/**`, (route) =>
      route.continue({ url: route.request().url().replace('/shop/', '/') }),
    );
    await page.getByLabel('Address in the QR code').fill('https://plants.example');
    await page.goto(`${service.url}/console?plant=7`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Unsaved');
    await page.goto(`${service.url}/shop/console?plant=7`);
    await signIn(page, service.token);
    await name.waitFor();
    assert.equal(await name.inputValue(), 'Monstera');
    await page.goto(`${service.url}/shop/console?view=labels&ids=7`);
    assert.equal(await page.getByLabel('Address in the QR code').inputValue(), '');
    await signOut(page);
    await page.goto(`${service.url}/console?plant=7`);
    await name.waitFor();
    assert.equal(await name.inputValue(), 'Unsaved');
  });

  it('ends in all tabs when its token is revoked, and keeps what was typed', async (test) => {
    const { token, id } = await createToken(service, ['plants:read', 'plants:write']);
    const { page } = await openConsole(test, browser, service, { token, statuses: [401], query: '?plant=7' });
    const second = await page.context().newPage();
    await second.goto(`${service.url}/console?plant=7`);
    await second.getByLabel('Name', { exact: true }).fill('Unsaved');
    await revokeToken(service, id);
    await untilRefused(token);
    // Each tab waits for changes: it is refused itself, or hears of it from the other one.
    for (const tab of [page, second])
      await tab.getByText(/The token is no longer valid|Your session has ended/).waitFor();
    assert.match(String(await second.evaluate('JSON.stringify(sessionStorage)')), /Unsaved/);
  });
});
