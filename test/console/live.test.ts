/** What others change appears in the console by itself: in the list, and in the form before there is a conflict. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import type { Cleanup } from '../support/clean-up.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { type ConsolePage, openBrowser, openConsole, setHidden, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
/** Someone else, with a token named "test". */
const { token } = await createToken(service, ['plants:read', 'plants:write']);
const other = new PlantClient({ url: service.url, token });
const rows = Array.from({ length: 40 }, (_, at) => `${(at + 1) * 10},Fern ${at + 1},shade\n`);
await other.import(`id,name,tag\n${rows.join('')}`, { mediaType: 'text/csv' });

const row = (page: Page, name: string) => page.locator('.grid-slice .row', { hasText: name }).first();
const waiting = (page: Page) => page.locator('.waiting');
const topOf = async (page: Page, name: string) => (await row(page, name).boundingBox())?.y;

/** Records in the page which rows are highlighted, and what moves then: it is over before a slow machine could look. */
async function recordFlashes(page: Page): Promise<void> {
  await page.evaluate(`{
    window.flashed = new Map();
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll('.row.is-flashing .cell-name'))
        if (!flashed.has(textContent)) flashed.set(textContent, document.getAnimations().map((each) => each.animationName));
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  }`);
}

/** Resolves to all that were highlighted, each with the names of its animations, once this plant is. */
async function findFlashes(page: Page, name: string): Promise<Record<string, string[]>> {
  await waitUntil(page, `flashed.has(${JSON.stringify(name)})`);
  return page.evaluate('Object.fromEntries(flashed)');
}

