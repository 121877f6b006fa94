/** Files in and out, and labels. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser, openConsole, signIn, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token });

const csv = (text: string) => ({ name: 'plants.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

// First, as long as nothing else is stored.
describe('the import', () => {
  it('is loaded when the service responds, and says that the page is old if the service no longer has it', async (test) => {
    const { page, expectSilence } = await openConsole(test, browser, service, { token: null, statuses: [404] });
    expectSilence();
    await page.route('**/readyz', (route) => route.abort());
    await signIn(page, service.token);
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'The import is not loaded yet' }).waitFor();
    await page.route('**/import-part-*.js', (route) => route.fulfill({ status: 404 }));
    await page.unroute('**/readyz');
    await page.getByRole('heading', { name: 'The import could not be loaded' }).waitFor();
    await page.unroute('**/import-part-*.js');
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  });

  it('lets no file that is dropped beside it replace the page', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const isPrevented = `!document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true }))`;
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    await waitUntil(page, isPrevented);
    await page.getByLabel('File to import').setInputFiles(csv('id,name,tag\n7777,Aloe,\n'));
    await page.getByRole('button', { name: 'Import 1 plant' }).waitFor();
    assert.equal(await page.evaluate(isPrevented), true);
  });

  it('says which lines an unclosed quote joins, and lets the refused rows be downloaded', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const text = 'id,name,tag\r\n50,"Aloe,\r\n51,Fern,\r\n52,"Hoya,\r\n53,Ficus,\r\nx,Ivy,\r\n';
    await page.getByLabel('File to import').setInputFiles(csv(text));
    const rows = page.getByRole('region', { name: 'Refused rows' }).getByRole('row');
    await rows.nth(2).waitFor();
    assert.match(await rows.nth(1).innerText(), /^2–4\s[^]*the next 2 lines were read as part of its field/);
    assert.match(await rows.nth(2).innerText(), /^6\s/);
    assert.match((await page.locator('.preview .is-refused').allInnerTexts()).join(), /^6\s+x\s+Ivy\s*$/);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download refused rows' }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), 'refused.csv');
    assert.equal(
      await readFile(await file.path(), 'utf8'),
      'id,name,tag,"reason"\n50,"Aloe,,"A quote may lack its end, so the next 2 lines were read as part of its field"\n51,Fern,,\n52,"Hoya,,\nx,Ivy,,"The id must have digits only: in a spreadsheet, format its column as a number without decimals"\n',
    );
  });

  it('has its next step in sight below many refused rows, and explains each choice', async (test) => {
    const { page } = await openConsole(test, browser, service, {
      query: '?view=import',
      viewport: { width: 390, height: 740 },
      // The page asks for the id that the file has twice, if it does not have all plants yet.
      statuses: [404],
    });
    const text = `id,name\n60,Aloe\n60,Fern\n${'x,Ivy\n'.repeat(50)}`;
    await page.getByLabel('File to import').setInputFiles(csv(text));
    const heading = page.getByRole('heading', { name: '52 rows, 51 refused' });
    await heading.waitFor();
    const isInView = async (): Promise<boolean> => {
      const box = await heading.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height < 740 - 160;
    };
    assert.ok(await isInView());
    const button = page.getByRole('button', { name: 'Import 1 plant, 51 rows refused', exact: true });
    const box = await button.boundingBox();
    assert.ok(box !== null && box.y + box.height <= 740, JSON.stringify(box));
    for (const hint of ['is listed as refused', 'is only counted', 'gets the name and tag of the row'])
      assert.equal(await page.getByText(hint).count(), 1);
    await page.locator('.import').evaluate('(scroller) => void (scroller.scrollTop = 1_000)');
    await button.click();
    const done = page.getByRole('heading', { name: 'Import complete: 52 rows, 51 refused' });
    await done.waitFor();
    assert.ok(await isInView());
    assert.equal(await page.evaluate('document.activeElement.id'), 'report-title');
    assert.equal(await page.getByRole('region', { name: 'First rows' }).count(), 0);
  });

  it('goes on while another view is shown, says how it ends, and leaves the list where it is', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import', statuses: [500] });
    const link = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
    const rows = Array.from({ length: 2_400 }, (_, at) => `${2_000_000 + at},${'Plant '.repeat(150)}${at},\n`);
    await page.getByLabel('File to import').setInputFiles(csv(`id,name,tag\n${rows.join('')}`));
    await page.getByRole('heading', { name: 'All 2,400 rows are valid' }).waitFor();
    const { promise: left, resolve: leave } = Promise.withResolvers<undefined>();
    const { promise: scrolled, resolve: scroll } = Promise.withResolvers<undefined>();
    let parts = 0;
    await page.route('**/plants/import**dryRun=false**', async (route) => {
      parts += 1;
      await left;
      if (parts === 2) return route.fulfill({ status: 500 });
      if (parts > 2) await scrolled;
      return route.continue();
    });
    await page.getByRole('button', { name: 'Import 2,400 plants' }).click();
    await page.getByText('Importing').waitFor();
    await link('Bin').click();
    await page.getByText('The import goes on.').waitFor();
    leave(undefined);
    const failure = page.locator('.toast-bad', { hasText: 'The import ended early.' });
    await failure.getByRole('button', { name: 'Show' }).click();
    assert.match(await page.locator('.report').innerText(), /[1-9][\d,]* added/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await link('Plants').click();
    await page.locator('.row[data-index="0"]:not(.row-skeleton)').waitFor();
    await page.evaluate('document.querySelector(".grid-body").scrollTop = 2000');
    scroll(undefined);
    const success = page.locator('.toast', { hasText: 'The import is complete.' });
    // Under the pointer it stays.
    await success.hover();
    await page
      .locator('.count')
      .getByText(/^2,4\d\d plants$/)
      .waitFor();
    assert.equal(await page.evaluate('document.querySelector(".grid-body").scrollTop'), 2_000);
    await success.getByRole('button', { name: 'Show' }).click();
    await page.getByText('2,400 added').waitFor();
    assert.notEqual(await client.get(2_002_399n), undefined);
  });

  it('says how many rows it left out, and how many plants it cannot show because too much was changed since', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    await page.getByLabel('File to import').setInputFiles(csv('id,name\n3000001,Aloe\n3000002,\n3000003,Fern\n'));
    await page.getByRole('button', { name: 'Leave out' }).click();
    await page.getByRole('button', { name: 'Import 2 plants' }).click();
    await page.getByRole('heading', { name: 'Import complete: 2 rows' }).waitFor();
    await page.getByText('1 left out, without a name').waitFor();
    // What others changed since: pages without the import.
    await page.route('**/plants/changes?*order=desc*', (route) =>
      route.fulfill({
        contentType: 'application/json',
        headers: { link: '</plants/changes?order=desc&limit=1000&after=a>; rel="next"' },
        body: '[]',
      }),
    );
    await page.getByRole('button', { name: 'Show the plants' }).click();
    await page.getByText('Only 0 of 2 plants found: there are too many newer changes.').waitFor();
  });

  it('asks before a reload or signing out aborts it', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const dialogs: string[] = [];
    // Once: the next file has the same page, and answers its own.
    page.once('dialog', (dialog) => {
      dialogs.push(dialog.type());
      return dialog.accept();
    });
    await page.getByLabel('File to import').setInputFiles(csv('id,name\n90,Aloe\n'));
    await page.getByRole('button', { name: 'Import 1 plant' }).waitFor();
    const { promise: sent, resolve: send } = Promise.withResolvers<undefined>();
    await page.route('**/plants/import**', () => send(undefined));
    await page.getByRole('button', { name: 'Import 1 plant' }).click();
    await sent;
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByText('An import is running').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByText('Importing').waitFor();
    await page.reload();
    assert.deepEqual(dialogs, ['beforeunload']);
  });
});

