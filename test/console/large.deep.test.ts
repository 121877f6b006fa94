/** Twenty thousand plants: the page stays small, however far the list is scrolled. `npm run bench -- console` times a million. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser, openConsole, waitUntil } from './open-console.ts';

const plants = 20_000;
const rowsOfPart = 5_000;
/** Of each name: rows that are kept show in the memory of the page. */
const tail = 'and far away '.repeat(60).trimEnd();
/** Rows that are scrolled over; the page holds 2,400 of them. */
const scrolledRows = 8_000;

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token, timeoutMs: 60_000 });
await client.import(
  (async function* () {
    for (let start = 0; start < plants; start += rowsOfPart) {
      const lines = Array.from({ length: rowsOfPart }, (_, at) => {
        const id = start + at;
        return `${id},${id % 1000 === 7 ? 'Rare' : 'Plant'} ${id} ${tail},tag ${id % 50}\n`;
      });
      yield Buffer.from((start === 0 ? 'id,name,tag\n' : '') + lines.join(''));
    }
  })(),
  { mediaType: 'text/csv' },
);

describe('a long list', () => {
  it('scrolls without growing', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.getByRole('row', { name: 'Plant 0 ' }).waitFor();
    await page.locator('.count').getByText('20,000 plants', { exact: true }).waitFor();
    const before = await usedBytes();
    const scrollDown = '(body => { body.scrollTop = body.scrollHeight; })(document.querySelector(".grid-body"))';
    const lastIndex = 'Number([...document.querySelectorAll(".row")].at(-1)?.getAttribute("aria-rowindex"))';
    await waitUntil(page, `(${scrollDown}, ${lastIndex} > ${scrolledRows})`);
    assert.ok((await page.getByRole('row').count()) < 80, 'only visible rows are rendered');
    const grown = (await usedBytes()) - before;
    assert.ok(grown < 5_000_000, `the page grew by ${grown} bytes over ${scrolledRows} rows`);
    await page.evaluate('document.querySelector(".grid-body").scrollTop = 0');
    await page.getByRole('row', { name: 'Plant 0 ' }).waitFor();

    async function usedBytes(): Promise<number> {
      const session = await page.context().newCDPSession(page);
      await session.send('HeapProfiler.collectGarbage');
      // The texts of responses, of which the rows hold parts, are no part of the heap.
      const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
      await session.detach();
      return usedSize + backingStorageSize;
    }
  });
});

describe('the bin of a large store', () => {
  it('shows the newest of many deletions with one small request for each that it shows', async (test) => {
    for (let id = 0n; id < 1_000n; id += 50n)
      await Promise.all(Array.from({ length: 50 }, (_, at) => client.delete(id + BigInt(at))));
    const { page, requests } = await openConsole(test, browser, service);
    await page.getByRole('row', { name: 'Plant 1000 ' }).waitFor();
    const before = requests.length;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Bin' }).click();
    await page.locator('.deletion').nth(49).waitFor();
    const sent = requests.slice(before).filter((url) => /history|order=desc/.test(url)).length;
    assert.equal(sent, 51);
  });
});

describe('a selection of all plants of a list', () => {
  it('is not all of another list', async (test) => {
    const lines = Array.from({ length: 1_100 }, (_, at) => `${-1 - at},Moss,${at % 2 === 0 ? 'dry' : 'wet'}\n`);
    await client.import(`id,name,tag\n${lines.join('')}`, { mediaType: 'text/csv' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=dry' });
    const all = page.getByLabel('Select all');
    await all.check();
    await page.getByText('550 selected').waitFor();
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await page.locator('.tag-filter input').fill('wet');
    await page.keyboard.press('Enter');
    await page.locator('.count').getByText('550 plants', { exact: true }).waitFor();
    await page.getByText('550 selected').waitFor({ state: 'detached' });
    assert.equal(await all.isChecked(), false);
  });
});
