/** What others do is shown as it happens, in the form, in the recent activity and in the bin, and what is gone can be restored. */
import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { type Plant, PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, setHidden, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
/** Someone else, with a token named "test". */
const { token } = await createToken(service, ['plants:read', 'plants:write']);
const other = new PlantClient({ url: service.url, token });

/** Larger than any double can hold. */
const id = 9007199254740993n;
const nameOf = (page: Page) => page.getByLabel('Name', { exact: true });
const note = (page: Page) => page.locator('.note-incoming');
const entries = (page: Page) => page.locator('.history > li');
const stored = async (): Promise<Plant | undefined> => {
  const { id: _id, ...plant } = (await other.get(id))?.plant ?? { id };
  return 'name' in plant ? plant : undefined;
};
const nameIs = (page: Page, name: string) =>
  waitUntil(page, `document.querySelector('.panel textarea')?.value === ${JSON.stringify(name)}`);

const events = (page: Page) => page.locator('.event');
const deletions = (page: Page) => page.locator('.deletion');
const deletion = (page: Page, name: string) => page.locator('.deletion', { hasText: name });

async function openForm(test: TestContext, plant: Plant, statuses: readonly number[] = []): Promise<Page> {
  await other.put(id, plant);
  const { page } = await openConsole(test, browser, service, { query: `?plant=${id}`, statuses });
  await nameIs(page, plant.name);
  return page;
}

async function openHistory(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'History' }).click();
  await entries(page).first().waitFor();
}

