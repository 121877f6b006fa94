/** Many plants at once: what is selected, one request for all, and its Undo, also after a reload. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it, type TestContext } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { findAccessFaults, openBrowser, openConsole, setHidden, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token });
const rare = 1_200;

beforeEach(async () => {
  await client.batch({ action: 'delete', plants: { all: true } });
  const lines = Array.from({ length: rare }, (_, at) => `${at + 1},Hoya ${at + 1},rare\n`);
  await client.import(`id,name,tag\n${lines.join('')}9001,Fern,sale\n`, { mediaType: 'text/csv' });
});

/** @param holds whether the responses of batches wait until `release`. */
async function open(test: TestContext, query = '?tag=rare') {
  const { page, expectSilence } = await openConsole(test, browser, service, { query });
  await page.getByRole('row', { name: 'Hoya 1, ' }).waitFor();
  // While a list is loading, "select all" selects by its filter.
  await page.locator('.grid[aria-busy=false]').waitFor();
  const bar = page.getByRole('region', { name: 'Selected plants' });
  const bodies: { readonly action: string; readonly plants?: unknown; readonly group: string }[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/plants/batch'))
      bodies.push(JSON.parse(request.postData() ?? '') as (typeof bodies)[0]);
  });
  return { page, bar, bodies, expectSilence };
}

async function count(tag: string): Promise<number> {
  const { items } = await client.tagsPage();
  return Number(items.find((each) => each.tag === tag)?.plants ?? 0n);
}

