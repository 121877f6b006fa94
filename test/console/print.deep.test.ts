/** What comes out of a printer: labels where the sheet has them, no sheet too many, and all plants of the list. In two engines, which divide pages differently. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, describe, it, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { columnGap, findSize, toGridOf } from '../../console/src/labels/label-sizes.ts';
import { PlantClient } from '../../src/client/client.ts';
import { goToDocs, openDocs } from '../docs-page/open-docs.ts';
import { hasTool } from '../support/has-tool.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser, openConsole, waitUntil } from './open-console.ts';
import { openFirefox } from './open-firefox.ts';

const service = await startService({ after });
const client = new PlantClient({ url: service.url, token: service.token });
const plantCount = 312;
const rows = Array.from(
  { length: plantCount },
  (_, id) => `${id},Plant number ${id},${id % 2 === 0 ? 'shade' : 'sun'}\n`,
);
await client.import(`id,name,tag\n${rows.join('')}`, { mediaType: 'text/csv' });

/** In Firefox, playwright-core sends inches as the centimetres that the command wants. */
const centimetre = { Chromium: '1cm', Firefox: '1in' } as const;
type Engine = keyof typeof centimetre;

/** On A4 paper. */
function print(page: Page, engine: Engine): Promise<Buffer> {
  const toLength = (count: number): string => centimetre[engine].replace('1', String(count));
  return page.pdf({ width: toLength(21), height: toLength(29.7), preferCSSPageSize: engine === 'Chromium' });
}

