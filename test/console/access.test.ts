/** Accessibility beside the states of layout.test.ts: signing in, reduced motion, and a keyboard that reaches everything. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { findAccessFaults, openBrowser, openConsole, waitUntil } from './open-console.ts';
import { fillStore } from './states.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
await fillStore(service);

describe('access', () => {
  it('has no violations on the sign-in page, nor for a token without scopes for plants', async (test) => {
    const { page } = await openConsole(test, browser, service, { token: null, statuses: [403] });
    await page.getByText('Where do I get a token?').click();
    assert.deepEqual(await findAccessFaults(page), []);
    const { token } = await createToken(service, ['webhooks:manage']);
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