describe('all plants of a list', () => {
  it('are tagged after a question, and are as before after Undo', async (test) => {
    const { page, bar, bodies } = await open(test);
    await page.getByLabel('Select all', { exact: true }).click();
    await bar.getByText('1,200 selected').waitFor();
    await bar.getByRole('button', { name: 'Labels (first 500)' }).waitFor();
    await bar.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.keyboard.type(' SALE ');
    await bar.getByText('is in use for 1 plant').waitFor();
    assert.equal(await bar.getByRole('option').count(), 0, 'offered once');
    assert.deepEqual(await findAccessFaults(page), []);
    await bar.getByRole('button', { name: 'Use it' }).click();
    await bar.getByRole('button', { name: 'Set tag' }).click();
    const question = page.getByRole('dialog', { name: 'Tag 1,200 plants' });
    await question
      .getByText(
        /^Tag 1,200 plants with “sale”\? [\d,]+ of them are not on the screen\. 1,200 plants lose another tag\. You can undo it/,
      )
      .waitFor();
    assert.equal(bodies.length, 0);
    await page.keyboard.press('Enter');
    await page.getByText('1,200 plants tagged “sale”. You can undo it later, too, in Activity.').waitFor();
    assert.deepEqual([await count('rare'), await count('sale')], [0, rare + 1]);
    await page.getByText('No plants with the tag “rare”').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Change undone: 1,200 plants.').waitFor();
    await page.getByRole('row', { name: 'Hoya 1, ' }).waitFor();
    assert.deepEqual([await count('rare'), await count('sale')], [rare, 1]);
    assert.equal((bodies.at(-1) as unknown as { undoes: string }).undoes, bodies[0]?.group);
    // The console does not announce its own changes.
    assert.equal(await page.locator('.waiting').count(), 0);
  });

  it('are given another tag on the page of tags, after a question with the number and both names', async (test) => {
    const { page, bodies } = await open(test);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tags' }).click();
    await page.getByRole('button', { name: 'Rename or merge “rare”' }).click();
    await page.keyboard.type('scarce');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Rename “rare” (1,200 plants) to “scarce”?').waitFor();
    assert.equal(bodies.length, 0);
    await page.keyboard.press('Enter');
    await page.getByText('“rare” renamed to “scarce”: 1,200 plants').waitFor();
    assert.deepEqual([await count('rare'), await count('scarce')], [0, rare]);
  });

  it('are deleted only after a question with their number', async (test) => {
    const { page, bar, bodies } = await open(test);
    await page.getByRole('row', { name: 'Hoya 1, ' }).focus();
    await page.keyboard.press('Control+a');
    await bar.getByText('1,200 selected').waitFor();
    await page.keyboard.press('Delete');
    const question = page.getByRole('dialog', { name: 'Delete' });
    await question
      .getByText(/^Delete 1,200 plants\? [\d,]+ of them are not on the screen\. You can undo it, also from the Bin\./)
      .waitFor();
    assert.deepEqual(await findAccessFaults(page, { within: 'dialog' }), []);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.deepEqual(bodies, []);
    await waitUntil(page, 'document.activeElement.ariaLabel?.startsWith("Hoya 1,")');
    await page.getByRole('row', { name: 'Hoya 2, ' }).locator('.pick').click();
    await bar.getByText('1,199 selected').waitFor();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await question.getByText(/^Delete 1,199 plants\? /).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1,199 plants deleted').waitFor();
    assert.equal(await count('rare'), 1);
    assert.notEqual(await client.get(2n), undefined);
  });

  it('are those of the filter until the page has them, then these', async (test) => {
    const { page, bar } = await open(test);
    const held = Promise.withResolvers<undefined>();
    await page.route(/cursor=/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('row', { name: 'Hoya 1, ' }).waitFor();
    await page.getByLabel('Select all', { exact: true }).click();
    await bar.getByText('All plants with the tag “rare” selected').waitFor();
    held.resolve(undefined);
    await bar.getByText('1,200 selected').waitFor();
  });

  it('of a search are only those that it finds, by a part of the name or the tag', async (test) => {
    const { page, bar } = await open(test, '?search=oya+are');
    await page.getByLabel('Select all', { exact: true }).click();
    await bar.getByText('1,200 selected').waitFor();
    assert.equal(await page.getByLabel('Select all', { exact: true }).isChecked(), true);
    assert.equal(await bar.getByRole('button', { name: 'Select all' }).count(), 0);
    await bar.getByRole('button', { name: 'Tag', exact: true }).click();
    await bar.getByRole('button', { name: 'Remove tag' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove tag' }).click();
    await page.getByText('1,200 plants without a tag now').waitFor();
    assert.deepEqual([await count('rare'), await count('sale')], [0, 1]);
  });

  it('without a filter are exported, and those without a tag are listed', async (test) => {
    const { page, bar } = await open(test, '');
    await page.getByLabel('Select all', { exact: true }).click();
    await bar.getByText('1,201 selected').waitFor();
    await bar.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await bar.getByRole('group', { name: '1,201 plants' }).getByRole('button', { name: 'CSV' }).click();
    await download;
    await bar.getByRole('button', { name: 'Tag', exact: true }).click();
    await bar.getByRole('button', { name: 'Remove tag' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove tag' }).click();
    await page.getByText('1,201 plants without a tag now').waitFor();
    assert.deepEqual((await client.tagsPage()).items, []);
    await client.patch(5n, { tag: 'sale' });
    await page.getByRole('combobox', { name: 'Only plants with this tag' }).click();
    await page.getByRole('option', { name: 'no tag 1,200 plants' }).click();
    await page.locator('.count').getByText('1,200 plants', { exact: true }).waitFor();
    assert.match(page.url(), /\?untagged=true$/);
    await page.reload();
    await page.locator('.count').getByText('1,200 plants', { exact: true }).waitFor();
  });
});

describe('a change by someone else right after a batch', () => {
  it('is shown, although the log has too many changes to read them all', async (test) => {
    const { page, bar } = await open(test);
    await page.locator('.count').getByText('1,200 plants', { exact: true }).waitFor();
    // A hidden page follows no changes until it is visible again.
    await setHidden(page, true);
    await page.getByLabel('Select all', { exact: true }).click();
    await bar.getByText('1,200 selected').waitFor();
    await bar.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.keyboard.type('sale');
    await bar.getByRole('button', { name: 'Set tag' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set tag' }).click();
    await page.getByText('1,200 plants tagged “sale”').waitFor();
    await client.put(1n, { name: 'Hoya last', tag: 'rare' });
    await setHidden(page, false);
    await page.getByRole('row', { name: 'Hoya last, ' }).waitFor();
    await page.locator('.count').getByText('1 plant', { exact: true }).waitFor();
  });
});

describe('the bin', () => {
  it('restores all that a batch deleted, and finds one of them', async (test) => {
    await client.put(2n, { name: 'Hoya carnosa', tag: 'rare' });
    await client.batch({ action: 'delete', plants: { tag: 'rare' } });
    await client.delete(9_001n);
    const { page } = await openConsole(test, browser, service, { query: '?view=bin' });
    const lines = page.locator('li.deletion');
    await page.getByText('usually for 30 days').waitFor();
    await lines.nth(1).locator('summary i', { hasText: 'Hoya carnosa' }).waitFor();
    await lines.nth(1).getByText('1,200 plants').click();
    await lines.nth(1).getByText('and 1,100 more').waitFor();
    assert.deepEqual(await findAccessFaults(page), []);
    const each = lines.nth(1).getByRole('listitem').filter({ hasText: 'Hoya 30' });
    assert.match((await each.textContent()) ?? '', /^Hoya 3030 rareRestore/);
    await each.getByRole('button', { name: 'Restore “Hoya 30”' }).click();
    await page.getByText('“Hoya 30” restored').waitFor();
    await each.waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('hoya 119');
    await page.getByText('12 deleted plants found').waitFor();
    await page.getByRole('button', { name: 'Restore these 12' }).click();
    await page.getByText('12 plants restored').waitFor();
    await page.getByText('0 deleted plants found').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Restore all 1,187' }).click();
    await page.getByText('1,187 plants restored. 13 plants needed no change').waitFor();
    await lines.nth(1).waitFor({ state: 'detached' });
    await waitUntil(page, 'document.activeElement.matches(".deletion a")');
    assert.equal(await count('rare'), rare);
    await page.locator('.toast').getByRole('button', { name: 'Show' }).click();
    await page.getByText('1,187 selected').waitFor();
    await page.locator('.count').getByText('1,187 plants', { exact: true }).waitFor();
  });
});

describe('what a batch could not change', () => {
  it('is said with its reason', async (test) => {
    const { page, bar } = await open(test);
    for (const id of [1, 2, 3])
      await page
        .getByRole('row', { name: `Hoya ${id}, ` })
        .locator('.pick')
        .click();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('3 plants deleted').waitFor();
    await client.create({ id: 2n, name: 'Someone was faster' });
    // Simulates a change log that has lost some of the changes.
    await page.route('**/plants/batch', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('"errors":', '"expired":1200,"errors":');
      await route.fulfill({ response, body });
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    const lost = '1,200 changes not: no longer in the change log';
    await page.getByText(`2 plants restored. 1 plant not: changed since (2). ${lost}`).waitFor();
  });
});

describe('a batch without a response', () => {
  it('is told as the change log has it once the service responds', async (test) => {
    const { page, bar, expectSilence } = await open(test);
    await page.getByRole('row', { name: 'Hoya 2, ' }).locator('.pick').click();
    expectSilence();
    await page.route('**/plants/batch', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await bar.getByRole('button', { name: 'Delete' }).click();
    const toast = page.locator('.toast');
    await toast.getByText('“Hoya 2” deleted.', { exact: true }).waitFor();
    assert.equal(await toast.count(), 1);
    assert.equal(await client.get(2n), undefined);
    await page.unrouteAll();
    await toast.getByRole('button', { name: 'Undo' }).click();
    await toast.getByText('“Hoya 2” restored').waitFor();
  });
});

describe('a batch that is interrupted', () => {
  it('is continued with one click, after other bad news and a reload, too, and then has its true number', async (test) => {
    const { page, bar, bodies, expectSilence } = await open(test);
    await page.locator('.count').getByText('1,200 plants', { exact: true }).waitFor();
    await page.getByLabel('Select all', { exact: true }).click();
    await bar.getByText('1,200 selected').waitFor();
    expectSilence();
    const isFirst = new Set([true]);
    await page.route('**/readyz', (route) => route.abort());
    await page.route('**/plants/export**', (route) => route.abort());
    await page.route('**/plants/batch', async (route) => {
      const { action, group } = bodies[0] ?? { action: '', group: '' };
      const ids = Array.from({ length: 300 }, (_, at) => BigInt(at + 1));
      if (isFirst.delete(true)) await client.batch({ action: action as 'delete', plants: ids, group });
      await route.abort();
    });
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    const toast = page.locator('.toast-bad', { hasText: 'Deleting' });
    await toast.getByText('Deleting was interrupted. You can continue when the service responds.').waitFor();
    await page.unroute('**/readyz');
    await page.getByRole('button', { name: 'Try now' }).click();
    await toast.getByText('Deleting was interrupted. 300 plants deleted so far.').waitFor();
    await page.unroute('**/plants/batch');
    await page.locator('.list-actions').getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'CSV' }).click();
    await page.getByText('Export failed').waitFor();
    await page.getByRole('link', { name: 'Tags' }).click();
    await toast.getByRole('button', { name: 'Continue' }).waitFor();
    assert.deepEqual(await findAccessFaults(page, { within: '.toasts' }), []);
    await page.reload();
    await toast.getByText('Deleting was not over when the page was left. 300 plants deleted so far.').waitFor();
    await toast.getByRole('button', { name: 'Continue' }).click();
    const done = page.locator('.toast', { hasText: /^1,200 plants deleted\. You can undo it later/ });
    await done.waitFor();
    assert.equal(await count('rare'), 0);
    assert.equal(new Set(bodies.map(({ group }) => group)).size, 1);
    await done.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1,200 plants').first().waitFor();
    await page.locator('.toast', { hasText: /^(Change undone: )?1,200 plants( restored)?\./ }).waitFor();
    assert.equal(await count('rare'), rare);
  });

  it('is not offered again once its message was dismissed', async (test) => {
    const { page, bar, expectSilence } = await open(test);
    expectSilence();
    await page.route('**/plants/batch', (route) => route.abort());
    await page.getByRole('row', { name: 'Hoya 2, ' }).locator('.pick').click();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.reload();
    await page.getByRole('row', { name: 'Hoya 2, ' }).waitFor();
    await page.locator('.cell-change').getByText('just now').first().waitFor();
    assert.equal(await page.locator('.toast').count(), 0);
  });
});

describe('a reload after a batch', () => {
  it('shows its message with Undo again, but not when its time is over', async (test) => {
    const { page, bar } = await open(test);
    await page.getByRole('row', { name: 'Hoya 2, ' }).locator('.pick').click();
    await bar.getByRole('button', { name: 'Delete' }).click();
    const toast = page.locator('.toast', { hasText: '“Hoya 2” deleted' });
    await toast.waitFor();
    const reload = async (endedMsAgo: number): Promise<void> => {
      await page.evaluate(`{
        const key = Object.keys(sessionStorage).find((each) => each.startsWith('plant-store.batch'));
        const { end, ...batch } = JSON.parse(sessionStorage[key]);
        sessionStorage[key] = JSON.stringify({ ...batch, end: { ...end, at: Date.now() - ${endedMsAgo} } });
      }`);
      await page.reload();
      await page.getByRole('row', { name: 'Hoya 3, ' }).waitFor();
    };
    // Later than now: a slow machine must not end it.
    await reload(-60_000);
    await toast.getByRole('button', { name: 'Undo' }).waitFor();
    await reload(10_001);
    assert.equal(await toast.count(), 0);
  });
});

describe('a reload in the middle of a batch', () => {
  it('loses nothing: the service goes on, Undo waits for its end, and nothing of it is news', async (test) => {
    const { page, bar, expectSilence } = await open(test);
    await page.getByLabel('Select all', { exact: true }).click();
    await bar.getByText('1,200 selected').waitFor();
    // However fast the service is, the page has not heard of the end.
    await page.evaluate('{ const send = fetch; fetch = (...all) => send(...all).then(() => new Promise(() => {})); }');
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    const isBegun = async () => assert.notEqual(await count('rare'), rare);
    await test.waitFor(isBegun, { timeout: 60_000 });
    expectSilence();
    await page.reload();
    // The service may be done by then.
    const toast = page.locator('.toast', {
      hasText: /Deleting was not over when the page was left|1,200 plants deleted/,
    });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1,200 plants restored').waitFor();
    assert.equal(await count('rare'), rare);
    await page.locator('.count-text').getByText('1,200 plants', { exact: true }).waitFor();
    assert.equal(await page.locator('.waiting').count(), 0);
  });
});