describe('labels', () => {
  const ids = '9007199254740993,-9223372036854775808';
  const open = async (test: TestContext): Promise<Page> => {
    await client.put(9007199254740993n, { name: 'Calathea', tag: 'houseplant' });
    await client.put(-9223372036854775808n, { name: 'Äpfel '.repeat(120), tag: 'a rather long tag of a plant' });
    const query = `?view=labels&ids=${ids},404404`;
    return (await openConsole(test, browser, service, { query, statuses: [404] })).page;
  };

  it('prints the selection in the order of the list, in several sizes, never cutting an id', async (test) => {
    const page = await open(test);
    await page
      .getByText(
        /^2 labels of 63\.5 × 38\.1 mm, Avery L7160, on 1 sheet, in the order of the list\. .*1 plant no longer exists/,
      )
      .waitFor();
    for (const size of ['Small', 'Large', 'Stake', 'Medium']) {
      await page.getByRole('radio', { name: size }).click();
      await page.waitForURL(new RegExp(`size=${size.toLowerCase()}`));
      assert.deepEqual(await page.locator('.label-id').allInnerTexts(), ids.split(',').toReversed());
      assert.deepEqual(
        await page.evaluate(`[...document.querySelectorAll('.label')].flatMap((label) => {
        const outer = label.getBoundingClientRect();
        return [...label.querySelectorAll('.qr, .label-id, .label-tag')].filter((part) => {
          const inner = part.getBoundingClientRect();
          if (inner.width === 0) return false;
          const isOut = inner.left < outer.left || inner.right > outer.right + 0.5 || inner.top < outer.top - 0.5 || inner.bottom > outer.bottom + 0.5;
          const isCut = part.scrollWidth > part.clientWidth || part.getClientRects().length > 1 || inner.height > 1.6 * parseFloat(getComputedStyle(part).fontSize);
          return isOut || (part.matches('.label-id') && isCut);
        }).map((part) => part.className.baseVal ?? part.className);
      })`),
        [],
        size,
      );
    }
    const pdf = await page.pdf({ preferCSSPageSize: true });
    const sheets = [...pdf.toString('latin1').matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
    // 210 by 297 mm at 72 points an inch.
    assert.deepEqual(
      sheets.map(([, width, height]) => [Math.round(Number(width)), Math.round(Number(height))]),
      [[595, 842]],
    );
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false);
  });

  it('says how many ids of a link are beyond its limit, and reads them with few requests', async (test) => {
    await client.put(7n, { name: 'Taken' });
    const many = Array.from({ length: 502 }, (_, at) => -7 - at * 100_000).join(',');
    const { page, requests } = await openConsole(test, browser, service, { query: `?view=labels&ids=7,${many}` });
    await page
      .getByText('1 sheet, in the order of the list. Limit: 500 plants, 3 left out. 499 plants no longer exist')
      .waitFor();
    assert.ok(requests.length < 60, `${requests.length} requests`);
  });
});
