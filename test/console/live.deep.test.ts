/** What others change appears in the console by itself: in the list, the history, the activity and the bin. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, setHidden, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser();
/** Someone else, with a token named "test". */
const { token } = await createToken(service, ['plants:read', 'plants:write']);
const other = new PlantClient({ url: service.url, token });
const rows = Array.from({ length: 40 }, (_, at) => `${(at + 1) * 10},Fern ${at + 1},shade\n`);
await other.import(`id,name,tag\n${rows.join('')}`, { mediaType: 'text/csv' });

const row = (page: Page, name: string) => page.locator('.grid-slice .row', { hasText: name }).first();
const waiting = (page: Page) => page.locator('.waiting');

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
  it('does not animate for people who prefer reduced motion', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 4').waitFor();
    await recordFlashes(page);
    await other.put(40n, { name: 'Fern four' });
    assert.deepEqual(await findFlashes(page, 'Fern four'), { 'Fern four': [] });
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
  });

  it('says who changed each plant last', async (test) => {
    // Now, however long ago the import was.
    await other.batch({ action: 'setTag', plants: [70n, 80n], tag: 'shadow' });
    const { page } = await openConsole(test, browser, service);
    for (const name of ['Fern 7', 'Fern 8']) await row(page, name).getByText('test just now').waitFor();
    await new PlantClient({ url: service.url, token: service.token }).put(70n, { name: 'Fern 7', tag: 'sun' });
    await row(page, 'Fern 7').getByText('You just now').waitFor();
    await row(page, 'Fern 8').getByText('test just now').waitFor();
  });

  it('says so if no change of a plant is kept', async (test) => {
    const short = await startService(test, { flags: ['--changes-max', '1'] });
    const client = new PlantClient({ url: short.url, token: short.token });
    // So many writes start the removal.
    const ids = Array.from({ length: 2_000 }, (_, at) => `${at + 1},Old\n`);
    await client.import(`id,name\n${ids.join('')}`, { mediaType: 'text/csv' });
    while ((await client.changesPage({ id: 1n, newest: true })).items.length > 0) await setTimeout(20);
    await client.put(2n, { name: 'New' });
    const { page } = await openConsole(test, browser, short);
    await row(page, 'Old').getByTitle('No change of this plant is kept').filter({ hasText: /^–$/ }).waitFor();
    await row(page, 'New').getByText('You just now').waitFor();
  });

  it('tells screen readers at most once in a while', async (test) => {
    // In a context of its own, which keeps the clock.
    const { page } = await openConsole(test, browser, service, { hasTouch: false });
    await page.clock.install();
    // The page counts from its load.
    await page.reload();
    // Asked for once the page knows which rows are visible: what comes earlier would enter below them.
    await row(page, 'Fern 2').getByText('test').first().waitFor();
    const spoken = page.locator('.list-head > [role=status]');
    await other.create({ id: 11n, name: 'One' });
    await waiting(page).getByText('1 changed elsewhere').waitFor();
    // Not what is no longer so, such as that the list is loading.
    assert.doesNotMatch((await spoken.textContent()) ?? '', /Loading/);
    await page.clock.fastForward(21_000);
    await spoken.getByText('1 changed elsewhere').waitFor({ state: 'attached' });
    await other.create({ id: 12n, name: 'Two' });
    await page.clock.fastForward(1_000);
    await waiting(page).getByText('2 changed elsewhere').waitFor();
    assert.equal(await spoken.textContent(), '');
    await page.clock.fastForward(21_000);
    await spoken.getByText('2 changed elsewhere').waitFor({ state: 'attached' });
    for (const id of [11n, 12n]) await other.delete(id);
  });
});

