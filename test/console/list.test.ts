/** The list by keyboard and by screen reader, its search, and what a token without all scopes sees of it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, waitUntil } from './open-console.ts';

const service = await startService({ after });
/** Of the file, too: a service that ends before the page of a test is an error in the browser. */
const other = await startService({ after });
const browser = await openBrowser({ after });
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
    await page.getByRole('searchbox').fill('642');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Fern 642' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Fern 642' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Id 642' }).waitFor();
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('heading', { name: 'Fern 642' }).waitFor();
  });

  it('does not take over a form that was opened before the id was found', async (test) => {
    const { page } = await openConsole(test, browser, service);
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    const asked = page.waitForRequest(/\/plants\/642$/);
    await page.route(/\/plants\/642$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('searchbox').fill('642');
    await page.keyboard.press('Enter');
    await asked;
    await page.getByRole('button', { name: 'New plant' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Hoya');
    release(undefined);
    await page.getByRole('button', { name: 'Id 642' }).waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Hoya');
  });

  it('finds any word of a name by its beginning, and shows a new plant that it matches', async (test) => {
    await client.put(1000n, { name: 'Monstera deliciosa' });
    const { page } = await openConsole(test, browser, service);
    const names = (): Promise<string[]> => page.locator('.grid-slice .cell-name').allTextContents();
    for (const search of ['deliciosa', 'DELIC mon', 'délic']) {
      await page.getByRole('searchbox').fill(search);
      await page.locator('.count').getByText('1 plant', { exact: true }).waitFor();
      assert.deepEqual(await names(), ['Monstera deliciosa'], search);
    }
    await page.getByRole('button', { name: 'New plant' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Hoya delicata');
    await page.getByLabel('Id', { exact: true }).fill('1001');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await row(page, 'Hoya delicata').waitFor();
    for (const id of [1000n, 1001n]) await client.delete(id);
  });

  it('closes a form with Escape as soon as it is there', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 1').waitFor();
    await page.evaluate(`new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('.panel') === null) return;
        observer.disconnect();
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        resolve();
      }).observe(document.body, { childList: true, subtree: true });
      document.querySelector('.row[data-index="1"]').click();
    })`);
    await page.locator('.panel').waitFor({ state: 'detached' });
  });

  it('leads into the list with Arrow Down, and is reached with Ctrl K', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 1').waitFor();
    await page.keyboard.press('Control+k');
    await focused(page, '[type=search]');
    await page.keyboard.press('ArrowDown');
    await focused(page, '.row[data-index="0"]');
    await page.keyboard.press('Control+k');
    await focused(page, '[type=search]');
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
    await page.waitForTimeout(100);
    assert.equal(page.url(), `${service.url}/console?plant=2`);
    assert.equal(await page.getByRole('option', { selected: true }).count(), 0);
    assert.equal(await page.getByRole('option').count(), 1);
  });

  it('takes all that the service does, whatever the characters, and says what is too long', async (test) => {
    const { page } = await openConsole(test, browser, service, { statuses: [400] });
    await page.getByRole('searchbox').focus();
    await page.keyboard.insertText('🌿'.repeat(1_000));
    assert.equal((await page.getByRole('searchbox').inputValue()).length, 2_000);
    await page.getByRole('heading', { name: /^No results for “🌿/ }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.keyboard.insertText('a'.repeat(2_001));
    assert.equal((await page.getByRole('searchbox').inputValue()).length, 2_000);
    await page.getByRole('alert').getByText('1000 characters').waitFor();
  });

  it('says what it matches when it finds nothing', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?search=zzz&tag=climber' });
    await page.getByRole('heading', { name: 'No results for “zzz”' }).waitFor();
    await page.getByText('Search matches the beginning of any word of the name, or an exact id.').waitFor();
    await page.getByText('Only plants with the tag “climber” are searched.').waitFor();
  });
});

describe('a list that is opened', () => {
  it('reads its first page once, and says when the link names no plant', async (test) => {
    const { page, requests } = await openConsole(test, browser, service, { query: '?plant=abc' });
    await page.getByRole('alert').getByText('The link names no plant: “abc” is not an id.').waitFor();
    await row(page, 'Fern 1').click();
    await page.getByRole('heading', { name: 'Fern 1' }).waitFor();
    assert.equal(await page.getByText('The link names no plant').count(), 0);
    assert.equal(requests.filter((url) => url.endsWith('/plants?limit=200')).length, 1);
  });
});

describe('a list that is older than what this page has written', () => {
  /** Holds the response to a search until `release`, as a slow network does. */
  async function holdSearch(
    page: Page,
    search: string,
  ): Promise<{ readonly isRead: Promise<void>; release: () => void }> {
    const read = Promise.withResolvers<undefined>();
    const held = Promise.withResolvers<undefined>();
    await page.route(/\/plants\?.*name=/, async (route) => {
      const response = await route.fetch();
      read.resolve(undefined);
      await held.promise;
      await route.fulfill({ response });
    });
    await page.getByRole('searchbox').fill(search);
    return { isRead: read.promise, release: () => held.resolve(undefined) };
  }

  it('shows the plant that was added', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 1').waitFor();
    const { isRead, release } = await holdSearch(page, 'hoya');
    await isRead;
    await page.getByRole('button', { name: 'New plant' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Hoya kerrii');
    await page.getByLabel('Id', { exact: true }).fill('1002');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('“Hoya kerrii” added.').waitFor();
    release();
    await row(page, 'Hoya kerrii').waitFor();
    await client.delete(1002n);
  });

  it('does not show the plant that was deleted', async (test) => {
    await client.put(1003n, { name: 'Ivy one' });
    await client.put(1004n, { name: 'Ivy two' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=1003' });
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    const { isRead, release } = await holdSearch(page, 'ivy');
    await isRead;
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('“Ivy one” deleted').waitFor();
    release();
    await row(page, 'Ivy two').waitFor();
    assert.equal(await row(page, 'Ivy one').count(), 0);
    await client.delete(1004n);
  });
});

describe('the selection', () => {
  it('takes all plants of the filter, up to its maximum, and none again', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?tag=climber' });
    const all = page.getByRole('checkbox', { name: 'Select all' });
    await all.check();
    await page.getByText('191 selected').waitFor();
    await all.uncheck();
    await page.getByText('191 selected').waitFor({ state: 'hidden' });
    await row(page, 'Fern 3').locator('.pick').click();
    await waitUntil(page, 'document.querySelector(".row-head [type=checkbox]").indeterminate');
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await row(page, 'Fern 3').focus();
    await page.keyboard.press('Control+a');
    await page.getByText('500 selected, the most at once').waitFor();
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

  it('is unchanged when not all could be read, and says so', async (test) => {
    const { page } = await openConsole(test, browser, service, { statuses: [500] });
    await row(page, 'Fern 3').locator('.pick').click();
    await page.route(/limit=500/, (route) => route.fulfill({ status: 500 }));
    const all = page.getByRole('checkbox', { name: 'Select all' });
    await all.click();
    await page.getByText('The plants were not selected.').waitFor();
    assert.equal(await all.isChecked(), false);
    await waitUntil(page, 'document.querySelector(".row-head [type=checkbox]").indeterminate');
  });

  it('is deleted with the Delete key, and restored with Undo', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 2').locator('.pick').click();
    await row(page, 'Fern 2').focus();
    await page.keyboard.press('Delete');
    await page.getByText('“Fern 2” deleted').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('“Fern 2” restored.').waitFor();
    assert.equal(await client.count(), 700n);
  });
});

describe('a link in the list', () => {
  it('opens nothing here with Ctrl, which opens a tab', async (test) => {
    const { page } = await openConsole(test, browser, service);
    // Without the tab itself.
    await page.evaluate(`addEventListener('click', (event) => event.preventDefault(), { capture: true })`);
    await row(page, 'Fern 4')
      .getByRole('link')
      .click({ modifiers: ['Control'] });
    assert.equal(page.url(), `${service.url}/console`);
    await row(page, 'Fern 4').click();
    await page.getByRole('heading', { name: 'Fern 4' }).waitFor();
  });
});

describe('the focus', () => {
  it('is on nothing that a key would press while a form is being read', async (test) => {
    const { page } = await openConsole(test, browser, service);
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    await page.route(/\/plants\/4$/, async (route) => {
      await held;
      await route.continue();
    });
    await row(page, 'Fern 4').press('Enter');
    await focused(page, '.panel');
    await page.keyboard.press('Space');
    release(undefined);
    await focused(page, '.panel textarea');
  });

  it('closes the menu that it leaves', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.keyboard.press('Tab');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
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
    await page.getByText('“Fern 2” restored.').waitFor();
    await isOnRow();
    await page.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await page.locator('.toast').waitFor({ state: 'detached' });
    await isOnRow();
  });

  for (const [name, query, goal] of [
    ['Show all tags', '?tag=climber', '.row'],
    ['Back to the list', '?view=labels&ids=1', '#main'],
    ['Manage webhooks', '?view=settings', '#main'],
    ['Print a label', '?plant=2', '#main'],
  ] as const) {
    it(`is not lost with the button “${name}”`, async (test) => {
      const { page } = await openConsole(test, browser, service, { query });
      // Not the row of headings: before the plants are there, the focus goes to the list.
      await page.locator('.grid-slice .row, .label, .setting').first().waitFor();
      await page.getByRole('button', { name }).press('Enter');
      await focused(page, goal);
    });
  }

  it('moves to a row without scrolling the list', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 2').locator('.pick').click();
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 400);
    const isScrolled = 'document.querySelector(".grid-body").scrollTop === 400';
    await waitUntil(page, isScrolled);
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await focused(page, '.row');
    assert.ok(await page.evaluate(isScrolled));
  });

  it('stays in the form that covers the page when a message beside it goes away', async (test) => {
    const viewport = { width: 800, height: 800 };
    const { page } = await openConsole(test, browser, service, { viewport });
    await row(page, 'Fern 2').locator('.pick').click();
    await page.locator('.selection-bar').getByRole('button', { name: 'Delete' }).click();
    await row(page, 'Fern 3').press('Enter');
    await focused(page, '.panel textarea');
    for (const name of ['Undo', 'Dismiss']) {
      await page.getByRole('button', { name }).press('Enter');
      await focused(page, '.panel textarea');
    }
  });

  it('stays in the form when what others changed is loaded', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=4' });
    await focused(page, '.panel textarea');
    await client.patch(4n, { name: 'Fern four' });
    await page.getByRole('button', { name: 'Load it' }).press('Enter');
    await focused(page, '.panel textarea');
    await client.patch(4n, { name: 'Fern 4' });
  });
});