describe('the form of a plant that someone else changes', () => {
  it('says so, moves nothing, and loads it while keeping what was typed', async (test) => {
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' });
    await nameOf(page).fill('Aloe vera');
    const place = await nameOf(page).boundingBox();
    await other.patch(id, { tag: 'sale' });
    await note(page).getByText('Changed by test just now').waitFor();
    assert.deepEqual(await nameOf(page).boundingBox(), place);
    assert.match((await note(page).locator('time').getAttribute('title')) ?? '', /\d\d:\d\d/);
    await note(page).getByRole('button', { name: 'Load it' }).click();
    await note(page).waitFor({ state: 'detached' });
    await waitUntil(page, `document.querySelector('.panel .combo input').value === 'sale'`);
    assert.equal(await nameOf(page).inputValue(), 'Aloe vera');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“Aloe vera” saved.', { exact: true }).waitFor();
    assert.deepEqual(await stored(), { name: 'Aloe vera', tag: 'sale' });
  });

  it('asks about a member that both changed, and overwrites nothing', async (test) => {
    const page = await openForm(test, { name: 'Aloe' });
    await nameOf(page).fill('Mine');
    await other.put(id, { name: 'Theirs' });
    await note(page).getByRole('button', { name: 'Load it' }).click();
    await page.getByText('You both changed the name.').waitFor();
    await page.getByLabel('Their change').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('saved').first().waitFor();
    assert.deepEqual(await stored(), { name: 'Theirs' });
  });

  it('says nothing once the form shows the same', async (test) => {
    const page = await openForm(test, { name: 'Aloe' });
    await other.put(id, { name: 'Other' });
    await note(page).waitFor();
    await other.put(id, { name: 'Aloe' });
    await note(page).waitFor({ state: 'detached' });
  });

  it('does not say again what it has loaded, when the state before is restored', async (test) => {
    const page = await openForm(test, { name: 'Aloe' });
    await other.put(id, { name: 'Theirs' });
    await note(page).getByRole('button', { name: 'Load it' }).click();
    await note(page).waitFor({ state: 'detached' });
    await openHistory(page);
    await entries(page).getByRole('button', { name: 'Restore “Aloe”' }).first().click();
    await page.getByText('“Aloe” restored.').waitFor();
    await page.getByRole('heading', { name: 'Aloe' }).waitFor();
    assert.equal(await note(page).count(), 0);
  });

  it('says that it was deleted, and offers to restore it', async (test) => {
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' }, [404]);
    await other.delete(id);
    await note(page).getByText('Deleted by test just now').waitFor();
    await note(page).getByRole('button', { name: 'Show' }).click();
    await page.getByText('There is no plant with this id.').waitFor();
    await entries(page).first().getByRole('button', { name: 'Restore “Aloe”, shade' }).click();
    await page.getByText('“Aloe” restored.').waitFor();
    await nameIs(page, 'Aloe');
    assert.deepEqual(await stored(), { name: 'Aloe', tag: 'shade' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('deleted again.').waitFor();
    assert.equal(await stored(), undefined);
    await page.getByText('There is no plant with this id.').waitFor();
  });

  it('shows a plant that exists again, with what was typed, and leaves the focus where it is', async (test) => {
    const page = await openForm(test, { name: 'Aloe' }, [404]);
    await nameOf(page).fill('Aloe, still here');
    const gone = page.getByText('There is no plant with this id.');
    await page.getByLabel('Select Aloe').check();
    await page.locator('.selection-bar').getByRole('button', { name: 'Delete' }).click();
    await gone.waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await nameIs(page, 'Aloe, still here');

    await other.delete(8n);
    await page.goto(`${service.url}/console?plant=8`);
    await gone.waitFor();
    await page.getByRole('searchbox').focus();
    await other.create({ id: 8n, name: 'Back' });
    await nameIs(page, 'Back');
    assert.equal(await page.evaluate('document.activeElement.type'), 'search');
  });

  it('keeps what was typed when the plant was deleted', async (test) => {
    const page = await openForm(test, { name: 'Aloe' }, [404]);
    await nameOf(page).fill('Aloe, still here');
    await other.delete(id);
    await note(page).getByRole('button', { name: 'Show' }).click();
    await page.getByRole('button', { name: 'Create again' }).click();
    await page.getByText('“Aloe, still here” added.').waitFor();
    assert.deepEqual(await stored(), { name: 'Aloe, still here' });
  });
});

describe('the history', () => {
  it('shows who changed what, live, newest first', async (test) => {
    await other.delete(id);
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' });
    await openHistory(page);
    assert.match((await entries(page).first().textContent()) ?? '', /^test added it just now\s*NameAloe\s*Tagshade/);
    await other.put(id, { name: 'Aloe vera' });
    await entries(page).first().getByText('changed it').waitFor();
    const text = (await entries(page).first().textContent()) ?? '';
    assert.match(text, /Name\s*Aloe → now Aloe vera\s*Tag\s*shade → now no tag/);
  });

  it('restores an earlier state, and undoes that', async (test) => {
    const page = await openForm(test, { name: 'First', tag: 'shade' });
    await other.put(id, { name: 'Second' });
    await note(page).getByRole('button', { name: 'Load it' }).click();
    await nameIs(page, 'Second');
    await openHistory(page);
    assert.equal(await entries(page).first().getByRole('button', { name: 'Restore' }).count(), 0);
    await page.getByRole('button', { name: 'Restore “First”, shade' }).first().click();
    await page.getByText('“First” restored.').waitFor();
    await nameIs(page, 'First');
    assert.deepEqual(await stored(), { name: 'First', tag: 'shade' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('“Second” saved again.').waitFor();
    await nameIs(page, 'Second');
    assert.deepEqual(await stored(), { name: 'Second' });
  });

  it('does not overwrite a change that the form has not seen', async (test) => {
    const page = await openForm(test, { name: 'First' }, [412]);
    await other.put(id, { name: 'Second' });
    await note(page).getByRole('button', { name: 'Load it' }).click();
    await nameIs(page, 'Second');
    await openHistory(page);
    await other.put(id, { name: 'Third' });
    await note(page).waitFor();
    await page.getByRole('button', { name: 'Restore “First”' }).first().click();
    await page.getByText('The plant was not restored. Someone else changed it.').waitFor();
    assert.deepEqual(await stored(), { name: 'Third' });
  });

  it('has no Restore without the scope', async (test) => {
    await other.put(id, { name: 'First' });
    await other.put(id, { name: 'Second' });
    const reader = await createToken(service, ['plants:read']);
    const { page } = await openConsole(test, browser, service, {
      query: `?plant=${id}`,
      token: reader.token,
      statuses: [403],
    });
    await nameIs(page, 'Second');
    await openHistory(page);
    assert.equal(await page.getByRole('button', { name: 'Restore' }).count(), 0);
  });

  it('is read page by page', async (test) => {
    await other.put(id, { name: 'Before' });
    for (let at = 0; at < 25; at++) await other.put(id, { name: `Name ${at}` });
    const page = await openForm(test, { name: 'Last' });
    await openHistory(page);
    assert.equal(await entries(page).count(), 20);
    await page.getByRole('button', { name: 'Show older' }).click();
    await entries(page).nth(20).waitFor();
    const texts = await entries(page).allTextContents();
    for (let at = 1; at <= 25; at++) assert.match(texts[at] ?? '', new RegExp(`now Name ${25 - at}(?!\\d)`));
  });
});

describe('recent activity', () => {
  it('shows the newest 20 changes, who made them and when, with a link, live', async (test) => {
    for (let id = 1n; id <= 25n; id++) await other.put(id, { name: `Fern ${id}` });
    const { page } = await openConsole(test, browser, service, { query: '?view=overview' });
    await events(page).first().waitFor();
    assert.equal(await events(page).count(), 20);
    assert.match((await events(page).first().textContent()) ?? '', /^test added Fern 25just now/);
    assert.match((await events(page).first().locator('time').getAttribute('title')) ?? '', /\d\d:\d\d/);
    await other.patch(3n, { tag: 'sale' });
    await events(page).first().getByText('test changed Fern 3').waitFor();
    assert.match((await events(page).first().textContent()) ?? '', /Tag\s*no tag → now sale/);
    await other.delete(4n);
    await events(page).first().getByText('test deleted Fern 4').waitFor();
    assert.equal(await events(page).count(), 20);
    await page.getByRole('link', { name: 'Fern 3' }).click();
    await page.getByRole('heading', { name: 'Fern 3' }).waitFor();
  });

  it('does not move while the pointer is on it', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=overview' });
    await events(page).first().waitFor();
    const first = await events(page).first().textContent();
    await events(page).nth(3).hover();
    const poll = page.waitForResponse((response) => response.url().includes('wait='));
    await other.put(5n, { name: 'Fern five' });
    await poll;
    await page.waitForTimeout(200);
    assert.equal(await events(page).first().textContent(), first);
    await page.mouse.move(5, 5);
    await events(page).first().getByRole('link', { name: 'Fern five' }).waitFor();
  });
});

describe('the bin', () => {
  it('shows the plants that are still deleted, newest first', async (test) => {
    for (const id of [30n, 31n, 32n]) {
      await other.put(id, { name: `Moss ${id}`, tag: 'shade' });
      await other.delete(id);
    }
    await other.put(31n, { name: 'Back again' });
    const { page, requests } = await openConsole(test, browser, service);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Bin' }).click();
    await deletions(page).nth(2).waitFor();
    const names = await page.locator('.deletion-name').allTextContents();
    assert.deepEqual(names, ['Moss 32', 'Moss 30', 'Fern 4']);
    assert.match((await deletions(page).first().textContent()) ?? '', /Moss 3232 shadetest just now/);
    assert.ok(requests.some((url) => /order=desc.*kind=deleted/.test(url)));
  });

  it('restores a plant, moves the focus on, and undoes that', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=bin&plant=5' });
    await waitUntil(page, 'document.title === "Bin · Plant Store"');
    await page.getByRole('button', { name: 'Restore “Moss 32”' }).click();
    await page.getByText('“Moss 32” restored.').waitFor();
    await deletion(page, 'Moss 32').waitFor({ state: 'detached' });
    await waitUntil(page, 'document.activeElement.textContent === "Moss 30"');
    assert.deepEqual((await other.get(32n))?.plant, { id: 32n, name: 'Moss 32', tag: 'shade' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await deletion(page, 'Moss 32').waitFor();
    assert.equal(await other.get(32n), undefined);
  });

  it('overwrites nothing when the plant was created again', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=bin', statuses: [412] });
    await deletion(page, 'Moss 30').waitFor();
    // The page must not hear of it.
    await setHidden(page, true);
    await other.create({ id: 30n, name: 'Someone was faster' });
    await page.getByRole('button', { name: 'Restore “Moss 30”' }).click();
    await page.getByText('The plant was not restored. There is a plant with this id again.').waitFor();
    assert.equal((await other.get(30n))?.plant.name, 'Someone was faster');
    await other.delete(30n);
  });

  it('follows what others do, without moving a row', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=bin' });
    await deletion(page, 'Someone was faster').waitFor();
    const top = (await deletion(page, 'Moss 32').boundingBox())?.y;
    await other.create({ id: 30n, name: 'Someone was faster' });
    await deletion(page, 'Someone was faster').getByText('Exists again').waitFor();
    await other.delete(1n);
    const button = page.getByRole('button', { name: '1 deleted elsewhere' });
    await button.waitFor();
    assert.equal((await deletion(page, 'Moss 32').boundingBox())?.y, top);
    await button.click();
    await deletion(page, 'Fern 1').waitFor();
    await deletion(page, 'Someone was faster').waitFor({ state: 'detached' });
    await button.waitFor({ state: 'detached' });
  });

  it('keeps what happens while it is read again: that is newer', async (test) => {
    await other.put(2n, { name: 'Fern 2' });
    const { page } = await openConsole(test, browser, service, { query: '?view=bin' });
    await deletion(page, 'Moss 32').waitFor();
    await other.delete(2n);
    const [read, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await page.route('**/plants/32/history?*', async (route) => {
      const response = await route.fetch();
      read.resolve(undefined);
      await released.promise;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: '1 deleted elsewhere' }).click();
    await read.promise;
    await page.getByRole('button', { name: 'Restore “Moss 32”' }).click();
    await page.getByText('“Moss 32” restored.').waitFor();
    released.resolve(undefined);
    await deletion(page, 'Fern 2').waitFor();
    assert.equal(await deletion(page, 'Moss 32').count(), 0);
    await page.getByText('deleted elsewhere').waitFor({ state: 'detached' });
    await other.put(2n, { name: 'Fern 2' });
  });

  it('does not copy what it knows for each of many changes', async (test) => {
    await other.put(33n, { name: 'Moss 33' });
    await other.delete(33n);
    const { page } = await openConsole(test, browser, service, { query: '?view=bin' });
    await deletion(page, 'Moss 33').waitFor();
    await page.evaluate(`{
      window.copied = 0;
      window.Map = class extends Map {
        constructor(entries) {
          super(entries);
          if (entries instanceof Map) copied += this.size;
        }
      };
    }`);
    const created = 499;
    const rows = Array.from({ length: created }, (_, at) => `${1_000 + at},Moss\n`);
    await other.import(`id,name\n33,Back\n${rows.slice(1).join('')}`, { mediaType: 'text/csv' });
    await deletion(page, 'Moss 33').getByText('Exists again').waitFor();
    const copied = await page.evaluate<number>('copied');
    assert.ok(copied <= 10 * created, `${copied} entries were copied for ${created} changes`);
  });

  it('says when it is empty, and has no buttons without the scope', async (test) => {
    const reader = await createToken(service, ['plants:read']);
    const { page } = await openConsole(test, browser, service, {
      query: '?view=bin',
      token: reader.token,
      statuses: [403],
    });
    await deletion(page, 'Fern 1').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Restore' }).count(), 0);
    for (const id of [1n, 4n, 32n]) await other.put(id, { name: 'Back' });
    await page.reload();
    await page.getByRole('heading', { name: 'The bin is empty' }).waitFor();
  });
});