describe('the labels of chosen plants', () => {
  const query = '?view=labels&ids=10,20';

  it('appear although the plants are there before the page listens', async (test) => {
    // In a context of its own, which keeps the clock: effects run in the next frame, which comes once the plants are loaded.
    const { page } = await openConsole(test, browser, service, { hasTouch: false });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const isFollowing = page.waitForRequest(/changes\?.*wait=/);
    await page.goto(`${service.url}/console${query}`);
    await isFollowing;
    await page.clock.resume();
    await page.getByText('2 labels of').waitFor();
  });

  it('say that they cannot be loaded, and appear once they can', async (test) => {
    const { page } = await openConsole(test, browser, service, { statuses: [500] });
    await page.route('**/plants?*', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":50001,"message":"No"}' }),
    );
    await page.goto(`${service.url}/console${query}`);
    await page.getByText('Could not load the plants').waitFor();
    // The page also tries again by itself: once that succeeds, the button is gone.
    const again = page.waitForRequest('**/plants?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await again;
    await page.unroute('**/plants?*');
    await page.getByText('2 labels of').waitFor();
  });
});

describe('following', () => {
  it('stops while the page is hidden, and misses nothing', async (test) => {
    const { page, requests } = await openConsole(test, browser, service);
    await row(page, 'Fern 13').waitFor();
    const { page: visible } = await openConsole(test, browser, service);
    await row(visible, 'Fern 13').waitFor();
    await setHidden(page, true);
    const before = requests.length;
    for (const name of ['Fern of 13', 'Fern thirteen']) {
      await other.put(130n, { name });
      await row(visible, name).waitFor();
    }
    assert.deepEqual(requests.slice(before), [], 'a hidden page asks for nothing');
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
});

/** Larger than any double can hold. */
const id = 9007199254740993n;
const entries = (page: Page) => page.locator('.history > li');
const events = (page: Page) => page.locator('.event');
const deletion = (page: Page, name: string) => page.locator('.deletion', { hasText: name });

describe('the history', () => {
  it('is read page by page, once for each click, and as far as before when it is read again', async (test) => {
    await other.put(id, { name: 'Before' });
    for (let at = 0; at < 25; at++) await other.put(id, { name: `Name ${at}` });
    await other.put(id, { name: 'Last' });
    const { page } = await openConsole(test, browser, service, { query: `?plant=${id}` });
    await page.locator('summary', { hasText: 'History' }).click();
    await entries(page).first().waitFor();
    assert.equal(await entries(page).count(), 20);
    const older = page.getByRole('button', { name: 'Show older' });
    const reads: string[] = [];
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/history?*', async (route) => {
      reads.push(route.request().url());
      await held;
      await route.continue();
    });
    await older.click();
    await page.locator('.button[aria-busy=true]', { hasText: 'Show older' }).click();
    release(undefined);
    await entries(page).nth(20).waitFor();
    assert.equal(reads.length, 1);
    const texts = await entries(page).allTextContents();
    for (let at = 1; at <= 25; at++) assert.match(texts[at] ?? '', new RegExp(`now Name ${25 - at}(?!\\d)`));
    await page.locator('.grid-slice .pick').first().click();
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    // After a batch, everything is read again.
    await page.waitForResponse((response) => response.url() === reads[0]);
    assert.equal(await entries(page).count(), texts.length);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.toast', { hasText: 'restored' }).waitFor();
  });

  it('shows a new change also while older ones are read', async (test) => {
    for (let at = 0; at < 25; at++) await other.put(id, { name: `Name ${at}` });
    const { page } = await openConsole(test, browser, service, { query: `?plant=${id}` });
    await page.locator('summary', { hasText: 'History' }).click();
    await entries(page).nth(19).waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/history?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Show older' }).click();
    await other.put(id, { name: 'Newest' });
    await entries(page).first().getByText('Newest').waitFor();
    release(undefined);
    await entries(page).nth(21).waitFor();
    await entries(page).first().getByText('Newest').waitFor();
  });
});

describe('the activity', () => {
  it('shows the newest 20 changes, who made them and when, with a link, live', async (test) => {
    for (let id = 1n; id <= 25n; id++) await other.put(id, { name: `Fern ${id}` });
    // Each is one of its own, where changes one after the other are joined.
    for (let id = 1n; id <= 25n; id++) await other.batch({ action: 'setTag', plants: [id], tag: 'shade' });
    const { page } = await openConsole(test, browser, service, { query: '?view=activity' });
    await events(page).first().waitFor();
    // From where the button of the sign-in was.
    await page.mouse.move(5, 5);
    assert.equal(await events(page).count(), 20);
    assert.match(
      (await events(page).first().textContent()) ?? '',
      /^test changed Fern 25just nowUndoTag\s*no tag → now shade/,
    );
    assert.match((await events(page).first().locator('time').getAttribute('title')) ?? '', /\d\d:\d\d/);
    await other.batch({ action: 'setTag', plants: [3n], tag: 'sale' });
    await events(page).first().getByText('test changed Fern 3').waitFor();
    assert.match((await events(page).first().textContent()) ?? '', /Tag\s*shade → now sale/);
    await other.batch({ action: 'delete', plants: [4n] });
    await events(page).first().getByText('test deleted Fern 4').waitFor();
    assert.equal(await events(page).count(), 20);
    await page.getByRole('button', { name: 'Show older' }).click();
    // Activity has a line for the import and one for the plants of this test, unless they follow
    // each other quickly.
    await page
      .getByText(/test added \d+ plants/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Fern 3', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Fern 3' }).waitFor();
  });

  it('does not move while the pointer is on it', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=activity' });
    await events(page).first().waitFor();
    const first = await events(page).first().textContent();
    await events(page).nth(3).hover();
    const poll = page.waitForResponse((response) => response.url().includes('wait='));
    await other.batch({ action: 'setTag', plants: [5n], tag: 'moved' });
    await poll;
    await page.waitForTimeout(200);
    assert.equal(await events(page).first().textContent(), first);
    await page.mouse.move(5, 5);
    await events(page).first().getByText('moved').waitFor();
  });
});

describe('the bin', () => {
  it('follows what others do, but moves no row while the pointer is on it', async (test) => {
    for (const each of [30n, 32n]) {
      await other.put(each, { name: `Moss ${each}` });
      await other.delete(each);
    }
    const { page } = await openConsole(test, browser, service, { query: '?view=bin' });
    await deletion(page, 'Moss 30').waitFor();
    await page.mouse.move(5, 5);
    await other.put(31n, { name: 'Yew' });
    await other.delete(31n);
    await deletion(page, 'Yew').waitFor();
    await deletion(page, 'Moss 30').hover();
    const poll = page.waitForResponse((response) => response.url().includes('wait='));
    await other.create({ id: 30n, name: 'Someone was faster' });
    await poll;
    await page.waitForTimeout(200);
    assert.equal(await deletion(page, 'Moss 30').count(), 1);
    await page.mouse.move(5, 5);
    await deletion(page, 'Moss 30').waitFor({ state: 'detached' });
  });
});
