/** The list by keyboard and by screen reader, its search, and what a token without all scopes sees of it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { findAccessFaults, openBrowser, openConsole, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token });
const lines = Array.from({ length: 700 }, (_, at) =>
  JSON.stringify({ id: at + 1, name: `Fern ${at + 1}`, tag: at < 191 ? 'climber' : `tag ${at % 13}` }),
);
await client.import(lines.join('\n'), { mediaType: 'application/x-ndjson' });

const row = (page: Page, name: string) => page.locator('.grid-slice .row', { hasText: name }).first();
const focused = (page: Page, what: string) => waitUntil(page, `document.activeElement.matches('${what}')`);

describe('the search', () => {
  it('opens an exact id with Enter, also before the service has found it', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 1').waitFor();
    await page.getByRole('searchbox').fill('000642');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Fern 642' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Fern 642' }).waitFor({ state: 'hidden' });
    await row(page, 'Fern 642').waitFor();
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('heading', { name: 'Fern 642' }).waitFor();
  });

  it('lists several ids, and says which of them are not there', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.getByRole('searchbox').fill('5; 9001 007, 9002');
    await page.locator('.count').getByText('2 plants', { exact: true }).waitFor();
    await page.getByText('No plants have the ids 9001, 9002.').waitFor();
    await page.goto(`${service.url}/console?tag=climber&search=5+642`);
    await page.getByText('No plant with the tag “climber” has the id 642.').waitFor();
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await page.getByRole('searchbox').fill('5 7');
    await page.getByText('has the id').waitFor({ state: 'detached' });
  });

  it('leads from an id that no plant has to those that begin with it', async (test) => {
    const ids = [712_009n, 712_001n, 71_201n, 7_120_000n, 7_129_999n, 7_120n, -712n, 713_000n];
    for (const id of ids.slice(0, 5)) await client.create({ id, name: 'Moss' });
    test.after(() => client.batch({ action: 'delete', plants: { ids } }));
    const { page } = await openConsole(test, browser, service, { query: '?search=712' });
    const [text, ...longer] = [
      'Ids that begin with 712: ',
      ...[71_201, 712_001, 712_009, 7_120_000, 7_129_999].map((id) => `${id} “Moss”`),
    ];
    await page
      .locator('.notice', { hasText: 'No plant has the id 712' })
      .getByText(`${text}${longer.join(', ')}.`)
      .waitFor();
    for (const id of ids.slice(5)) await client.create({ id, name: 'Lot 712' });
    const all = ['7120 “Lot 712”', ...longer.slice(0, -1), '…'];
    await page.getByText(`No plant has the id 712. ${text}${all.join(', ')}`).waitFor();
    await page.getByRole('link', { name: '712001 “Moss”' }).click();
    await page.getByRole('heading', { name: 'Moss' }).waitFor();
  });

  it('leads to deleted plants, by id, by name and with a tag', async (test) => {
    await client.create({ id: 900_001n, name: 'Zamia', tag: 'climber' });
    await client.delete(900_001n);
    // 404: the form reads the plant.
    const { page } = await openConsole(test, browser, service, { query: '?search=900001', statuses: [404] });
    const [found, none] = ['In the bin: 900001 “Zamia”.', 'Deleted plants are in the bin.'];
    for (const [search, text] of [
      ['900001', found],
      ['zami', found],
      ['zebra', none],
      ['5 900001', `No plant has the id 900001. ${found}`],
    ] as const) {
      await page.getByRole('searchbox').fill(search);
      await page.getByText(text).waitFor();
    }
    await page.goto(`${service.url}/console?search=zamia&tag=tag+1`);
    await page.getByText(none).waitFor();
    await page.goto(`${service.url}/console?search=zamia&tag=climber`);
    await page.getByRole('link', { name: 'bin', exact: true }).click();
    await page.getByText('1 deleted plant found').waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'zamia');
    await page.goBack();
    await page.getByRole('link', { name: 'Bin', exact: true }).click();
    await page.getByText('deleted plants', { exact: false }).first().waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), '', 'all that is deleted');
    await page.goBack();
    await page.getByRole('link', { name: '900001 “Zamia”' }).click();
    await page.getByText('This plant was deleted.').waitFor();

    const empty = await startService(test);
    const owner = new PlantClient({ url: empty.url, token: empty.token });
    await owner.create({ id: 7n, name: 'Fern' });
    await owner.delete(7n);
    const other = await openConsole(test, browser, empty);
    await other.page.getByRole('heading', { name: 'All plants are deleted' }).waitFor();
    await other.page.getByText('In the bin: 7 “Fern”.').waitFor();
  });

  it('keeps what is typed into the tag filter at once after it is emptied', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?tag=climber' });
    await page.getByRole('button', { name: 'Show all tags' }).waitFor();
    const typed = await page.evaluate(`(async () => {
      document.querySelector('.tag-filter button').click();
      const filter = () => document.querySelector('.tag-filter input');
      for (let turn = 0; turn < 100 && filter() === null; turn++) await undefined;
      filter().value = 'climb';
      filter().dispatchEvent(new Event('input', { bubbles: true }));
      for (let frame = 0; frame < 5; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
      return filter().value;
    })()`);
    assert.equal(typed, 'climb');
  });

  it('leads into the list with Arrow Down, and is reached with /', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 1').waitFor();
    await page.keyboard.press('/');
    await focused(page, '[type=search]');
    await page.keyboard.press('ArrowDown');
    await focused(page, '.row[data-index="0"]');
    await page.keyboard.press('/');
    await focused(page, '[type=search]');
  });

  it('leads into the list with Arrow Down also before its first row is there', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=settings' });
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/plants?*', async (route) => held.then(() => route.continue()));
    await page.goto(`${service.url}/console`);
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('ArrowDown');
    await focused(page, '[type=search]');
    release(undefined);
    await focused(page, '.row[data-index="0"]');
  });

  it('leaves the keys of an input method alone', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=2' });
    await focused(page, '.panel textarea');
    const compose = (key: string) =>
      page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
        { key: '${key}', isComposing: true, bubbles: true, cancelable: true }))`);
    await compose('Escape');
    await page.getByRole('combobox', { name: 'Only plants with this tag' }).fill('cli');
    await page.getByRole('option').first().waitFor();
    for (const key of ['ArrowDown', 'Enter', 'Escape']) await compose(key);
    assert.equal(await page.evaluate('location.search'), '?plant=2');
    assert.equal(await page.getByRole('option', { selected: true }).count(), 0);
    assert.equal(await page.getByRole('option').count(), 1);
  });
});

describe('a row that is edited', () => {
  for (const canFloat of [true, false])
    it(`has its suggestions at its tag${canFloat ? '' : ', also in a browser without anchors'}`, async (test) => {
      // In a context of its own: the script stays.
      const { page } = await openConsole(test, browser, service, { hasTouch: false });
      if (!canFloat) await page.addInitScript('CSS.supports = () => false');
      await page.reload();
      await row(page, 'Fern 3').locator('.cell-tag .editable').click();
      const field = page.getByRole('combobox', { name: 'Tag', exact: true });
      await field.fill('tag');
      await page.getByRole('option', { name: /^tag/ }).first().waitFor();
      const [box, list] = [await field.boundingBox(), await page.locator('.row-form .combo-list').boundingBox()];
      assert.ok(box !== null && list !== null);
      assert.equal(list.x, box.x);
      assert.ok(list.y > box.y + box.height && list.y < box.y + box.height + 10, JSON.stringify({ box, list }));
      await field.press('Escape');
      await field.press('Escape');
    });
});

describe('a row under the pointer', () => {
  it('shows what can be edited', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 3').hover();
    for (const field of ['name', 'tag']) {
      const sign = page.getByRole('button', { name: `Edit ${field} of Fern 3`, exact: true }).locator('use');
      // The sign is as large as what it draws.
      assert.ok(((await sign.boundingBox())?.width ?? 0) > 5, field);
    }
  });
});

describe('a row that is scrolled away', () => {
  it('is not saved in the middle of a word: its form has what was typed', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 5').locator('.cell-name .editable').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Fern fi');
    await page.evaluate('document.querySelector(".grid-body").scrollTop = 6000');
    await page.getByText('“Fern fi” is not saved.').waitFor();
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Fern 5' }).waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Fern fi');
    assert.equal((await client.get(5n))?.plant.name, 'Fern 5');
  });
});

describe('a tag field', () => {
  it('is left with Tab for what follows it, and with one Escape, which keeps the selection', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.getByRole('combobox', { name: 'Only plants with this tag' }).focus();
    await page.getByRole('option').nth(7).waitFor();
    // Make the list scroll, as in a small window.
    await page.evaluate('document.querySelector(".tag-filter .combo-list ul").style.maxHeight = "100px"');
    await page.keyboard.press('Tab');
    await focused(page, '.list-actions button');
    await row(page, 'Fern 3').locator('.pick').click();
    await page.locator('.selection-bar').getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Tag for 1 plant' }).waitFor({ state: 'detached' });
    await page.getByText('1 selected').waitFor();
    await focused(page, '.row');
  });
});

describe('the selection', () => {
  it('takes all plants of the filter, and none again', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?tag=climber' });
    const all = page.getByRole('checkbox', { name: 'Select all' });
    await all.waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    await page.route(/limit=1000/, async (route) => {
      await held;
      await route.continue();
    });
    await all.click();
    // The button shows that it was pressed, also when the list is drawn again before the service
    // responds.
    await row(page, 'Fern 7').focus();
    await page.locator('.row[data-index="6"][tabindex="0"]').waitFor();
    assert.equal(await all.isChecked(), true);
    release(undefined);
    await page.getByText('191 selected').waitFor();
    await all.click();
    await page.getByText('191 selected').waitFor({ state: 'hidden' });
    assert.equal(await all.isChecked(), false);
    await row(page, 'Fern 3').locator('.pick').click();
    await waitUntil(page, 'document.querySelector(".row-head [type=checkbox]").indeterminate');
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await row(page, 'Fern 3').focus();
    await page.keyboard.press('Control+a');
    await page.getByText('700 selected').waitFor();
  });

  it('takes all with Ctrl A wherever the focus is, but in a text and in other views', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.evaluate(`addEventListener('keydown', (event) => (window.pressed = event))`);
    const bar = page.locator('.selection-bar');
    const press = async (isOfPage: boolean): Promise<void> => {
      await page.keyboard.press('Control+a');
      assert.equal(await page.evaluate('pressed.defaultPrevented'), isOfPage);
    };
    await row(page, 'Fern 5').getByRole('link').click();
    await page.getByRole('searchbox').fill('Fern');
    await press(false);
    await page.getByRole('link', { name: 'Tags', exact: true }).click();
    await page.getByRole('heading', { name: 'Tags', level: 1 }).waitFor();
    await press(false);
    await page.goBack();
    await focused(page, '.panel textarea');
    assert.equal(await bar.count(), 0);
    await page.evaluate('document.activeElement.blur()');
    // All stay selected when it is pressed again.
    for (let times = 0; times < 2; times++) {
      await press(true);
      await bar.getByText('700 selected').waitFor();
    }
    await page.getByRole('heading', { name: 'Fern 5' }).waitFor();
    await focused(page, '.row');
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByText('Delete 700 plants?').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await bar.waitFor({ state: 'detached' });
    // The form covers the list.
    await page.setViewportSize({ width: 800, height: 800 });
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
    await press(false);
    assert.equal(await bar.count(), 0);
  });

  it('begins a range at the plant that was selected, wherever its row is by now', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 4').locator('.pick').click();
    await client.create({ id: 0n, name: 'First' });
    test.after(() => client.delete(0n));
    await row(page, 'First').waitFor({ state: 'attached' });
    await row(page, 'Fern 6')
      .locator('.pick')
      .click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
  });

  it('is the list, on demand, and what is exported then', async (test) => {
    const { page } = await openConsole(test, browser, service);
    for (const name of ['Fern 4', 'Fern 2']) await row(page, name).locator('.pick').click();
    await page.getByRole('button', { name: 'Show only these' }).click();
    await page.locator('.count').getByText('2 plants', { exact: true }).waitFor();
    assert.equal(await page.getByRole('checkbox', { name: 'Select all' }).isChecked(), true);
    assert.deepEqual(await findAccessFaults(page), []);
    const download = page.waitForEvent('download');
    await page.locator('.list-actions').getByRole('button', { name: 'Export' }).click();
    await page.getByText('2 plants that the list shows').waitFor();
    await page.getByRole('button', { name: 'NDJSON' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    assert.deepEqual(text.match(/Fern \d+/g), ['Fern 2', 'Fern 4']);
    await row(page, 'Fern 2').locator('.pick').click();
    await page.getByText('1 selected').waitFor();
    assert.equal(await page.locator('.grid-slice .row').count(), 2);
    await page.getByRole('button', { name: 'Show all plants' }).click();
    await page.locator('.count').getByText('700 plants', { exact: true }).waitFor();
    await page.getByText('1 selected').waitFor();
  });

  it('grows by keys from the row with the focus, wherever that came from', async (test) => {
    const { page } = await openConsole(test, browser, service);
    const selected = (): Promise<string[]> => page.locator('.row.is-selected .cell-name').allTextContents();
    await row(page, 'Fern 4').getByRole('link').click();
    await page.getByRole('heading', { name: 'Fern 4' }).waitFor();
    await page.keyboard.press('Escape');
    await focused(page, '.row a');
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    assert.deepEqual(await selected(), ['Fern 4']);
    for (let press = 0; press < 4; press++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('4 selected').waitFor();
    assert.deepEqual(await selected(), ['Fern 4', 'Fern 8', 'Fern 9', 'Fern 10']);
  });
});

describe('the focus', () => {
  it('goes to the row of the form that a link has opened when it closes; the list has scrolled there', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=642' });
    await focused(page, '.panel textarea');
    await page.locator('.row.is-open[data-index="641"][tabindex="0"]').waitFor();
    await page.keyboard.press('Escape');
    await focused(page, '.row[data-index="641"]');
  });

  it('goes on to the search or the list when what had it is gone', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?search=Fern' });
    const isOnRow = () => waitUntil(page, 'document.activeElement.matches(".row")');
    await row(page, 'Fern 2').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).press('Enter');
    await waitUntil(page, 'document.activeElement.matches("[type=search]")');
    await row(page, 'Fern 2').locator('.pick').click();
    await page.getByRole('button', { name: 'Clear the selection' }).press('Enter');
    await isOnRow();
    await row(page, 'Fern 2').locator('.pick').click();
    await page.locator('.selection-bar').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('“Fern 2” deleted').waitFor();
    await isOnRow();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('“Fern 2” restored').waitFor();
    await isOnRow();
    await page.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await page.locator('.toast').waitFor({ state: 'detached' });
    await isOnRow();
  });
});

describe('the focus, beside an open form', () => {
  it('goes to the field that is clicked in its row, and stays in the form when what had it is gone', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=3', hasTouch: false });
    await focused(page, '.panel textarea');
    const clickCell = (field: string) => row(page, 'Fern 3').locator(`.cell-${field} .editable`).click();
    await clickCell('tag');
    await focused(page, '.panel [role=combobox]');
    await clickCell('name');
    await focused(page, '.panel textarea');
    test.after(() => client.patch(3n, { tag: 'climber' }));
    await client.patch(3n, { tag: 'moved' });
    await page.getByRole('button', { name: 'Load it' }).press('Enter');
    await page.locator('.note-incoming').waitFor({ state: 'detached' });
    await focused(page, '.panel textarea');
  });
});

describe('the keys', () => {
  it('are about the row that has the focus, however far the list is scrolled', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 2').focus();
    // Also over the head, which stays.
    await page.locator('.row-head .cell-change').hover();
    await page.mouse.wheel(0, 3_000);
    // Once it is at its end: row 83 is at the top, and 12 above it are rendered.
    await page.locator('.grid-slice .row:first-child[data-index="71"]').waitFor({ state: 'attached' });
    await focused(page, '.row');
    const id = await page.evaluate('document.activeElement.querySelector(".cell-id").textContent');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: `Fern ${String(id)} Id ${String(id)}` }).waitFor();
  });

  it('lead from another page, or from a form that covers the list, to the search and to a new plant', async (test) => {
    const { page } = await openConsole(test, browser, service, {
      query: '?view=bin',
      viewport: { width: 800, height: 800 },
    });
    const bin = page.getByRole('heading', { name: 'Bin', exact: true });
    await bin.waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'New plant' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('/');
    await focused(page, '.list-tools [type=search]');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Bin' }).click();
    await bin.waitFor();
    await page.keyboard.press('/');
    await focused(page, '.list-tools [type=search]');
  });
});

describe('the place in the list', () => {
  const topRow = (page: Page) =>
    page.evaluate(`(() => {
      const { bottom } = document.querySelector('.grid-head').getBoundingClientRect();
      const rows = [...document.querySelectorAll('.grid-slice .row')];
      return rows.find((each) => each.getBoundingClientRect().bottom > bottom + 1)?.ariaLabel;
    })()`);

  it('is the same after Back, from another view, another filter and a plant', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 1').waitFor();
    await page.evaluate('document.querySelector(".grid-body").scrollTop = 400 * 36 + 7');
    await row(page, 'Fern 405').waitFor();
    const before = await topRow(page);
    assert.equal(before, 'Fern 401, tag 10, 401');
    const returns = async (): Promise<void> => {
      await page.goBack();
      await row(page, 'Fern 405').waitFor();
      assert.equal(await topRow(page), before);
    };
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await returns();
    // A link begins at the top, also when the list was left elsewhere.
    for (let visit = 0; visit < 2; visit++) {
      await page.getByRole('navigation', { name: 'Tags' }).getByRole('link', { name: 'climber' }).click();
      await page.locator('.count').getByText('191 plants', { exact: true }).waitFor();
      assert.equal(await topRow(page), 'Fern 1, climber, 1');
      await page.evaluate('document.querySelector(".grid-body").scrollTop = 100 * 36');
      await row(page, 'Fern 105').waitFor();
      await returns();
      await page.goForward();
      await row(page, 'Fern 105').waitFor();
      assert.equal(await topRow(page), 'Fern 101, climber, 101');
      await returns();
    }
    await row(page, 'Fern 405').getByRole('link').click();
    await page.getByRole('heading', { name: 'Fern 405' }).waitFor();
    await returns();
  });

  it('is the same after a reload', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?order=highest' });
    await page.locator('.row[data-index="0"]').waitFor();
    await page.evaluate('document.querySelector(".grid-body").scrollTop = 500 * 36 + 7');
    await waitUntil(page, 'document.querySelector(".row[data-index=\\"510\\"]") !== null');
    const before = await topRow(page);
    await page.reload();
    await waitUntil(page, 'document.querySelector(".row[data-index=\\"510\\"]") !== null');
    assert.equal(await topRow(page), before);
  });

  it('is never an empty page while it is loaded again', async (test) => {
    const { page, requests } = await openConsole(test, browser, service);
    await row(page, 'Fern 1').waitFor();
    const held = Promise.withResolvers<undefined>();
    await page.route(/\/plants/, async (route) => {
      await held.promise;
      await route.fallback();
    });
    const before = requests.length;
    await page.reload();
    await page.locator('.row-skeleton').nth(10).waitFor();
    await page.locator('.nav-link', { hasText: 'Settings' }).waitFor();
    // The token is still being checked: the list has not asked for its rows.
    assert.deepEqual(
      requests.slice(before).filter((url) => url.includes('limit=200')),
      [],
    );
    held.resolve(undefined);
    await row(page, 'Fern 1').waitFor();
    assert.equal(await page.locator('.row-skeleton').count(), 0);
  });
});

describe('a screen reader', () => {
  it('hears each row once, tags with their unit, and how many rows there are', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 3').waitFor();
    const snapshot = await page.getByRole('grid').ariaSnapshot();
    assert.match(snapshot, /row "Fern 3, climber, 3"/);
    await page.getByRole('navigation', { name: 'Tags' }).getByRole('link', { name: 'climber 191 plants' }).waitFor();
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), '701');
  });

  for (const [width, role] of [
    [1280, 'complementary'],
    [800, 'dialog'],
  ] as const) {
    it(`hears the plant in the name of the panel, a ${role} at ${width} pixels`, async (test) => {
      const { page } = await openConsole(test, browser, service, {
        query: '?plant=3',
        viewport: { width, height: 800 },
      });
      await page.getByRole(role, { name: 'Fern 3 Id 3' }).waitFor();
    });
  }

  it('reaches the first row with the first tab stop', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 3').waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    await focused(page, '.skip');
    await page.keyboard.press('Enter');
    await focused(page, '.row[data-index="0"]');
  });

  it('needs few tab stops to the search: the tags are one, and arrow keys move inside', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.locator('.rail-link').first().waitFor();
    await page.evaluate('document.activeElement.blur()');
    let stops = 0;
    do {
      await page.keyboard.press('Tab');
      stops++;
    } while (stops < 30 && (await page.evaluate('document.activeElement.type')) !== 'search');
    // Skip link, home, seven views, the tags, the documentation.
    assert.ok(stops <= 12, `${stops} stops`);
    await page.locator('.rail-link').first().focus();
    await page.keyboard.press('ArrowDown');
    await focused(page, 'li:nth-child(2) > .rail-link');
    await page.keyboard.press('End');
    await focused(page, 'li:last-child > .rail-link');
  });
});

describe('a message', () => {
  it('takes the place of the one before, but bad news stays, and counts what it replaces', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?tag=tag+3', statuses: [500] });
    const texts = () => page.locator('.toast p').allTextContents();
    const rename = async (text: string): Promise<void> => {
      await row(page, 'Fern').locator('.cell-name .editable').click();
      await page.getByRole('textbox', { name: 'Name' }).fill(text);
      await page.keyboard.press('Enter');
    };
    await rename('Fern A');
    await page.getByText('“Fern A” saved.').waitFor();
    await rename('Fern B');
    await page.getByText('“Fern B” saved.').waitFor();
    assert.deepEqual(await texts(), ['“Fern B” saved.']);
    await page.route('**/plants/batch', (route) =>
      route.fulfill({ status: 500, json: { error: 50001, message: 'Unexpected error' } }),
    );
    for (const at of [0, 1]) {
      await page.locator(`.row[data-index="${at}"]`).focus();
      await page.keyboard.press('Delete');
      await page.locator('.toast-bad').nth(0).waitFor();
    }
    await page.getByText('(1 more before)').waitFor();
    await rename('Fern C');
    await page.getByText('“Fern C” saved.').waitFor();
    assert.equal((await texts()).length, 2);
    assert.deepEqual(await findAccessFaults(page, { within: '.toasts' }), []);
  });

  it('is not turned around by the name in it', async (test) => {
    await client.put(1005n, { name: 'Ivy \u202eyvI', tag: 'turned' });
    const { page } = await openConsole(test, browser, service, { query: '?tag=turned' });
    await row(page, 'Ivy').locator('.pick').click();
    await page.locator('.selection-bar').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('” deleted').waitFor();
    const [first, last] = await page.evaluate<number[]>(`(() => {
      const [text] = document.querySelector('.toast p').childNodes;
      return [text.data.lastIndexOf('deleted'), text.data.length - 1].map((at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      });
    })()`);
    assert.ok(first !== undefined && last !== undefined && first < last, `from ${first} to ${last}`);
  });
});