function toText(pdf: Buffer, option: string): string {
  const { stdout, stderr } = spawnSync('pdftotext', [option, '-', '-'], { input: pdf, encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout;
}

/** The text of each page, which ends with a form feed. */
function toPages(pdf: Buffer): readonly string[] {
  return toText(pdf, '-layout').split('\f').slice(0, -1);
}

/** Where a word begins on each page: its distances from the left and from the top, in millimetres, without repetition. */
function findWord(
  pdf: Buffer,
  word: string,
): readonly { readonly x: readonly number[]; readonly y: readonly number[] }[] {
  const pages = toText(pdf, '-bbox').split('<page ').slice(1);
  const find = (page: string, axis: 'x' | 'y'): number[] => {
    const found = page.matchAll(new RegExp(`${axis}Min="([^"]+)"[^>]*>${word}<`, 'g'));
    return [...new Set([...found].map((match) => Math.round(Number(match[1]) * 10) / 10))]
      .sort((one, other) => one - other)
      .filter((each, at, all) => at === 0 || each - (all[at - 1] ?? 0) > 1)
      .map((points) => (points * 25.4) / 72);
  };
  return pages.map((page) => ({ x: find(page, 'x'), y: find(page, 'y') }));
}

/** Of each plant: no more than 1,170 labels, of few plants. */
const copies = 6;

function assertPitch(places: readonly number[], pitch: number): void {
  assert.ok(places.length > 1);
  for (const [at, place] of places.entries())
    assert.ok(Math.abs(place - (places[0] ?? 0) - at * pitch) < 0.4, `${places.join()}, not every ${pitch} mm`);
}

const browsers: Record<Engine, Browser | undefined> = { Chromium: await openBrowser(), Firefox: await openFirefox() };

function hasTools(engine: Engine, test: TestContext): boolean {
  return hasTool(test, 'pdftotext', ...(engine === 'Firefox' ? (['firefox-esr'] as const) : []));
}

async function openIn(engine: Engine, test: TestContext, query: string): Promise<Page | undefined> {
  if (!hasTools(engine, test)) return undefined;
  const browser = browsers[engine] ?? assert.fail();
  return (await openConsole(test, browser, service, { query })).page;
}

for (const engine of ['Chromium', 'Firefox'] as const) {
  const open = openIn.bind(undefined, engine);

  describe(`printed by ${engine}`, () => {
    for (const key of ['small', 'medium', 'large'])
      it(`labels of the size ${key} are where the sheets have them, on as many pages`, async (test) => {
        const page = await open(test, '?view=labels&ids=100');
        if (page === undefined) return;
        // In Firefox, playwright-core types into a number instead of replacing it.
        await page.locator('.label').waitFor();
        await page.evaluate(`(() => {
          const input = document.querySelectorAll('.number-field input')[1];
          input.value = '${copies}';
          input.dispatchEvent(new Event('input', { bubbles: true }));
        })()`);
        await waitUntil(page, `document.querySelectorAll('.label').length === ${copies}`);
        const size = findSize(key);
        const { columns, rows: lines } = toGridOf(size);
        for (const sheets of [1, 2, 3, 5, 18]) {
          // Texts of one width: they are centred on large labels.
          const ids = Array.from({ length: Math.floor((sheets * columns * lines) / copies) }, (_, at) => 100 + at);
          await page.evaluate(`history.pushState(null, '', '?view=labels&size=${key}&ids=${ids.join()}')`);
          await page.evaluate("dispatchEvent(new PopStateEvent('popstate'))");
          await waitUntil(page, `document.querySelectorAll('.label-${key}').length === ${ids.length * copies}`);
          const places = findWord(await print(page, engine), 'Plant');
          assert.equal(places.length, sheets);
          for (const { x, y } of places) {
            assertPitch(x, size.width + columnGap);
            assertPitch(y, size.height);
            assert.ok(Math.abs((x[0] ?? 0) - (places[0]?.x[0] ?? 0)) < 0.3, `${sheets} sheets`);
          }
        }
      });

    for (const [size, name, isCut] of [
      ['small', "Monstera deliciosa 'Albo Variegata'", false],
      ['medium', 'Geranium × cantabrigiense Biokovo', false],
      ['stake', "Philodendron hederaceum 'Micans' gypq", false],
      ['small', 'Philodendron '.repeat(12), true],
    ] as const)
      it(`a label of the size ${size} ${isCut ? 'says that it is too small' : 'has room'} for the name ${name}`, async (test) => {
        await client.put(0n, { name });
        test.after(() => client.put(0n, { name: 'Plant number 0', tag: 'shade' }));
        const page = await open(test, '?view=labels&ids=0&size=large');
        if (page === undefined) return;
        await page.locator('.label-large').waitFor();
        // In many fonts, a letter is higher than its line.
        await page.evaluate(`(async () => {
          document.styleSheets[0].insertRule(
            '@font-face { font-family: tall; src: local("DejaVu Sans"); ascent-override: 115%; descent-override: 35%; }');
          document.body.style.fontFamily = 'tall, sans-serif';
          await document.fonts.load('600 12px tall');
          history.pushState(null, '', '?view=labels&ids=0&size=${size}');
          dispatchEvent(new PopStateEvent('popstate'));
        })()`);
        await page.locator(`.label-${size}`).waitFor();
        assert.equal(await page.getByText('does not fit').count(), isCut ? 1 : 0);
      });

    it('a long word makes the name smaller, not the id beside it', async (test) => {
      await client.put(0n, { name: 'Löwenmäulchenmischung' });
      test.after(() => client.put(0n, { name: 'Plant number 0', tag: 'shade' }));
      const page = await open(test, '?view=labels&ids=0,1&size=medium');
      if (page === undefined) return;
      await page.locator('.label-medium').nth(1).waitFor();
      const sizesOf = (part: string): Promise<string[]> =>
        page.evaluate(
          `[...document.querySelectorAll('.label-${part}')].map((text) => getComputedStyle(text).fontSize)`,
        );
      const [names, ids] = [await sizesOf('name'), await sizesOf('id')];
      assert.notEqual(names[0], names[1]);
      assert.equal(ids[0], ids[1]);
    });

    it('the list has all plants of the filter, beside an open form, too', async (test) => {
      const page = await open(test, '?search=number&tag=shade&plant=4');
      if (page === undefined) return;
      await page.getByRole('button', { name: 'Save' }).waitFor();
      await page.locator('.count').getByText('156 plants').waitFor();
      const pdf = await print(page, engine);
      const pages = toPages(pdf);
      // The margin of each page.
      for (const { x } of findWord(pdf, 'Id')) assert.deepEqual(x.map(Math.round), [14]);
      assert.match(pages[0] ?? '', /^\s*Plants\n/);
      assert.match(pages[0] ?? '', /All 156 plants matching “number” and with the tag “shade”, \w+ \d+, \d{4}\n/);
      for (const each of pages) assert.match(each, /^ *Id +Name +Tag\n(?: *\d+ +Plant number \d+ +shade\n|\n)+$/m);
      assert.equal(pages.join().match(/Plant number \d+/g)?.length, 156);
      assert.equal(await page.locator('.printed *').count(), 0);
    });

    it('the documentation has no blank page', async (test) => {
      if (!hasTools(engine, test)) return;
      const { page } = await openDocs(browsers[engine] ?? assert.fail());
      test.after(() => page.context().close());
      await goToDocs(page, service.url);
      await page.getByRole('heading', { name: 'Models' }).waitFor();
      const pages = toPages(await print(page, engine));
      assert.match(pages.at(-1) ?? '', /All are in\s+openapi\.yaml\./);
      assert.ok(
        pages.every((each) => each.trim() !== ''),
        `${pages.length} pages`,
      );
    });

    for (const view of ['tags', 'activity', 'bin', 'import', 'settings', 'webhooks', 'tokens'])
      it(`the view ${view} has no blank page`, async (test) => {
        const page = await open(test, `?view=${view}`);
        if (page === undefined) return;
        await page.getByRole('heading', { level: 1 }).waitFor();
        const pages = toPages(await print(page, engine));
        assert.match(pages[0] ?? '', new RegExp(`^\\s*${view}`, 'i'));
        assert.ok(
          pages.every((each) => each.trim() !== ''),
          `${pages.length} pages`,
        );
      });
  });
}

it('the list says that it is not complete while it is loading', async (test) => {
  const page = await openIn('Chromium', test, '');
  if (page === undefined) return;
  const held = Promise.withResolvers<undefined>();
  await page.route(/\/plants\?/, async (route) => {
    const url = route.request().url();
    if (url.includes('cursor=')) await held.promise;
    await route.continue({ url: url.replace(/limit=\d+/, 'limit=100') });
  });
  await page.reload();
  await page.locator('.row[data-index="1"]').waitFor();
  const [first] = toPages(await print(page, 'Chromium'));
  held.resolve(undefined);
  assert.match(
    first ?? '',
    /^\s*Plants\n+ *100 of all (312 )?plants, \w+ \d+, \d{4}\n+ *The list was still loading: print it again\.\n/,
  );
});