describe('the keys', () => {
  it('are about the row that has the focus, however far the list is scrolled', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Fern 2').focus();
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 3_000);
    await waitUntil(page, 'document.querySelector(\'.row[data-index="0"]\') === null');
    await focused(page, '.row');
    const id = await page.evaluate('document.activeElement.querySelector(".cell-id").textContent');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: `Fern ${String(id)} Id ${String(id)}` }).waitFor();
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

  it('needs few tab stops to the search: the tags are one, and arrow keys move inside', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.locator('.rail-link').first().waitFor();
    await page.evaluate('document.activeElement.blur()');
    let stops = 0;
    do {
      await page.keyboard.press('Tab');
      stops++;
    } while (stops < 30 && (await page.evaluate('document.activeElement.type')) !== 'search');
    // Skip link, home, five views, the tags, the documentation.
    assert.ok(stops <= 10, `${stops} stops`);
    await page.locator('.rail-link').first().focus();
    await page.keyboard.press('ArrowDown');
    await focused(page, 'li:nth-child(2) > .rail-link');
    await page.keyboard.press('End');
    await focused(page, 'li:last-child > .rail-link');
  });

  it('closes the form with Escape from the list, too', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=3' });
    await page.getByRole('heading', { name: 'Fern 3' }).waitFor();
    await row(page, 'Fern 5').focus();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Fern 3' }).waitFor({ state: 'hidden' });
  });
});

