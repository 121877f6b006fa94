/**
 * The layout, by measure: nothing leaves its container, nothing moves under the pointer, and states can be distinguished in forced colours.
 * Access beside the states of layout.test.ts: few scopes, reduced motion, and a keyboard that reaches everything.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token });
const rows = Array.from({ length: 60 }, (_, id) => `{"id":${id},"name":"Plant ${id}","tag":"tag ${id % 14}"}\n`);
await client.import(rows.join(''), { mediaType: 'application/x-ndjson' });
await client.put(3n, { name: 'first line\nsecond line', tag: 'tag 3\nmore' });

/** Not what takes its place until it is loaded. */
const row = (page: Page, id: number): Locator => page.locator(`.row[data-index="${id}"]:not(.row-skeleton)`);

/** The box of the first element that matches: left, top, right, bottom. */
async function boxOf(page: Page, selector: string): Promise<{ x: number; y: number; right: number; bottom: number }> {
  const element = page.locator(selector).first();
  await element.waitFor();
  const box = await element.boundingBox();
  assert.ok(box !== null, `${selector} is visible`);
  return { x: box.x, y: box.y, right: box.x + box.width, bottom: box.y + box.height };
}

describe('the list', () => {
  it('stands on the lines of its title, from edge to edge', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 5).waitFor();
    const [title, box] = [await boxOf(page, 'h1'), await boxOf(page, '.row:not(.row-head) [type=checkbox]')];
    assert.equal(box.x, title.x);
    const [head, line] = [await boxOf(page, '.grid-head'), await boxOf(page, '.row:not(.row-head)')];
    assert.equal(line.right, head.right);
    const main = await boxOf(page, '.main');
    assert.ok(main.right - line.right < 20, 'only a scroll bar lies between the rows and the edge');
  });

  it('shows each digit of the longest id beside a long tag on a phone', async (test) => {
    const longest = { id: -(2n ** 63n), name: 'Aloe', tag: 'succulent'.repeat(9) };
    await client.put(longest.id, longest);
    test.after(() => client.delete(longest.id));
    const { page } = await openConsole(test, browser, service, { viewport: { width: 320, height: 700 } });
    await row(page, 0).getByText(longest.tag).waitFor();
    const digits = await boxOf(page, '.row[data-index="0"] .cell-id');
    const tag = await boxOf(page, '.row[data-index="0"] .cell-tag .tag');
    assert.ok(digits.right <= tag.x, JSON.stringify({ digits, tag }));
    assert.ok(tag.right <= (await boxOf(page, '.row[data-index="0"]')).right);
  });
});

describe('on a phone', () => {
  const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };

  it('leads from the webhooks back to the settings, and shows the lifetimes of a token in one line', async (test) => {
    const { page } = await openConsole(test, browser, service, { ...phone, query: '?view=webhooks' });
    await page.getByRole('button', { name: 'Back to the settings' }).click();
    await page.getByRole('button', { name: 'Manage tokens' }).click();
    await page.getByRole('button', { name: 'New token' }).click();
    const [first, last] = [await boxOf(page, '.choice-option'), await boxOf(page, '.choice-option:last-child')];
    assert.equal(first.y, last.y);
  });

  for (const [name, open, list] of [
    ['the tags', (page: Page) => page.getByRole('combobox').click(), '.combo-list'],
    ['the formats of an export', (page: Page) => page.getByRole('button', { name: 'Export' }).click(), '.modal'],
  ] as const) {
    it(`shows ${name} inside the page`, async (test) => {
      const { page } = await openConsole(test, browser, service, phone);
      await row(page, 5).waitFor();
      await open(page);
      const { x, right } = await boxOf(page, list);
      assert.ok(x >= 8, `it begins at ${x}`);
      assert.ok(right <= 382, `it ends at ${right}`);
    });
  }
});

