/** A million plants: the page stays small, has the first ones of each filter, and says so. `npm run bench -- console` times the first rows. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { findAccessFaults, openBrowser, openConsole, waitUntil } from './open-console.ts';

const plants = 1_000_000;
const rowsOfPart = 5_000;

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token, timeoutMs: 60_000 });
await client.import(
  (async function* () {
    for (let start = 0; start < plants; start += rowsOfPart) {
      const lines = Array.from({ length: rowsOfPart }, (_, at) => {
        const id = start + at;
        return `${id},Plant ${id},tag ${id % 50}\n`;
      });
      yield Buffer.from((start === 0 ? 'id,name,tag\n' : '') + lines.join(''));
    }
  })(),
  { mediaType: 'text/csv' },
);

const body = 'document.querySelector(".grid-body")';
const row = (page: Page, id: number) => page.locator(`.row[aria-label^="Plant ${id},"]`);
const isFocused = (page: Page, name: string) => waitUntil(page, `document.activeElement.ariaLabel === '${name}'`);

it('a selection stays while the plants outgrow the page, and are loaded again', async (test) => {
  const other = await startService(test);
  const ofOther = new PlantClient({ url: other.url, token: other.token });
  const store = async (from: number, to: number): Promise<void> => {
    const rows = Array.from({ length: to - from }, (_, at) => `${from + at},Plant,\n`);
    await ofOther.import(`id,name,tag\n${rows.join('')}`, { mediaType: 'text/csv' });
  };
  await store(0, 19_990);
  const { page } = await openConsole(test, browser, other, { query: '?search=plant' });
  await page.locator('.count').getByText('19,990 plants', { exact: true }).waitFor();
  await page.getByLabel('Select all').click();
  const bar = page.getByRole('region', { name: 'Selected plants' });
  await bar.getByText('19,990 selected').waitFor();
  const [held, first] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const second = page.waitForRequest(/search=plant.*cursor=/);
  await page.route(/\/plants\?/, async (route) => {
    await (route.request().url().includes('cursor=') ? held : first).promise;
    await route.continue();
  });
  await store(19_990, 20_010);
  await page.locator('.count').getByText('Updating…').waitFor();
  first.resolve(undefined);
  await second;
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  assert.match((await bar.textContent()) ?? '', /19,990 selected/);
  held.resolve(undefined);
  await page.getByText('The first 20,000 of').waitFor();
  await bar.getByText('19,990 selected').waitFor();
});

it('of more tags than the page knows: it says so, suggests from those, and takes any other', async (test) => {
  const other = await startService(test);
  const rows = Array.from({ length: 20_002 }, (_, id) => `${id},Plant,${id < 20_000 ? `maize ${id % 5_000}` : ''}\n`);
  const ofOther = new PlantClient({ url: other.url, token: other.token });
  await ofOther.import(`id,name,tag\n${rows.join('')}`, { mediaType: 'text/csv' });
  await ofOther.patch(20_000n, { tag: 'ze' });
  const { page } = await openConsole(test, browser, other, { query: '?view=tags' });
  await page.getByText('The first 5,000 tags', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Plants', exact: true }).click();
  const tagFilter = page.getByRole('combobox', { name: 'Only plants with this tag' });
  for (const [typed, suggested] of [
    ['zea', 0],
    ['ze', 8],
  ] as const) {
    await tagFilter.fill(typed);
    await page
      .getByRole('option')
      .nth(7)
      .waitFor({ state: suggested === 0 ? 'detached' : 'visible' });
    assert.equal(await page.getByText('No plant has such a tag').count(), 0);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('tag') === typed);
    await page.goBack();
  }
});

describe('a list of a million plants', () => {
  it('has the first 20,000, says so, and stays small', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.getByText('The first 20,000 of 1,000,000 plants. Search, or choose a tag, to see others.').waitFor();
    await page.locator('.count').getByText('1,000,000 plants', { exact: true }).waitFor();
    await page.evaluate(`${body}.scrollTop = ${body}.scrollHeight`);
    await row(page, 19_999).waitFor();
    assert.ok((await page.getByRole('row').count()) < 80, 'only visible rows are rendered');
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    // The texts of responses, of which the rows hold parts, are no part of the heap.
    const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
    assert.ok(usedSize + backingStorageSize < 12_000_000, `${usedSize} and ${backingStorageSize} bytes`);
    assert.deepEqual(await findAccessFaults(page), []);
  });

  it('has all of a tag, from its first to its last, and sorts them', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?tag=tag+7' });
    await page.locator('.count').getByText('20,000 plants', { exact: true }).waitFor();
    await page.locator('.grid[aria-busy="false"]').waitFor();
    assert.equal(await page.getByText('The first 20,000').count(), 0);
    await page.locator('.row[data-index="0"]').focus();
    await page.keyboard.press('End');
    await isFocused(page, 'Plant 999957, tag 7, 999957');
    for (let press = 0; press < 20; press++) await page.keyboard.press('ArrowUp');
    await isFocused(page, 'Plant 998957, tag 7, 998957');
    await page.keyboard.press('Home');
    await waitUntil(page, `document.activeElement.ariaLabel?.startsWith('Plant 7,') && ${body}.scrollTop === 0`);
    for (let press = 0; press < 2; press++) await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.locator('.row[data-index="0"]', { hasText: 'Plant 999957' }).waitFor();
  });

  it('begins with the highest id on demand, with a new plant, and says up to how many can be sorted', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 0).waitFor();
    await page.getByRole('button', { name: 'Id', exact: true }).click();
    await page.locator('.row[data-index="0"]', { hasText: 'Plant 999999' }).waitFor();
    assert.match(page.url(), /\?order=highest$/);
    await page.getByRole('button', { name: 'New plant' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Last of all');
    await page.locator('.panel').getByRole('button', { name: /^Add/ }).first().click();
    await page.locator('.row[data-index="0"]', { hasText: 'Last of all' }).waitFor();
    await client.delete(1_000_000n);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.locator('.row-head').getByText('To sort, filter to at most 20,000').waitFor();
  });

  it('finds plants beyond the first, one by its id, and acts on all that the service finds', async (test) => {
    const { page } = await openConsole(test, browser, service, { statuses: [404] });
    await row(page, 0).waitFor();
    const search = page.getByRole('searchbox');
    await search.fill('plant 99999');
    await row(page, 999_990).waitFor();
    await search.fill('777777, 20');
    const match = row(page, 777_777);
    await match.waitFor();
    await page.locator('.count').getByText('2 plants', { exact: true }).waitFor();
    await client.delete(777_777n);
    await page.locator('.row.is-gone', { hasText: 'Plant 777777' }).waitFor();
    await client.create({ id: 777_777n, name: 'Again' });
    await page.locator('.row:not(.is-gone)', { hasText: 'Again' }).waitFor();
    // The form asks the service for a plant that the page does not have.
    await search.fill('777778');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plant 777778' }).waitFor();
    await page.keyboard.press('Escape');
    await search.fill('plant');
    await page.getByText('The first 20,000 of all plants found.').waitFor();
    await page.getByLabel('Select all').click();
    const bar = page.getByRole('region', { name: 'Selected plants' });
    await bar.getByText('All plants matching “plant” selected').waitFor();
    const sent = page.waitForRequest('**/plants/batch');
    const report = '{"group":"g","done":true,"read":20000,"changed":20000,"unchanged":0,"refused":0,"errors":[]}\n';
    await page.route('**/plants/batch', (route) =>
      route.fulfill({ contentType: 'application/x-ndjson', body: report }),
    );
    await bar.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete' });
    await question.getByText(/^Delete all plants matching “plant”\? There are more than 20,000 plants\. /).waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    assert.deepEqual((JSON.parse((await sent).postData() ?? '') as { plants: unknown }).plants, { search: 'plant' });
    await page.getByText('20,000 plants deleted').waitFor();
    await bar.waitFor({ state: 'detached' });
  });
});