describe('the list', () => {
  it('updates a row that someone else changed in its place, and highlights it', async (test) => {
    const { page } = await openConsole(test, browser, service, { reducedMotion: 'no-preference' });
    await row(page, 'Fern 3').waitFor();
    const top = await topOf(page, 'Fern 3');
    await recordFlashes(page);
    await other.put(30n, { name: 'Fern three', tag: 'sale' });
    await row(page, 'Fern three').getByText('sale').waitFor();
    assert.equal(await topOf(page, 'Fern three'), top);
    const flashes = await findFlashes(page, 'Fern three');
    assert.ok(flashes['Fern three']?.includes('flash'), JSON.stringify(flashes));
    await page.locator('.row.is-flashing').waitFor({ state: 'detached' });
    assert.equal(await waiting(page).count(), 0);
  });

  it('does not animate for people who prefer reduced motion', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 4').waitFor();
    await recordFlashes(page);
    await other.put(40n, { name: 'Fern four' });
    assert.deepEqual(await findFlashes(page, 'Fern four'), { 'Fern four': [] });
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
  });

  it('lets new and deleted plants wait for the button, so that no row moves', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 5').waitFor();
    const top = await topOf(page, 'Fern 6');
    await other.create({ id: 51n, name: 'New between' });
    await waiting(page).getByText('1 changed elsewhere').waitFor();
    await other.delete(50n);
    await page.locator('.row.is-gone', { hasText: 'Fern 5' }).waitFor();
    await page.getByRole('row', { name: 'Fern 5, shade, 50, deleted' }).waitFor();
    await waiting(page).getByText('2 changed elsewhere').waitFor();
    assert.equal(await row(page, 'New between').count(), 0);
    assert.equal(await topOf(page, 'Fern 6'), top);
    await waiting(page).click();
    await row(page, 'New between').waitFor();
    assert.equal(await page.locator('.row', { hasText: 'Fern 5' }).count(), 0);
    await waiting(page).waitFor({ state: 'detached' });
    await waitUntil(page, 'document.activeElement.matches(".row")');
  });

  it('tells screen readers at most once in a while', async (test) => {
    // In a context of its own, which keeps the clock.
    const { page } = await openConsole(test, browser, service, { hasTouch: false });
    await row(page, 'Fern 20').waitFor();
    await page.clock.install();
    const spoken = page.locator('.list-head > [role=status]');
    await other.create({ id: 11n, name: 'One' });
    await waiting(page).getByText('1 changed elsewhere').waitFor();
    await page.clock.fastForward(21_000);
    await spoken.getByText('1 changed elsewhere').waitFor({ state: 'attached' });
    await other.create({ id: 12n, name: 'Two' });
    await page.clock.fastForward(1_000);
    await waiting(page).getByText('2 changed elsewhere').waitFor();
    assert.match((await spoken.textContent()) ?? '', /, 1 changed elsewhere$/);
    await page.clock.fastForward(21_000);
    await spoken.getByText('2 changed elsewhere').waitFor({ state: 'attached' });
    for (const id of [11n, 12n]) await other.delete(id);
  });

  it('adds a plant at the end at once: nothing moves', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 6').waitFor();
    await other.create({ id: 100_000n, name: 'Last' });
    await page.locator('.count').getByText('41 plants', { exact: true }).waitFor();
    assert.equal(await waiting(page).count(), 0);
    await page.evaluate('document.querySelector(".grid-body").scrollTo(0, 1e6)');
    await row(page, 'Last').waitFor();
    await other.delete(100_000n);
  });

  it('brings a deleted row back when the plant is created again', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 7').waitFor();
    await other.delete(70n);
    await page.locator('.row.is-gone', { hasText: 'Fern 7' }).waitFor();
    await other.create({ id: 70n, name: 'Fern 7', tag: 'shade' });
    await page.locator('.row.is-gone').waitFor({ state: 'detached' });
    await waiting(page).waitFor({ state: 'detached' });
  });

  it('heeds its filter: a plant that no longer matches waits to leave', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?tag=shade' });
    await row(page, 'Fern 8').waitFor();
    await other.create({ id: 81n, name: 'Of another tag', tag: 'sale' });
    await other.patch(80n, { tag: 'sale' });
    await row(page, 'Fern 8').getByText('sale').waitFor();
    await waiting(page).getByText('1 changed elsewhere').click();
    await row(page, 'Fern 8').waitFor({ state: 'detached' });
    assert.equal(await row(page, 'Of another tag').count(), 0);
  });

  it('counts too many changes as many, and loads the list again', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 9').waitFor();
    // Stored at once: more would come in several pages of the log, each with its own notice.
    const many = Array.from({ length: 499 }, (_, at) => `${200_000 + at},Moss ${at}\n`).join('');
    await other.import(`id,name\n-1,Before all\n${many}`, { mediaType: 'text/csv' });
    await waiting(page).getByText('Many changed elsewhere').click();
    await row(page, 'Before all').waitFor();
    await waiting(page).waitFor({ state: 'detached' });
  });

  it('does not count what this page writes, even if the change arrives before the response', async (test) => {
    const { page, requests } = await openConsole(test, browser, service, { query: '?plant=100' });
    await page.route(/\/plants\/\d+$/, async (route) => {
      const response = await route.fetch();
      if (route.request().method() !== 'GET') await page.waitForTimeout(1_500);
      await route.fulfill({ response });
    });
    await recordFlashes(page);
    await page.getByLabel('Name', { exact: true }).fill('Fern 10, mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('saved.').waitFor();
    await page.locator('.row', { hasText: 'Fern 11' }).locator('.pick').click();
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    while ((await other.get(110n)) !== undefined) await page.waitForTimeout(20);
    // This change is later in the log than those of the page.
    await other.put(120n, { name: 'Fern twelve' });
    assert.deepEqual(Object.keys(await findFlashes(page, 'Fern twelve')), ['Fern twelve']);
    assert.equal(await page.locator('.row.is-gone').count(), 0);
    assert.equal(await waiting(page).count(), 0);
    await page.getByText('“Fern 11” deleted').waitFor();
    assert.ok(requests.some((url) => url.includes('/plants/changes?after=')));
  });
});

