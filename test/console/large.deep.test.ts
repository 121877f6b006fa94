/** A million plants: the page stays small, and each place of the list is near. `npm run bench -- console` times the first rows. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser, openConsole, waitUntil } from './open-console.ts';

const plants = 1_000_000;
const rowsOfPart = 5_000;
/** Rows that are scrolled over; the page holds 2,400 of them. */
const scrolledRows = 8_000;
/** Of each of their names: rows that are kept show in the memory of the page. */
const tail = 'and far away '.repeat(60).trimEnd();

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token, timeoutMs: 60_000 });
await client.import(
  (async function* () {
    for (let start = 0; start < plants; start += rowsOfPart) {
      const lines = Array.from({ length: rowsOfPart }, (_, at) => {
        const id = start + at;
        return `${id},Plant ${id}${start < scrolledRows ? ` ${tail}` : ''},tag ${id % 50}\n`;
      });
      yield Buffer.from((start === 0 ? 'id,name,tag\n' : '') + lines.join(''));
    }
  })(),
  { mediaType: 'text/csv' },
);

const body = 'document.querySelector(".grid-body")';
const row = (page: Page, id: number) => page.locator(`.row[aria-label^="Plant ${id}"]`);
const isFocused = (page: Page, name: string) => waitUntil(page, `document.activeElement.ariaLabel === '${name}'`);

describe('a list of a million plants', () => {
  it('scrolls without growing', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 0).waitFor();
    await page.locator('.count').getByText('1,000,000 plants', { exact: true }).waitFor();
    const before = await usedBytes();
    const scrollDown = `${body}.scrollTop += 600`;
    const lastIndex = 'Number([...document.querySelectorAll(".row")].at(-1)?.getAttribute("aria-rowindex"))';
    await waitUntil(page, `(${scrollDown}, ${lastIndex} > ${scrolledRows})`);
    assert.ok((await page.getByRole('row').count()) < 80, 'only visible rows are rendered');
    const grown = (await usedBytes()) - before;
    assert.ok(grown < 5_000_000, `the page grew by ${grown} bytes over ${scrolledRows} rows`);
    await page.evaluate(`${body}.scrollTop = 0`);
    await row(page, 0).waitFor();

    async function usedBytes(): Promise<number> {
      const session = await page.context().newCDPSession(page);
      await session.send('HeapProfiler.collectGarbage');
      // The texts of responses, of which the rows hold parts, are no part of the heap.
      const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
      await session.detach();
      return usedSize + backingStorageSize;
    }
  });

  it('is as long as its scroll bar says: at its middle is its middle, and each row can be reached by keys', async (test) => {
    const { page, requests } = await openConsole(test, browser, service);
    await row(page, 0).waitFor();
    await page.locator('.count').getByText('1,000,000 plants', { exact: true }).waitFor();
    const before = requests.length;
    await page.evaluate(`${body}.scrollTop = ${body}.scrollHeight / 2`);
    await page.locator('.row[aria-label^="Plant 500"]').first().waitFor();
    assert.ok(requests.length - before < 10, `${requests.length - before} requests`);
    const top = await page.evaluate<string>('document.querySelector(".grid-slice .row[tabindex=\'0\']").ariaLabel');
    const id = Number(/\d+/.exec(top)?.[0]);
    await row(page, id).focus();
    // As many pixels of the list as a wheel says, though the scroll bar is shorter than the list.
    await row(page, id).locator('.cell-change').getByText('You').waitFor();
    const y = (await row(page, id).boundingBox())?.y ?? 0;
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 36);
    await waitUntil(page, `document.activeElement.getBoundingClientRect().y === ${y - 36}`);
    for (let press = 0; press < 60; press++) await page.keyboard.press('ArrowDown');
    await isFocused(page, `Plant ${id + 60}, tag ${(id + 60) % 50}, ${id + 60}`);
  });

  it('ends with its last plant, and begins with its first one', async (test) => {
    const { page, requests } = await openConsole(test, browser, service, { query: '?tag=tag+7' });
    // Once it is loaded, and its length known: requests are counted from here.
    await page.locator('.count').getByText('20,000 plants', { exact: true }).waitFor();
    await page.locator('.row[data-index="0"]:not(.row-skeleton)').focus();
    const before = requests.length;
    await page.keyboard.press('End');
    await row(page, 999_957).waitFor();
    await isFocused(page, 'Plant 999957, tag 7, 999957');
    const sent = requests.slice(before).filter((url) => url.includes('/plants?')).length;
    assert.ok(sent <= 2, `${sent} requests`);
    for (let press = 0; press < 20; press++) await page.keyboard.press('ArrowUp');
    await isFocused(page, 'Plant 998957, tag 7, 998957');
    await page.keyboard.press('Home');
    await waitUntil(page, `document.activeElement.ariaLabel?.startsWith('Plant 7 ') && ${body}.scrollTop === 0`);
  });

  it('begins with the highest id on demand, and shows a new plant there or at its end', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 0).waitFor();
    const add = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'New plant' }).click();
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.locator('.panel').getByRole('button', { name: /^Add/ }).first().click();
      await page.locator('.row', { hasText: name }).waitFor();
      await page.keyboard.press('Escape');
    };
    await add('Last of all');
    const sort = (name: string) => page.getByRole('columnheader', { name }).getAttribute('aria-sort');
    assert.deepEqual([await sort('Id'), await sort('Name')], ['ascending', null]);
    await page.getByRole('button', { name: 'Id', exact: true }).click();
    await page.locator('.row[data-index="0"]', { hasText: 'Last of all' }).waitFor();
    assert.equal(await sort('Id'), 'descending');
    assert.match(page.url(), /\?order=highest$/);
    await add('First of all');
    await page.locator('.row[data-index="0"]', { hasText: 'First of all' }).waitFor();
    for (const id of [1_000_000n, 1_000_001n]) await client.delete(id);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.locator('.row-head').getByText('To sort, filter to at most 5,000').waitFor();
    await row(page, 0).waitFor();
  });
});

describe('the bin of a large store', () => {
  it('shows the newest of many deletions with one request', async (test) => {
    for (let id = 0n; id < 1_000n; id += 50n)
      await Promise.all(Array.from({ length: 50 }, (_, at) => client.delete(id + BigInt(at))));
    const { page, requests } = await openConsole(test, browser, service);
    await row(page, 1_000).waitFor();
    const before = requests.length;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Bin' }).click();
    await page.locator('.deletion').nth(99).waitFor();
    await page.getByText(/^[5-9]\d\d\+ deleted plants$/).waitFor();
    assert.equal(await page.locator('.deletion').count(), 100);
    const sent = requests.slice(before).filter((url) => /history|order=desc/.test(url)).length;
    assert.equal(sent, 1);
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