describe('the bin of a large store', () => {
  it('counts many deletions, and shows the newest', async (test) => {
    for (let id = 0n; id < 1_000n; id += 50n)
      await Promise.all(Array.from({ length: 50 }, (_, at) => client.delete(id + BigInt(at))));
    const { page } = await openConsole(test, browser, service);
    await row(page, 1_000).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Bin' }).click();
    await page.locator('li.deletion').nth(99).waitFor();
    await page.getByText('1,000+ deleted plants', { exact: true }).waitFor();
    assert.equal(await page.locator('li.deletion').count(), 100);
  });
});

describe('a selection of all plants of a list', () => {
  it('is not all of another list', async (test) => {
    const lines = Array.from({ length: 1_100 }, (_, at) => `${-1 - at},Moss,${at % 2 === 0 ? 'dry' : 'wet'}\n`);
    await client.import(`id,name,tag\n${lines.join('')}`, { mediaType: 'text/csv' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=dry' });
    const all = page.getByLabel('Select all');
    await all.click();
    await page.getByText('550 selected').waitFor();
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await page.locator('.tag-filter input').fill('wet');
    await page.keyboard.press('Enter');
    await page.locator('.count').getByText('550 plants', { exact: true }).waitFor();
    await page.getByText('550 selected').waitFor({ state: 'detached' });
    assert.equal(await all.isChecked(), false);
  });
});

describe('an import into a large store', () => {
  it('says that the list may not have its plants', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const buffer = Buffer.from('id,name\n2000001,Aloe\n2000002,Fern\n');
    await page.getByLabel('File to import').setInputFiles({ name: 'plants.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Import 2 plants' }).click();
    await page.getByRole('button', { name: 'Show the plants' }).click();
    await page.getByText('The list has only the first 20,000 plants. Some of these may be missing.').waitFor();
  });
});
