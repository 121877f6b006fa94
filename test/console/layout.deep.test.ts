/** Every state at every size, by measure and with axe-core: nothing leaves its container, overlaps, or moves under the pointer. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { skipLoudly } from '../support/skip-loudly.ts';
import type { Service } from '../support/service-run.ts';
import { startService } from '../support/start-service.ts';
import type { Browser, Page } from 'playwright-core';
import { findLayoutProblems, settle } from './measure-layout.ts';
import { findAccessFaults, openBrowser, openConsole } from './open-console.ts';
import { openFirefox } from './open-firefox.ts';
import { fillStore, provokedStatuses, type State, states, webhookEnv } from './states.ts';

/** Its pages are checked before the services and the browsers end. */
const file = { after };
const service = await startService(file, { env: webhookEnv });
const serviceOfFirefox = await startService(file, { env: webhookEnv });
const browser = await openBrowser();
const firefox = await openFirefox();
await Promise.all([service, serviceOfFirefox].map(fillStore));

/** 400 % and 200 % zoom are windows of 320 and 640 CSS pixels. */
const sizes: readonly (readonly [number, number])[] = [
  [320, 256],
  [390, 844],
  [640, 400],
  [768, 1024],
  [1280, 800],
  [1920, 1080],
];

/** Firefox breaks lines like Chromium, except for some pixels. */
const firefoxSizes = [
  [1440, 900],
  [768, 1024],
  [320, 700],
] as const;

/** The rules of axe-core that depend on colours and sizes: the others see the same in every window. */
const rulesOfLooks = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/** axe-core reads every row of the list: a few are as good as many. */
const lookHeight = 500;

const looks = [
  ['dark', { colorScheme: 'dark' }],
  ['forced colours', { forcedColors: 'active' }],
  ['with motion', { forcedColors: 'none', reducedMotion: 'no-preference' }],
] as const;

interface Shown {
  /** All states use it, one after the other. */
  readonly page: Page;
  readonly service: Service;
  readonly client: PlantClient;
}

async function open(browser: Browser, service: Service): Promise<Shown> {
  const { page, expectSilence } = await openConsole(file, browser, service, { statuses: provokedStatuses });
  expectSilence();
  return { page, service, client: new PlantClient({ url: service.url, token: service.token }) };
}

const inChromium = await open(browser, service);
const inFirefox = firefox === undefined ? undefined : await open(firefox, serviceOfFirefox);

describe('the layout', () => {
  for (const state of states) {
    it(`of the state ${state.name} fits every window, and axe-core finds nothing`, async () => {
      const { page } = inChromium;
      const problems: string[] = [];
      const measure = async (where: string): Promise<void> => {
        for (const problem of await findLayoutProblems(page)) problems.push(`${where}: ${problem}`);
      };
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 1280, height: lookHeight });
      await show(state, inChromium);
      problems.push(...(await findAccessFaults(page)));
      // Off by default.
      problems.push(...(await findAccessFaults(page, { rules: ['target-size'] })));
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        await measure(`${width} x ${height}`);
      }
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 360, height: lookHeight });
      for (const fault of await findAccessFaults(page, { rules: rulesOfLooks }))
        problems.push(`dark on a phone: ${fault}`);
      for (const [look, media] of looks) {
        await page.emulateMedia(media);
        await measure(look);
      }
      await state.restore?.(page);
      assert.deepEqual(problems, []);
    });
  }

  describe('in Firefox', () => {
    for (const state of states) {
      it(`of the state ${state.name} fits windows of a desk, a tablet and a phone`, async (test) => {
        if (inFirefox === undefined) return skipLoudly(test, 'firefox-esr is not installed');
        const { page } = inFirefox;
        await page.setViewportSize({ width: 1280, height: lookHeight });
        await show(state, inFirefox);
        // Without axe-core, which ends this version of Firefox.
        const problems: string[] = [];
        for (const [width, height] of firefoxSizes) {
          await page.setViewportSize({ width, height });
          // Rows that are scrolled away are below the head.
          await page.evaluate('document.querySelector(".grid-body")?.scrollTo(0, 0)');
          for (const problem of await findLayoutProblems(page)) problems.push(`${width} x ${height}: ${problem}`);
        }
        await state.restore?.(page);
        assert.deepEqual(problems, []);
      });
    }
  });

  it('is measured by something that can fail', async (test) => {
    const page = await browser.newPage();
    test.after(() => page.close());
    await page.setContent(`
      <div style="width: 200px; border: 1px solid; margin: 50px"><p style="width: 300px">too wide</p></div>
      <p style="width: 50px; overflow: hidden; white-space: nowrap">cut without a sign</p>
      <button style="position: absolute; left: 0; top: 300px">one</button>
      <button style="position: absolute; left: 9px; top: 305px">two</button>
      <svg><use href="#missing" /></svg>
      <div style="width: 3000px">far</div>`);
    const problems = await findLayoutProblems(page);
    for (const part of [
      /^no drawing #missing$/,
      /px too wide$/,
      /"too wide" leaves div .* by \d+ px/,
      /is cut without an ellipsis/,
      /"one" overlaps .*"two"/,
    ])
      assert.ok(
        problems.some((each) => part.test(each)),
        `${part}: ${problems.join('; ')}`,
      );
  });

  it('has the whole title of the list beside its buttons on a phone', async (test) => {
    const viewport = { width: 360, height: lookHeight };
    const { page } = await openConsole(test, browser, service, { viewport });
    await page.getByRole('button', { name: 'New plant' }).waitFor();
    const [wanted, given] = await page.evaluate<number[]>(
      '(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector("#plants-title"))',
    );
    assert.equal(wanted, given);
  });

  it('does not move what opens a menu or a panel', async (test) => {
    const { page } = await openConsole(test, browser, service);
    const openers = [
      ['.export > .button', '.modal'],
      ['.tag-filter input', '.combo-list'],
      ['.row[data-index="5"] .cell-id a', '.panel'],
    ] as const;
    for (const [width, height] of [[320, 640], [640, 400], [1100, 800], ...sizes.slice(-4)] as const) {
      await page.setViewportSize({ width, height });
      // At this size rows have another height: the one to click could have come to be below the head.
      const toTop = `document.querySelector('.grid-body').scrollTop = 0`;
      await page.evaluate(`(${settle})().then(() => { ${toTop}; }).then(${settle})`);
      for (const [opener, panel] of openers) {
        const target = page.locator(opener);
        await target.scrollIntoViewIfNeeded();
        const before = await target.boundingBox();
        await target.click({ position: { x: Math.min(120, (before?.width ?? 0) / 2), y: 8 } });
        await page.locator(panel).first().waitFor();
        const now = await target.boundingBox();
        assert.deepEqual([now?.x, now?.y], [before?.x, before?.y], `${opener} at ${width} x ${height}`);
        await page.keyboard.press('Escape');
        await page.locator(panel).first().waitFor({ state: 'hidden' });
      }
    }
  });
});

/** Leads to a state by a link within the page where that is possible: a load would cost ten times as much. */
async function show({ query, isLoaded, arrange, prepare }: State, { page, service, client }: Shown): Promise<void> {
  await arrange?.(client);
  // Under the pointer, a list does not show what others change.
  await page.mouse.move(0, 0);
  if (isLoaded === true) await page.goto(`${service.url}/console${query}`);
  else
    await page.evaluate(`{
      history.pushState(null, '', location.pathname + ${JSON.stringify(query)});
      dispatchEvent(new PopStateEvent('popstate'));
    }`);
  await prepare(page, service);
}