describe('a change by someone else that is followed by one of this page', () => {
  for (const how of ['together', 'one after the other'] as const) {
    it(`does not stay in the list when something else was saved (${how})`, async (test) => {
      const { page } = await openRoses(test);
      const log = await holdLog(page, how);
      await other.patch(300_002n, { name: 'Rose 1, theirs' });
      await log.told;
      await row(page, 'Rose 1').click();
      await page.getByRole('heading', { name: 'Rose 1, theirs' }).waitFor();
      await page.getByLabel('Name', { exact: true }).fill('Rose 1, mine');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('saved').waitFor();
      await log.release();
      assert.deepEqual(await shownNames(page), ['Rose 2', 'Rose 1, mine', 'Last of the log']);
      assert.equal(await waiting(page).count(), 0);
    });

    it(`does not bring back a plant that was deleted (${how})`, async (test) => {
      const { page } = await openRoses(test);
      await row(page, 'Rose 1').locator('.pick').click();
      const log = await holdLog(page, how);
      await other.patch(300_002n, { name: 'Rose 1, theirs' });
      await log.told;
      await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByText('deleted', { exact: false }).waitFor();
      await log.release();
      assert.deepEqual(await shownNames(page), ['Rose 2', 'Last of the log']);
      assert.equal(await waiting(page).count(), 0);
      await page.locator('.count').getByText('2 plants', { exact: true }).waitFor();
    });
  }

  it('moves no row before the response: that shows what this page did', async (test) => {
    const { page } = await openRoses(test);
    const [sent, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await page.route('**/plants/300002', async (route) => {
      const response = await route.fetch();
      if (route.request().method() === 'DELETE') {
        sent.resolve(undefined);
        await released.promise;
      }
      await route.fulfill({ response });
    });
    await row(page, 'Rose 1').locator('.pick').click();
    await row(page, 'Rose 1').focus();
    await page.keyboard.press('Delete');
    await sent.promise;
    await other.put(300_003n, { name: 'Last of the log', tag: 'rose' });
    await row(page, 'Last of the log').waitFor();
    assert.equal(await row(page, 'Rose 1').count(), 1);
    released.resolve(undefined);
    await row(page, 'Rose 1').waitFor({ state: 'detached' });
  });

  it('is not offered in the form that has restored the state before it', async (test) => {
    const { page } = await openRoses(test);
    const log = await holdLog(page, 'together');
    await other.patch(300_002n, { name: 'Rose 1, theirs' });
    await row(page, 'Rose 1').click();
    await page.locator('summary', { hasText: 'History' }).click();
    await page.getByRole('button', { name: 'Restore “Rose 1”' }).first().click();
    await page.getByText('“Rose 1” restored.').waitFor();
    await page.getByRole('heading', { name: 'Rose 1', exact: true }).waitFor();
    await log.release();
    assert.equal(await page.getByRole('button', { name: 'Load it' }).count(), 0);
  });

  it('is not shown again while a later one of this page is to come', async (test) => {
    const { page } = await openRoses(test);
    const log = await holdLog(page, 'one after the other');
    await row(page, 'Rose 1').click();
    const save = async (name: string): Promise<void> => {
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByLabel('Name', { exact: true }).press('Enter');
      await page.getByText(`“${name}” saved`).waitFor();
    };
    await save('Rose 1, first');
    await log.told;
    await row(page, 'Rose 1, first').click();
    await save('Rose 1, second');
    await page.evaluate(`{
      window.seen = new Set();
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll('.cell-name')) seen.add(textContent);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    }`);
    await log.release();
    assert.deepEqual(await shownNames(page), ['Rose 2', 'Rose 1, second', 'Last of the log']);
    assert.equal(await page.evaluate('seen.has("Rose 1, first")'), false);
  });

  /** A list of three plants. */
  async function openRoses(scope: Cleanup): Promise<ConsolePage> {
    for (const [id, name] of [
      [300_001n, 'Rose 2'],
      [300_002n, 'Rose 1'],
      [300_003n, 'Last'],
    ] as const)
      await other.put(id, { name, tag: 'rose' });
    const opened = await openConsole(scope, browser, service, { query: '?tag=rose' });
    await row(opened.page, 'Last').waitFor();
    return opened;
  }

  /**
   * From now on the page learns of no change until `release`, which resolves once it has learned of all. `together`: it then learns of them
   * at once; otherwise of the first one before the others. `told`: the service has answered with the first one.
   */
  async function holdLog(page: Page, how: 'together' | 'one after the other') {
    const asked = Promise.withResolvers<undefined>();
    const told = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    await page.route(
      '**/plants/changes?after=*',
      async (route) => {
        asked.resolve(undefined);
        if (how === 'together') await released.promise;
        const response = await route.fetch();
        told.resolve(undefined);
        await released.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    // The request that is already waiting is not held. It ends with this change.
    await other.put(300_003n, { name: 'Last, held', tag: 'rose' });
    await row(page, 'Last, held').waitFor();
    await asked.promise;
    return {
      told: how === 'together' ? Promise.resolve() : told.promise,
      release: async (): Promise<void> => {
        await other.put(300_003n, { name: 'Last of the log', tag: 'rose' });
        released.resolve(undefined);
        await row(page, 'Last of the log').waitFor();
      },
    };
  }

  function shownNames(page: Page): Promise<string[]> {
    return page.locator('.grid-slice .row:not(.is-gone) .cell-name').allInnerTexts();
  }
});

describe('the labels', () => {
  const label = (page: Page, name: string) => page.locator('.label', { hasText: name });

  it('follow their plants, and stay in sight while these are read again', async (test) => {
    await other.put(400_001n, { name: 'Fir' });
    await other.put(400_002n, { name: 'Oak' });
    const query = '?view=labels&ids=400001,400002';
    const { page } = await openConsole(test, browser, service, { query, statuses: [404] });
    await label(page, 'Oak').waitFor();
    const [read, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await page.route('**/plants/400002', async (route) => {
      read.resolve(undefined);
      await released.promise;
      await route.continue();
    });
    await other.put(400_002n, { name: 'Oak tree' });
    await read.promise;
    assert.equal(await page.locator('.label').count(), 2);
    await page.getByText('2 labels of').waitFor();
    released.resolve(undefined);
    await label(page, 'Oak tree').waitFor();
    await other.delete(400_001n);
    await page.getByText('1 plant no longer exists').waitFor();
    await other.put(400_001n, { name: 'Fir again' });
    await label(page, 'Fir again').waitFor();
  });

  it('of a tag take in a plant that gets it', async (test) => {
    await other.put(400_003n, { name: 'Elm', tag: 'label' });
    const { page } = await openConsole(test, browser, service, { query: '?view=labels&tag=label' });
    await label(page, 'Elm').waitFor();
    await other.put(400_004n, { name: 'Yew', tag: 'label' });
    await label(page, 'Yew').waitFor();
  });

  it('are read again when the log does not go back that far', async (test) => {
    await other.put(400_005n, { name: 'Ash' });
    const query = '?view=labels&ids=400005';
    const { page } = await openConsole(test, browser, service, { query, statuses: [410] });
    await label(page, 'Ash').waitFor();
    await page.route(
      '**/plants/changes?after=*-*',
      async (route) => {
        await other.put(400_005n, { name: 'Ash tree' });
        await route.fulfill({ status: 410, json: { error: 41001, message: 'Gone' } });
      },
      { times: 1 },
    );
    // Ends the request that is already waiting.
    await other.put(400_006n, { name: 'Not among them' });
    await label(page, 'Ash tree').waitFor();
  });
});

describe('following', () => {
  it('tells what others change right after an import of this page, and not the import', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const buffer = Buffer.from('id,name\n-20,Imported\n-21,Imported\n');
    await page.getByLabel('File to import').setInputFiles({ name: 'plants.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Import 2 plants' }).click();
    await page.getByRole('button', { name: 'Show the plants' }).click();
    await other.put(-20n, { name: 'Changed since' });
    await row(page, 'Changed since').waitFor();
    await row(page, 'Imported').waitFor();
    assert.equal(await waiting(page).count(), 0);
  });

  it('leaves nothing behind with each change', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 17').waitFor();
    await page.evaluate(`{
      window.listening = 0;
      const { addEventListener, removeEventListener } = EventTarget.prototype;
      Object.assign(AbortSignal.prototype, {
        addEventListener(...args) { listening++; addEventListener.apply(this, args); },
        removeEventListener(...args) { listening--; removeEventListener.apply(this, args); },
      });
    }`);
    for (let change = 1; change <= 6; change++) {
      await other.put(170n, { name: `Fern seventeen ${change}` });
      await row(page, `Fern seventeen ${change}`).waitFor();
    }
    // One request for the next change.
    await waitUntil(page, 'listening <= 1');
  });

  it('stops while the page is hidden, and misses nothing', async (test) => {
    const { page, requests } = await openConsole(test, browser, service);
    await row(page, 'Fern 13').waitFor();
    await setHidden(page, true);
    const before = requests.length;
    await other.put(130n, { name: 'Fern thirteen' });
    await page.waitForTimeout(1_000);
    assert.equal(requests.slice(before).filter((url) => url.includes('/changes')).length, 0);
    await setHidden(page, false);
    await row(page, 'Fern thirteen').waitFor();
  });

  it('starts again from now when the log does not go back that far, with a new list', async (test) => {
    const { page } = await openConsole(test, browser, service, { statuses: [410] });
    await row(page, 'Fern 14').waitFor();
    await page.route(
      '**/plants/changes?after=*-*',
      (route) =>
        route.fulfill({ status: 410, contentType: 'application/json', body: '{"error":41001,"message":"Gone"}' }),
      { times: 1 },
    );
    const reload = page.waitForRequest((request) => request.url().includes('/plants?limit='));
    // The poll in progress was not routed: it ends with this change. The next one is refused.
    await other.put(140n, { name: 'Fern fourteen' });
    await row(page, 'Fern fourteen').waitFor();
    await reload;
    await other.put(150n, { name: 'Fern fifteen' });
    await row(page, 'Fern fifteen').waitFor();
  });

  it('ends with the session', async (test) => {
    const { page, requests } = await openConsole(test, browser, service, { query: '?view=settings' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    const before = requests.length;
    await other.put(160n, { name: 'Fern sixteen' });
    await page.waitForTimeout(800);
    assert.equal(requests.slice(before).filter((url) => url.includes('/changes')).length, 0);
  });
});
