/** Someone who does not wait for a slow network: what is done while a response is on its way is not lost. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser, openConsole, signIn, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token });

const nameOf = (page: Page) => page.getByLabel('Name', { exact: true });

/** Holds the responses to such requests until `release`; `sent` resolves when the service has answered one. */
async function hold(page: Page, method: string, address: RegExp) {
  const sent = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    const response = await route.fetch();
    sent.resolve(undefined);
    await released.promise;
    return route.fulfill({ response });
  });
  return { sent: sent.promise, release: () => released.resolve(undefined) };
}

describe('what could not be read', () => {
  it('is not said to be nothing when all before it was deleted', async (test) => {
    for (const id of [1n, 2n, 3n]) await client.put(id, { name: `Moss ${id}`, tag: 'moss' });
    const { page } = await openConsole(test, browser, service, { statuses: [500] });
    let [hasFailed, isFailing] = [false, true];
    await page.route(/\/plants\?/, (route) => {
      const address = new URL(route.request().url());
      // Also the first page from then on: after the deletions, it has all that is left.
      hasFailed ||= address.searchParams.has('cursor');
      if (hasFailed && isFailing) return route.fulfill({ status: 500 });
      if (!address.searchParams.has('cursor')) address.searchParams.set('limit', '2');
      return route.continue({ url: address.href });
    });
    await page.goto(`${service.url}/console?tag=moss`);
    await page.getByText('Could not load all plants.').waitFor();
    for (const name of ['Moss 1', 'Moss 2']) {
      await page.getByRole('row', { name }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText(`“${name}” deleted`).waitFor();
    }
    assert.equal(await page.getByRole('heading', { name: /^No plants/ }).count(), 0);
    // In vain: it goes on by itself, too.
    await page.getByRole('button', { name: 'Try again' }).click();
    isFailing = false;
    await page.getByRole('row', { name: 'Moss 3' }).waitFor();
  });
});

describe('a deletion of several plants', () => {
  it('that ends with the session says so at the sign-in', async (test) => {
    for (let id = 211n; id <= 213n; id++) await client.put(id, { name: `Hoya ${id}`, tag: 'revoked' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=revoked', statuses: [401] });
    await page.getByLabel('Select all').click();
    await page.getByText('3 selected').waitFor();
    const refusal = { status: 401, json: { error: 40102, message: 'Cannot authenticate' } };
    await page.route('**/plants/batch', (route) => route.fulfill(refusal));
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/^The token is no longer valid\..* Deleting was interrupted\.$/).waitFor();
    await signIn(page, service.token);
    await page.getByRole('row', { name: 'Hoya 212' }).waitFor();
    assert.equal(await page.getByText('was interrupted').count(), 0);
  });
});

describe('a form that is being saved', () => {
  for (const [button, method, message] of [
    ['Save', 'PATCH', '“Aloe vera” was not saved. It was changed since.'],
    ['Delete', 'DELETE', '“Aloe” was not deleted. It was changed since.'],
  ] as const) {
    it(`or deleted, was closed and is refused, says so and leads back (${button})`, async (test) => {
      await client.put(1n, { name: 'Aloe' });
      const { page } = await openConsole(test, browser, service, { query: '?plant=1', statuses: [412] });
      await nameOf(page).fill('Aloe vera');
      await client.put(1n, { name: 'Aloe of someone else' });
      const { sent, release } = await hold(page, method, /\/plants\/1$/);
      await page.getByRole('button', { name: button, exact: true }).click();
      await sent;
      await page.keyboard.press('Escape');
      await nameOf(page).waitFor({ state: 'detached' });
      release();
      const toast = page.locator('.toast-bad', { hasText: message });
      await toast.getByRole('button', { name: 'Open' }).click();
      await nameOf(page).waitFor();
      assert.equal(await nameOf(page).inputValue(), 'Aloe vera');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('The name changed here and elsewhere.').waitFor();
    });
  }

  for (const isReopened of [false, true])
    it(`was closed and gets no response, is saved ${isReopened ? 'by the form that is open again' : 'once the service responds'}`, async (test) => {
      await client.put(4n, { name: 'Moss' });
      const { page, expectSilence } = await openConsole(test, browser, service, { query: '?plant=4' });
      expectSilence();
      await nameOf(page).fill('Lichen');
      const [sent, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      await page.route(/\/plants\/4$/, async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        sent.resolve(undefined);
        await released.promise;
        return route.abort('connectionreset');
      });
      const save = page.getByRole('button', { name: 'Save', exact: true });
      await save.click();
      await sent.promise;
      await page.keyboard.press('Escape');
      await nameOf(page).waitFor({ state: 'detached' });
      if (isReopened) await page.getByRole('row', { name: 'Moss, 4' }).click();
      released.resolve(undefined);
      const away = page.getByText('The service is not responding.', { exact: true });
      await away.waitFor();
      const note = page.getByText('“Lichen” may not be saved yet.');
      if (!isReopened) await note.waitFor();
      await page.unroute(/\/plants\/4$/);
      await away.waitFor({ state: 'detached' });
      if (isReopened) {
        assert.equal(await note.count(), 0);
        await save.click();
      }
      await page.getByText('“Lichen” saved.').waitFor();
      assert.equal((await client.get(4n))?.plant.name, 'Lichen');
    });

  it('takes the name of the next plant, which is saved after it', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=new' });
    await nameOf(page).waitFor();
    await waitUntil(page, 'document.querySelector("[inputmode=numeric]").value !== ""');
    const { sent, release } = await hold(page, 'PUT', /\/plants\/\d+$/);
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await sent;
    await page.keyboard.type('Second');
    await page.keyboard.press('Enter');
    await page.getByText('The previous plant is still being saved. Try again in a moment.').waitFor();
    release();
    await page.getByText('“First” added.').waitFor();
    assert.equal(await nameOf(page).inputValue(), 'Second');
    await page.keyboard.press('Enter');
    await page.getByText('“Second” added.').waitFor();
    await page.keyboard.type('Third');
    assert.equal(await nameOf(page).inputValue(), 'Third');
    assert.deepEqual((await client.listPage({ search: 'first' })).items.length, 1);
  });
});