describe('a message', () => {
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

  it('covers no button of the form or of the selection, and goes away by itself', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=new', serviceWorkers: 'block' });
    await page.clock.install();
    await page.goto(`${service.url}/console?plant=new`);
    const added = await page.getByLabel('Id', { exact: true }).inputValue();
    await page.getByLabel('Name', { exact: true }).fill('Announced');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByRole('button', { name: 'Add another' }).waitFor();
    const findCovered = (): Promise<readonly string[]> =>
      page.evaluate(`(() => {
        const toast = document.querySelector('.toast').getBoundingClientRect();
        return [...document.querySelectorAll('.panel-foot button, .selection-bar button')]
          .filter((each) => {
            const box = each.getBoundingClientRect();
            return box.left < toast.right && box.right > toast.left && box.top < toast.bottom && box.bottom > toast.top;
          })
          .map((each) => each.textContent);
      })()`);
    for (const [width, height] of [
      [320, 700],
      [390, 844],
      [768, 1024],
      [1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.locator('.row .pick').nth(2).click();
      await page.locator('.selection-bar').waitFor();
      assert.deepEqual(await findCovered(), [], `selection at ${width}`);
      await page.locator('.row .pick').nth(2).click();
      await page.locator('.row .cell-name').nth(1).click();
      await page.getByRole('button', { name: 'Save' }).waitFor();
      assert.deepEqual(await findCovered(), [], `form at ${width}`);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'hidden' });
    }
    await page.mouse.move(0, 0);
    await page.clock.fastForward(11_000);
    await page.getByRole('button', { name: 'Add another' }).waitFor({ state: 'hidden' });
    await client.delete(BigInt(added));
  });
});

