/** Accessibility of every view, light and dark, narrow and wide: axe-core finds nothing, the page never scrolls sideways, and the keyboard reaches everything. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { findAccessFaults, openBrowser, openConsole, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
const client = new PlantClient({ url: service.url, token: service.token });
const rows = Array.from({ length: 60 }, (_, id) => `{"id":${id},"name":"Plant ${id}","tag":"tag ${id % 14}"}\n`);
await client.import(rows.join(''), { mediaType: 'application/x-ndjson' });

/** Name, address, and what makes the state complete. */
const states: readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] = [
  ['the list', '', (page) => page.getByRole('row', { name: 'Plant 3' }).first().waitFor()],
  ['a selection', '', (page) => page.locator('.row .pick').nth(2).click()],
  ['the tag suggestions', '', (page) => page.getByRole('combobox').fill('tag')],
  ['the export menu', '', (page) => page.getByRole('button', { name: 'Export' }).click()],
  ['an empty list', '?search=none', (page) => page.getByRole('heading', { name: 'No results for “none”' }).waitFor()],
  ['a form', '?plant=7', (page) => page.getByRole('button', { name: 'Save' }).waitFor()],
  [
    'errors in a form',
    '?plant=new',
    async (page) => {
      await page.getByLabel('Id', { exact: true }).fill('x');
      await page.getByRole('button', { name: 'Add plant' }).click();
    },
  ],
  [
    'a plant that does not exist',
    '?plant=404404',
    (page) => page.getByText('There is no plant with this id').waitFor(),
  ],
  ['the overview', '?view=overview', (page) => page.getByText('Ready').waitFor()],
  ['the import', '?view=import', (page) => page.getByRole('button', { name: 'Choose a file' }).waitFor()],
  [
    'a report',
    '?view=import',
    async (page) => {
      const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('id,name\n1,a\nx,b\n') };
      await page.getByLabel('File to import').setInputFiles(file);
      await page.getByRole('region', { name: 'Refused rows' }).waitFor();
    },
  ],
  ['labels', '?view=labels&ids=1,2,3', (page) => page.locator('.qr').nth(2).waitFor()],
  ['the settings', '?view=settings', (page) => page.getByRole('button', { name: 'Sign out' }).waitFor()],
];

describe('access', () => {
  for (const [colorScheme, width, height] of [
    ['light', 1280, 800],
    ['dark', 360, 740],
  ] as const) {
    it(`has no violations in ${colorScheme} at ${width} pixels`, async (test) => {
      const options = { colorScheme, viewport: { width, height }, statuses: [404] };
      const { page } = await openConsole(test, browser, service, options);
      for (const [name, query, complete] of states) {
        await page.goto(`${service.url}/console${query}`);
        await complete(page);
        assert.deepEqual(await findAccessFaults(page), [], name);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.equal(overflow, 0, `${name} is wider than the page`);
      }
    });
  }

  it('has no violations on the sign-in page, nor for a token without scopes for plants', async (test) => {
    const { page } = await openConsole(test, browser, service, { token: null, statuses: [403] });
    await page.getByText('Where do I get a token?').click();
    assert.deepEqual(await findAccessFaults(page), []);
    const { token } = await createToken(service, ['admin']);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'This token cannot read plants' }).waitFor();
    assert.deepEqual(await findAccessFaults(page), []);
  });

  it('has no animation at all for people who prefer reduced motion', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=labels&ids=1' });
    await page.locator('.qr').first().waitFor();
    // A transition however short would leave the old layout until the next frame, also in print.
    const running = await page.evaluate(`(() => {
      const sheet = document.querySelector('.sheet');
      sheet.getBoundingClientRect();
      sheet.style.zoom = 1;
      return [sheet.getBoundingClientRect().width > 790, document.getAnimations().length];
    })()`);
    assert.deepEqual(running, [true, 0]);
  });

  it('reaches the list with Tab, opens the form with Enter, and returns to the row with Escape', async (test) => {
    const { page } = await openConsole(test, browser, service);
    await page.getByRole('row', { name: 'Plant 3' }).first().waitFor();
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
