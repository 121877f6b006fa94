/** Someone who does not wait for a slow network: what is done while a response is on its way is not lost. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser, openConsole, signIn } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
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

describe('a selection of all plants', () => {
  it('is not made when another filter was chosen meanwhile', async (test) => {
    await client.put(3n, { name: 'Fern', tag: 'shade' });
    await client.put(4n, { name: 'Palm' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=shade' });
    await page.getByRole('row', { name: 'Fern' }).waitFor();
    const { sent, release } = await hold(page, 'GET', /\/plants\?.*limit=500/);
    await page.getByLabel('Select all').click();
    await sent;
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await page.getByRole('row', { name: 'Palm' }).waitFor();
    release();
    await page.waitForTimeout(300);
    assert.equal(await page.locator('.selection-bar').count(), 0);
  });
});

describe('what could not be read', () => {
  it('can be tried again', async (test) => {
    await client.put(3n, { name: 'Moss 3' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=3', statuses: [500] });
    await page.route(/\/plants\/3$/, (route) => route.fulfill({ status: 500 }), { times: 1 });
    await page.reload();
    const panel = page.getByRole('complementary');
    await panel.getByRole('alert').waitFor();
    await panel.getByRole('button', { name: 'Try again' }).click();
    await nameOf(page).waitFor();
  });

  it('is not said to be nothing when all before it was deleted', async (test) => {
    for (const id of [1n, 2n, 3n]) await client.put(id, { name: `Moss ${id}`, tag: 'moss' });
    const { page } = await openConsole(test, browser, service, { statuses: [500] });
    let isFailing = true;
    await page.route(/\/plants\?/, (route) => {
      const address = new URL(route.request().url());
      if (address.searchParams.has('cursor') && isFailing) return route.fulfill({ status: 500 });
      if (!address.searchParams.has('cursor')) address.searchParams.set('limit', '2');
      return route.continue({ url: address.href });
    });
    await page.goto(`${service.url}/console?tag=moss`);
    await page.getByText('Could not load all plants.').waitFor();
    for (const name of ['Moss 1', 'Moss 2']) await page.getByLabel(`Select ${name}`).check();
    await page.locator('.selection-bar').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 plants deleted').waitFor();
    assert.equal(await page.getByRole('heading', { name: /^No plants/ }).count(), 0);
    isFailing = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: 'Moss 3' }).waitFor();
  });
});

describe('a deletion of several plants', () => {
  it('that fails says how many are left, without those that others have deleted', async (test) => {
    for (let id = 201n; id <= 203n; id++) await client.put(id, { name: `Hoya ${id}`, tag: 'delete' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=delete', statuses: [404, 500] });
    await page.getByLabel('Select all').check();
    await page.getByText('3 selected').waitFor();
    await page.route(/\/plants\/\d+$/, async (route) => {
      const url = route.request().url();
      if (url.endsWith('/201')) await client.delete(201n);
      return url.endsWith('/203') ? route.fulfill({ status: 500 }) : route.fallback();
    });
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 plant not deleted.').waitFor();
  });

  it('that someone else gets in the way of tries again, leaves out what keeps changing, and goes on', async (test) => {
    for (let id = 251n; id <= 254n; id++) await client.put(id, { name: `Hoya ${id}`, tag: 'busy' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=busy', statuses: [412] });
    await page.getByLabel('Select all').check();
    await page.getByText('4 selected').waitFor();
    const changes = { 252: 0, 253: 0 };
    await page.route(/\/plants\/25[23]$/, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      const id = route.request().url().endsWith('252') ? 252 : 253;
      if (id === 253 || changes[id] === 0) await client.patch(BigInt(id), { name: `Changed ${(changes[id] += 1)}` });
      return route.continue();
    });
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 plant not deleted: someone else keeps changing it.').waitFor();
    assert.deepEqual(changes, { 252: 1, 253: 4 });
    await page.getByText('1 selected').waitFor();
    const left = await client.listPage({ tag: 'busy' });
    assert.deepEqual(
      left.items.map(({ name }) => name),
      ['Changed 4'],
    );
    await page.getByText('3 plants deleted').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('3 plants restored.').waitFor();
    assert.equal((await client.get(252n))?.plant.name, 'Changed 1');
  });

  it('that gets no response counts the plant as unsure, and Undo brings it back', async (test) => {
    for (let id = 221n; id <= 223n; id++) await client.put(id, { name: `Hoya ${id}`, tag: 'lost' });
    const { page, expectSilence } = await openConsole(test, browser, service, { query: '?tag=lost' });
    expectSilence();
    await page.getByLabel('Select all').check();
    await page.getByText('3 selected').waitFor();
    await page.route(/\/plants\/222$/, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 plants not deleted, or one less.').waitFor();
    await page.locator('.row:not(.is-gone)', { hasText: 'Hoya 222' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 plants restored.').waitFor();
    assert.equal((await client.listPage({ tag: 'lost' })).items.length, 3);
  });

  it('that ends with the session says so at the sign-in', async (test) => {
    for (let id = 211n; id <= 213n; id++) await client.put(id, { name: `Hoya ${id}`, tag: 'revoked' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=revoked', statuses: [401] });
    await page.getByLabel('Select all').check();
    await page.getByText('3 selected').waitFor();
    const refusal = { status: 401, json: { error: 40102, message: 'Cannot authenticate' } };
    await page.route(/\/plants\/212$/, (route) => route.fulfill(refusal));
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/^The token is no longer valid\..* 2 plants not deleted\.$/).waitFor();
    await signIn(page, service.token);
    await page.getByRole('row', { name: 'Hoya 212' }).waitFor();
    assert.equal(await page.getByText('not deleted').count(), 0);
  });
});

describe('an export of a selection', () => {
  it('that failed is over: the menu is back', async (test) => {
    for (let id = 101n; id <= 120n; id++) await client.put(id, { name: `Hoya ${id}`, tag: 'export' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=export', statuses: [500] });
    await page.getByLabel('Select all').check();
    await page.getByText('20 selected').waitFor();
    await page.route(/limit=1000/, (route) => route.fulfill({ status: 500 }));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).first().click();
    await page.getByText('Export failed').waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
  });
});

describe('an export', () => {
  it('that runs while another view is shown can still be stopped', async (test) => {
    await client.put(3n, { name: 'Aloe' });
    const { page } = await openConsole(test, browser, service);
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    await page.route(/\/plants\/export/, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    await page.getByRole('button', { name: 'Stop the export' }).waitFor();
    for (const view of ['Overview', 'Plants']) await page.getByRole('link', { name: view, exact: true }).click();
    await page.getByRole('button', { name: 'Stop the export' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
    release(undefined);
  });
});

describe('labels', () => {
  it('of another address are not shown while those of this one are read', async (test) => {
    for (const [id, name] of [
      [231n, 'Hoya'],
      [232n, 'Ivy'],
    ] as const)
      await client.put(id, { name });
    const { page } = await openConsole(test, browser, service, { query: '?view=labels&ids=231' });
    await page.locator('.label', { hasText: 'Hoya' }).waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    await page.route(/\/plants\/232$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.evaluate(
      `history.pushState(null, '', '?view=labels&ids=232'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await page.locator('.label').waitFor({ state: 'detached' });
    assert.ok(await page.getByRole('button', { name: 'Print' }).isDisabled());
    release(undefined);
    await page.locator('.label', { hasText: 'Ivy' }).waitFor();
  });
});

describe('a form that is being saved', () => {
  it('ignores what was to be loaded before: nothing that is typed afterwards is lost', async (test) => {
    await client.put(241n, { name: 'Aloe' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=241', statuses: [412] });
    await nameOf(page).fill('Aloe vera');
    await client.patch(241n, { tag: 'sun' });
    const read = await hold(page, 'GET', /\/plants\/241$/);
    const saved = await hold(page, 'PATCH', /\/plants\/241$/);
    await page.getByRole('button', { name: 'Load it' }).click();
    await read.sent;
    await page.getByRole('button', { name: 'Save' }).click();
    await saved.sent;
    read.release();
    await page.waitForTimeout(300);
    assert.ok(!(await nameOf(page).isEditable()), 'the form takes text while it is being saved');
    saved.release();
  });

  it('says that the disk of the service is full, once', async (test) => {
    await client.put(242n, { name: 'Aloe' });
    const { page, requests } = await openConsole(test, browser, service, { query: '?plant=242', statuses: [503] });
    const message = 'Cannot store now: the disk is full';
    await page.route(/\/plants\/242$/, (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 503, json: { error: 50302, message } })
        : route.continue(),
    );
    await nameOf(page).fill('Aloe vera');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText(message).waitFor();
    assert.equal(await page.getByText('The service is not responding.').count(), 0);
    assert.ok(!requests.some((url) => url.endsWith('/readyz')), 'the console asks whether the service is back');
  });

  it('leaves the draft of the next new plant alone', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=new' });
    const { sent, release } = await hold(page, 'POST', /\/plants$/);
    await nameOf(page).fill('First');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await sent;
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New plant' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await nameOf(page).fill('Second');
    release();
    await page.getByText('“First” added.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New plant' }).click();
    assert.equal(await nameOf(page).inputValue(), 'Second');
  });

  for (const [button, method, message] of [
    ['Save', 'PATCH', '“Aloe vera” saved.'],
    ['Delete', 'DELETE', '“Aloe” deleted'],
  ] as const) {
    it(`or deleted, and was closed, does not close another one (${button})`, async (test) => {
      await client.put(1n, { name: 'Aloe' });
      await client.put(2n, { name: 'Hoya' });
      const { page } = await openConsole(test, browser, service, { query: '?plant=1' });
      await nameOf(page).fill('Aloe vera');
      const { sent, release } = await hold(page, method, /\/plants\/1$/);
      await page.getByRole('button', { name: button, exact: true }).click();
      await sent;
      await page.getByRole('row', { name: 'Hoya, 2' }).click();
      await page.getByRole('complementary', { name: 'Hoya Id 2' }).waitFor();
      await nameOf(page).fill('Hoya carnosa');
      release();
      await page.getByText(message).waitFor();
      assert.equal(await nameOf(page).inputValue(), 'Hoya carnosa');
    });
  }

  for (const [button, method, message] of [
    ['Save', 'PATCH', '“Aloe vera” was not saved. Someone else changed it.'],
    ['Delete', 'DELETE', '“Aloe” was not deleted. Someone else changed it.'],
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
      await page.getByText('You both changed the name.').waitFor();
    });
  }

  for (const [what, status, body, message] of [
    ['is refused', 409, { error: 40901, message: 'Taken' }, 'was not saved. The id 5 is already in use.'],
    ['fails', 500, { error: 50001, message: 'Cannot store the plant' }, 'was not saved. Cannot store the plant'],
    ['gets no response', undefined, undefined, 'may not be saved. The service is not responding.'],
  ] as const) {
    it(`or added, and was closed, says so and leads back when it ${what}`, async (test) => {
      await client.delete(5n);
      const { page, expectSilence } = await openConsole(test, browser, service, {
        query: '?plant=new',
        statuses: [404, 409, 500],
      });
      expectSilence();
      await page.getByLabel('Id', { exact: true }).fill('5');
      await nameOf(page).fill('Ivy');
      const { promise: sent, resolve: send } = Promise.withResolvers<undefined>();
      const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
      await page.route(/\/plants$/, async (route) => {
        send(undefined);
        await held;
        return status === undefined ? route.abort() : route.fulfill({ status, json: body });
      });
      await page.getByRole('button', { name: 'Add plant' }).click();
      await sent;
      await page.getByRole('link', { name: 'Overview' }).click();
      release(undefined);
      const toast = page.locator('.toast-bad', { hasText: `“Ivy” ${message}` });
      await toast.getByRole('button', { name: 'Open' }).click();
      await nameOf(page).waitFor();
      assert.equal(await nameOf(page).inputValue(), 'Ivy');
      assert.equal(await page.getByLabel('Id', { exact: true }).inputValue(), '5');
    });
  }

  it('takes no text that it would lose when it closes', async (test) => {
    await client.put(1n, { name: 'Aloe' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=1' });
    await nameOf(page).fill('Aloe vera');
    const { sent, release } = await hold(page, 'PATCH', /\/plants\/1$/);
    await nameOf(page).press('Enter');
    await sent;
    await page.keyboard.type(' and more');
    assert.equal(await nameOf(page).inputValue(), 'Aloe vera');
    release();
    await page.getByText('“Aloe vera” saved.').waitFor();
  });
});