describe('a new plant', () => {
  it('is highlighted in the list, and one step away wherever it is', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=new' });
    const proposed = await page.getByLabel('Id', { exact: true }).inputValue();
    assert.match(proposed, /^\d{9}$/);
    await page.getByLabel('Name', { exact: true }).fill('Newcomer');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('“Newcomer” added.').waitFor();
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Newcomer' }).waitFor();
    await client.delete(BigInt(proposed));

    await page.goto(`${service.url}/console?plant=new`);
    await page.getByLabel('Id', { exact: true }).fill('0');
    await page.getByLabel('Name', { exact: true }).fill('First of all');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.locator('.row.is-new', { hasText: 'First of all' }).waitFor();
    await page.getByRole('button', { name: 'Add another' }).click();
    await page.getByRole('heading', { name: 'New plant' }).waitFor();
    await client.delete(0n);
  });
});

describe('the dot of a tag', () => {
  it('depends on the tag alone', async (test) => {
    const dot =
      'JSON.stringify(Object.fromEntries([...document.querySelectorAll(".rail-link")].map((link) => [link.querySelector("bdi").textContent, [getComputedStyle(link.querySelector(".tag-dot")).color, link.querySelector(".tag-dot").className]])))';
    const otherClient = new PlantClient({ url: other.url, token: other.token });
    await otherClient.create({ id: 1n, name: 'Only', tag: 'tag 5' });
    const colors: string[] = [];
    for (const each of [service, other]) {
      const { page } = await openConsole(test, browser, each);
      await page.getByRole('link', { name: 'tag 5' }).waitFor();
      colors.push(JSON.stringify((JSON.parse(String(await page.evaluate(dot))) as Record<string, unknown>)['tag 5']));
    }
    assert.equal(colors[0], colors[1]);
  });
});

describe('a token without all scopes', () => {
  it('that cannot read gets no hole beside a link to a plant, and a command with what it has and needs', async (test) => {
    const { token } = await createToken(service, ['plants:write']);
    const { page } = await openConsole(test, browser, service, { token, query: '?plant=3', statuses: [403] });
    await page.getByRole('heading', { name: 'This token cannot read plants' }).waitFor();
    const [main, shell] = [await page.getByRole('main').boundingBox(), await page.locator('.shell').boundingBox()];
    assert.ok(main !== null && shell !== null);
    assert.ok(shell.width - main.x - main.width < 20, 'the view takes all the room');
    await page.getByText('--scope plants:read plants:write').waitFor();
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

  it('that can do nothing with plants says so', async (test) => {
    const { token } = await createToken(service, ['webhooks:manage']);
    const { page } = await openConsole(test, browser, service, { token, statuses: [403] });
    await page.getByText('Connected, no access to plants').waitFor();
  });
});