describe('a token without all scopes', () => {
  it('that cannot read gets no hole beside a link to a plant, and a command with what it has and needs', async (test) => {
    const { token } = await createToken(service, ['plants:write']);
    const { page } = await openConsole(test, browser, service, { token, query: '?plant=3', statuses: [403] });
    await page.getByRole('heading', { name: 'This token cannot view plants' }).waitFor();
    const [main, shell] = [await page.getByRole('main').boundingBox(), await page.locator('.shell').boundingBox()];
    assert.ok(main !== null && shell !== null);
    assert.ok(shell.width - main.x - main.width < 20, 'the view takes all the room');
    await page.getByText('--scope plants:write plants:read').waitFor();
    await page.getByText('Connected, write only').waitFor();
    assert.equal(await page.getByRole('searchbox').count(), 0);
    const isInside =
      '[...document.querySelectorAll(".command pre")].every((pre) => pre.scrollWidth <= pre.clientWidth)';
    assert.ok(await page.evaluate(isInside), 'the command is not cut');
    await page.getByRole('button', { name: 'Copy the command' }).click();
    // Where a browser does not allow copying, the text is selected.
    await waitUntil(
      page,
      '/token create/.test(getSelection()) || document.querySelector("[aria-label=Copied]") !== null',
    );
  });
});