describe('at 400 % zoom', () => {
  const zoomed = { viewport: { width: 320, height: 256 } };

  it('scrolls to the list, and the list scrolls', async (test) => {
    const { page } = await openConsole(test, browser, service, zoomed);
    await row(page, 0).waitFor({ state: 'attached' });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    await page.locator('.grid-body').scrollIntoViewIfNeeded();
    const { y, bottom } = await boxOf(page, '.grid-body');
    assert.ok(Math.min(256, bottom) - Math.max(0, y) >= 150, `the list is seen from ${y} to ${bottom}`);
    await waitUntil(
      page,
      `(body => { body.scrollTop = body.scrollHeight; return body.querySelector('[data-index="59"]') !== null; })(document.querySelector('.grid-body'))`,
    );
  });

  it('shows a form that can be filled in and saved', async (test) => {
    const { page } = await openConsole(test, browser, service, { ...zoomed, query: '?plant=5' });
    for (const field of [page.getByLabel('Name', { exact: true }), page.getByRole('button', { name: 'Save' })]) {
      await field.scrollIntoViewIfNeeded();
      const box = await field.boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 256, JSON.stringify(box));
    }
    const inside = await page.evaluate(
      `(() => { const panel = document.querySelector('.panel'); return panel.scrollHeight > panel.clientHeight; })()`,
    );
    assert.ok(inside, 'the panel scrolls as one');
  });
});

describe('in forced colours', () => {
  /** Name, address, the element as it is, what changes it. */
  const pairs: readonly (readonly [string, string, string, (page: Page) => Promise<unknown>])[] = [
    [
      'a box that is ticked',
      '',
      '.row[data-index="2"] [type=checkbox]',
      (page) => row(page, 2).locator('.pick').click(),
    ],
    ['the chosen option', '?view=settings', '.choice-option:last-child', (page) => page.getByLabel('Dark').check()],
    [
      'the page that is shown',
      '?view=settings',
      '.nav-link:first-child',
      (page) => page.locator('.nav-link').first().click(),
    ],
  ];
  for (const [name, query, selector, change] of pairs) {
    it(`distinguishes ${name} from others`, async (test) => {
      const { page } = await openConsole(test, browser, service, { query, forcedColors: 'active' });
      const look = async (): Promise<string> => {
        // Neither hover nor focus may make the difference.
        await page.mouse.move(0, 0);
        await page.evaluate('document.activeElement.blur()');
        return (await page.locator(selector).first().screenshot()).toString('base64');
      };
      await page.locator(selector).first().waitFor();
      const before = await look();
      await change(page);
      await waitUntil(page, `document.querySelector('[aria-current], :checked, .is-open') !== null`);
      assert.notEqual(await look(), before);
    });
  }
});

describe('access', () => {
  it('has a title in every view, at the same place, also without the scope for it', async (test) => {
    const { token } = await createToken(service, ['plants:write']);
    const { page } = await openConsole(test, browser, service, { token, statuses: [403] });
    const lefts = new Set<number>();
    for (const title of ['Plants', 'Tags', 'Activity', 'Bin', 'Labels', 'Webhooks']) {
      await page.goto(`${service.url}/console?view=${title.toLowerCase()}`);
      await page.getByRole('heading', { name: /^This token cannot/ }).waitFor();
      assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), title);
      lefts.add((await boxOf(page, 'h1')).x);
    }
    assert.equal(lefts.size, 1);
  });

  it('has no animation at all for people who prefer reduced motion', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=labels&ids=1' });
    await page.locator('.qr').first().waitFor();
    // A transition however short would leave the old layout until the next frame, also in print.
    const running = await page.evaluate(`(() => {
      const sheet = document.querySelector('.sheet');
      sheet.getBoundingClientRect();
      sheet.style.transform = 'none';
      return [sheet.getBoundingClientRect().width > 790, document.getAnimations().length];
    })()`);
    assert.deepEqual(running, [true, 0]);
  });

  it('reaches the list with Tab, opens the form with Enter, and returns to the row with Escape', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await row(page, 2).waitFor();
    await page.evaluate('document.activeElement.blur()');
    const seen: string[] = [];
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press('Tab');
      const here = String(
        await page.evaluate('document.activeElement.getAttribute("role") ?? document.activeElement.tagName'),
      );
      seen.push(here);
      assert.ok(
        await page.evaluate(
          'getComputedStyle(document.activeElement).outlineStyle !== "none" || getComputedStyle(document.activeElement).outlineWidth !== "0px"',
        ),
        `the focus on ${here} is visible`,
      );
      if (here === 'row') break;
    }
    assert.equal(seen.at(-1), 'row', seen.join());
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plant 2', exact: true }).waitFor();
    await waitUntil(page, 'document.activeElement.tagName === "TEXTAREA"');
    assert.equal(await page.evaluate('document.activeElement.value'), 'Plant 2');
    await page.keyboard.press('Escape');
    await waitUntil(page, 'document.activeElement.getAttribute("role") === "row"');
    assert.match(String(await page.evaluate('document.activeElement.textContent')), /Plant 2/);
  });
});
