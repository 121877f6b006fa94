/** Files in and out, labels and the overview. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import qrReader from 'jsqr';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { makeFolder } from '../support/clean-up.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser, openConsole, signIn, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
const client = new PlantClient({ url: service.url, token: service.token });

const csv = (text: string) => ({ name: 'plants.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

// First, as long as nothing else is stored.
describe('the overview', () => {
  it('counts all plants and those of each tag, leads to them, and tells how the service is', async (test) => {
    for (let id = 1n; id <= 5n; id++)
      await client.create({ id, name: `Plant ${id}`, ...(id <= 3n ? { tag: 'climber' } : {}) });
    const { page } = await openConsole(test, browser, service, { query: '?view=overview' });
    await page.locator('.figure', { hasText: 'Plants' }).getByText('5', { exact: true }).waitFor();
    await page.locator('.figure', { hasText: 'Without a tag' }).getByText('2', { exact: true }).waitFor();
    await page.locator('.figure', { hasText: 'Service' }).getByText('Ready').waitFor();
    await page.locator('.chart').getByRole('link', { name: 'climber 3' }).click();
    await page.locator('.count').getByText('3 plants', { exact: true }).waitFor();
    assert.match(page.url(), /\?tag=climber$/);
  });

  it('reads the counts once', async (test) => {
    const { page, requests } = await openConsole(test, browser, service, { query: '?view=overview' });
    await page.locator('.figure', { hasText: 'Plants' }).getByText('5', { exact: true }).waitFor();
    assert.equal(requests.filter((url) => url.endsWith('/tags')).length, 1);
  });
});

describe('the import', () => {
  it('names every refused row before anything is stored, then stores the others', async (test) => {
    await client.put(7n, { name: 'Taken' });
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const text =
      'id,name,tag\n9007199254740993,"Calathea, white",houseplant\nx8,Ficus,tree\n7,Other,\n9,Aloe,"two\nlines"\n10,a,b,c\n';
    await page.getByLabel('File to import').setInputFiles(csv(text));
    await page.getByRole('heading', { name: '5 rows, 3 refused' }).waitFor();
    await page.getByText('2 to create').waitFor();
    const lines = page.getByRole('region', { name: 'Refused rows' }).getByRole('row');
    assert.deepEqual(
      (await lines.allInnerTexts())
        .slice(1)
        .map((row) => [/^\d+/.exec(row)?.[0], /\((\d{5})\)/.exec(row)?.[1], row.split('\n').at(-1)]),
      [
        ['3', '40011', 'x8,Ficus,tree'],
        ['4', '40901', '7,Other,'],
        ['7', '40015', '10,a,b,c'],
      ],
    );
    assert.equal(await client.get(9007199254740993n), undefined);
    await page.getByRole('radio', { name: 'Replace the plant' }).check();
    await page.getByRole('heading', { name: '5 rows, 2 refused' }).waitFor();
    await page.getByRole('button', { name: 'Import 3 plants' }).click();
    await page.getByRole('button', { name: 'Show the plants' }).click();
    await page.getByRole('row', { name: 'Calathea, white' }).waitFor();
    assert.deepEqual((await client.get(9007199254740993n))?.plant, {
      id: 9007199254740993n,
      name: 'Calathea, white',
      tag: 'houseplant',
    });
    assert.equal((await client.get(7n))?.plant.name, 'Other');
    assert.equal((await client.get(9n))?.plant.tag, 'two\nlines');
  });

  it('takes a dropped NDJSON file, and says when the file is not what it should be', async (test) => {
    const { page, requests } = await openConsole(test, browser, service, { query: '?view=import', statuses: [400] });
    const drop = (name: string, text: string): Promise<unknown> =>
      page.evaluate(`{
        const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
        document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer: data }));
      }`);
    await drop('wrong.csv', 'a,b\n1,2\n');
    await page.getByText('Invalid CSV header').waitFor();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await drop('rows', '{"id":-5,"name":"Dropped"}\n');
    await page.getByRole('heading', { name: 'The row is valid' }).waitFor();
    await page.getByRole('button', { name: 'Import 1 plant' }).click();
    await page.getByRole('heading', { name: 'Import complete: 1 row' }).waitFor();
    assert.equal((await client.get(-5n))?.plant.name, 'Dropped');
    assert.ok(requests.some((url) => url.includes('dryRun=true')));
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

  it('says when the file cannot be read', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    // As a folder that is dropped.
    await page.evaluate('Blob.prototype.text = () => Promise.reject(new DOMException("Not found", "NotFoundError"))');
    await page.getByLabel('File to import').setInputFiles(csv('i'));
    await page.getByRole('alert').getByText('This file cannot be read.').waitFor();
    await page.getByText('1 byte', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  });

  it('says when the file was saved again after the check', async (test) => {
    const file = join(await makeFolder(test), 'plants.csv');
    await writeFile(file, 'id,name,tag\n71,Aloe,\n');
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    await page.getByLabel('File to import').setInputFiles(file);
    await page.getByRole('heading', { name: 'The row is valid' }).waitFor();
    await writeFile(file, 'id,name,tag\n71,Aloe vera,\n');
    await page.getByRole('button', { name: 'Import 1 plant' }).click();
    await page.getByRole('alert').getByText('The file was changed or moved. Choose it again.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    assert.equal(await client.get(71n), undefined);
  });

  for (const [name, separator] of [
    ['semicolons', ';'],
    ['tabs', '\t'],
  ] as const) {
    it(`takes ${name}, and a header in capitals`, async (test) => {
      await client.delete(70n);
      const { page } = await openConsole(test, browser, service, { query: '?view=import' });
      const rows = [
        [' Id ', 'NAME', 'Tag'],
        ['70', `"a${separator}b"`, 'x'],
        [separator === ';' ? 'x,' : 'x;', '"two\r\nlines"', 'y'],
      ];
      const text = rows.map((fields) => `${fields.join(separator)}\r\n`).join('');
      const file = { name: 'plants.tsv', mimeType: '', buffer: Buffer.from(text) };
      await page.getByLabel('File to import').setInputFiles(file);
      await page.getByRole('heading', { name: '2 rows, 1 refused' }).waitFor();
      await page.getByRole('cell', { name: '3–4', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Import 1 plant' }).click();
      await page.getByRole('heading', { name: 'Import complete' }).waitFor();
      assert.deepEqual((await client.get(70n))?.plant, { id: 70n, name: `a${separator}b`, tag: 'x' });
    });
  }

  it('says which lines an unclosed quote joins, and lets the refused rows be downloaded', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const text = 'id,name,tag\r\n50,"Aloe,\r\n51,Fern,\r\n52,"Hoya,\r\n53,Ficus,\r\nx,Ivy,\r\n';
    await page.getByLabel('File to import').setInputFiles(csv(text));
    const rows = page.getByRole('region', { name: 'Refused rows' }).getByRole('row');
    await rows.nth(2).waitFor();
    assert.match(await rows.nth(1).innerText(), /^2–4\s[^]*the next 2 lines were read as part of its field/);
    assert.match(await rows.nth(2).innerText(), /^6\s/);
    assert.deepEqual(await page.locator('.preview .is-refused').allInnerTexts(), [
      '50,"Aloe,',
      '51,Fern,',
      '52,"Hoya,',
      'x,Ivy,',
    ]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download refused rows' }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), 'refused.csv');
    assert.equal(
      await readFile(await file.path(), 'utf8'),
      'id,name,tag\n50,"Aloe,\r\n51,Fern,\r\n52,"Hoya,\nx,Ivy,\n',
    );
  });

  for (const [encoding, bytes] of [
    ['Latin-1 or Windows-1252', Buffer.from('id,name\n1,Rübe\n', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffid,name\n1,Rübe\n', 'utf16le')],
    ['UTF-16', Buffer.from('id,name\n1,Rübe\n', 'utf16le')],
  ] as const) {
    it(`refuses ${encoding} (${bytes.length} bytes) with the fix`, async (test) => {
      const { page, requests } = await openConsole(test, browser, service, { query: '?view=import' });
      await page.getByLabel('File to import').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: bytes });
      await page.getByRole('alert').getByText(`This file is not UTF-8, it looks like ${encoding}.`).waitFor();
      assert.ok(!requests.some((url) => url.endsWith('/plants/import?onConflict=fail&dryRun=true')));
    });
  }

  it('has its next step in sight below many refused rows, and explains each choice', async (test) => {
    const { page } = await openConsole(test, browser, service, {
      query: '?view=import',
      viewport: { width: 390, height: 740 },
    });
    const text = `id,name\n60,Aloe\n${'x,Ivy\n'.repeat(50)}`;
    await page.getByLabel('File to import').setInputFiles(csv(text));
    await page.getByRole('heading', { name: '51 rows, 50 refused' }).waitFor();
    const button = await page.getByRole('button', { name: 'Import 1 plant' }).boundingBox();
    assert.ok(button !== null && button.y + button.height <= 740, JSON.stringify(button));
    for (const hint of ['is listed as refused', 'is only counted', 'gets the name and tag of the row'])
      assert.equal(await page.getByText(hint).count(), 1);
  });

  it('says how many rows are checked so far, also when the check is stopped, and offers no plants then', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const rows = Array.from({ length: 2_400 }, (_, at) => `${3_000_000 + at},${'Plant '.repeat(150)}${at},\n`);
    let parts = 0;
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/plants/import**', async (route) => {
      parts += 1;
      if (parts === 2) await held;
      await route.continue().catch(() => undefined);
    });
    await page.getByLabel('File to import').setInputFiles(csv(`id,name,tag\n${rows.join('')}`));
    const soFar = page.getByRole('heading', { name: /^1,\d{3} rows checked so far$/ });
    await soFar.waitFor();
    assert.equal(await page.locator('.report [role=status]').innerText(), '');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Check stopped. Nothing was imported.').waitFor();
    await soFar.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show the plants' }).count(), 0);
    release(undefined);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.report [role=status]').getByRole('heading', { name: 'All 2,400 rows are valid' }).waitFor();
  });

  it('stops with the true number, without an alarm, and continues where it stopped', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const before = await client.count();
    const rows = Array.from({ length: 3_600 }, (_, at) => `${1_000_000 + at},${'Plant '.repeat(150)}${at},\n`);
    const text = `id,name,tag\n${rows.join('')}x,Last,\n`;
    await page.getByLabel('File to import').setInputFiles(csv(text));
    await page.getByRole('heading', { name: '3,601 rows, 1 refused' }).waitFor();
    let parts = 0;
    await page.route('**/plants/import**', async (route) => {
      const response = await route.fetch();
      parts += 1;
      if (parts === 2) await page.getByRole('button', { name: 'Stop' }).click();
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Import 3,600 plants' }).click();
    const message = await page.getByText('Import stopped.').innerText();
    const stored = BigInt((/ ([\d,]+) plants were imported/.exec(message)?.[1] ?? '').replaceAll(',', ''));
    assert.ok(stored > 0n && stored < 3_600n, message);
    assert.equal((await client.count()) - before, stored);
    assert.equal(await page.locator('.import [role=alert]').count(), 0);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Import complete: 3,601 rows, 1 refused' }).waitFor();
    await page.getByText('3,600 created').waitFor();
    assert.equal((await client.count()) - before, 3_600n);
    const refused = page.getByRole('region', { name: 'Refused rows' }).getByRole('row').nth(1);
    assert.match(await refused.innerText(), /^3,602\s[^]*x,Last,$/);
  });

  it('goes on while another view is shown, says how it ends, and leaves the list where it is', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import', statuses: [401, 500] });
    const link = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
    const rows = Array.from({ length: 2_400 }, (_, at) => `${2_000_000 + at},${'Plant '.repeat(150)}${at},\n`);
    await page.getByLabel('File to import').setInputFiles(csv(`id,name,tag\n${rows.join('')}`));
    await page.getByRole('heading', { name: 'All 2,400 rows are valid' }).waitFor();
    const { promise: left, resolve: leave } = Promise.withResolvers<undefined>();
    const { promise: scrolled, resolve: scroll } = Promise.withResolvers<undefined>();
    let parts = 0;
    await page.route('**/plants/import**dryRun=false', async (route) => {
      parts += 1;
      await left;
      if (parts === 2) return route.fulfill({ status: 500 });
      if (parts === 3) return route.fulfill({ status: 401, json: { error: 40102, message: 'Cannot authenticate' } });
      if (parts > 3) await scrolled;
      return route.continue();
    });
    await page.getByRole('button', { name: 'Import 2,400 plants' }).click();
    await page.getByText('Importing').waitFor();
    await link('Bin').click();
    await page.getByText('The import goes on.').waitFor();
    leave(undefined);
    const failure = page.locator('.toast-bad', { hasText: 'The import ended early.' });
    await failure.getByRole('button', { name: 'Show' }).click();
    assert.match(await page.locator('.report').innerText(), /[1-9][\d,]* created/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The token is no longer valid.').waitFor();
    await page.evaluate(`history.replaceState(null, '', '?view=bin'); dispatchEvent(new Event('popstate'))`);
    await signIn(page, service.token);
    const cut = page.locator('.toast-bad', { hasText: 'The import ended early. The session ended.' });
    await cut.getByRole('button', { name: 'Show' }).click();
    await page.getByText(/^Import stopped\. [1-9][\d,]+ plants were imported, and perhaps the next part/).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await link('Plants').click();
    await page.locator('.row[data-index="0"]').waitFor();
    await page.evaluate('document.querySelector(".grid-body").scrollTop = 2000');
    const isRead = page.waitForResponse((response) => /\/plants\?.*limit=200/.test(response.url()));
    scroll(undefined);
    const success = page.locator('.toast', { hasText: 'The import is complete.' });
    await success.waitFor();
    await isRead;
    await waitUntil(page, 'document.querySelector(".grid.is-stale") === null');
    assert.equal(await page.evaluate('document.querySelector(".grid-body").scrollTop'), 2_000);
    await success.getByRole('button', { name: 'Show' }).click();
    await page.getByText('2,400 created').waitFor();
    assert.notEqual(await client.get(2_002_399n), undefined);
  });

  for (const [typed, readings] of [
    ['Before', 2],
    ['Typed', 1],
  ] as const) {
    it(`is shown in a form that was opened meanwhile, unless that has unsaved changes (${typed})`, async (test) => {
      await client.put(95n, { name: 'Before' });
      const { page, requests } = await openConsole(test, browser, service, { query: '?view=import' });
      await page.getByLabel('File to import').setInputFiles(csv('id,name\n95,Imported\n'));
      await page.getByRole('radio', { name: 'Replace the plant' }).check();
      const { promise: opened, resolve: open } = Promise.withResolvers<undefined>();
      await page.route('**/plants/import**dryRun=false', async (route) => {
        await opened;
        return route.continue();
      });
      await page.getByRole('button', { name: 'Import 1 plant' }).click();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plants' }).click();
      await page.getByRole('row', { name: 'Before' }).click();
      const name = page.getByLabel('Name', { exact: true });
      await name.fill(typed);
      open(undefined);
      await page.getByRole('row', { name: 'Imported' }).waitFor();
      if (readings === 2) await waitUntil(page, 'document.querySelector(".panel textarea").value === "Imported"');
      assert.equal(await name.inputValue(), readings === 2 ? 'Imported' : typed);
      assert.equal(requests.filter((url) => url.endsWith('/plants/95')).length, readings);
    });
  }

  it('asks before a reload or signing out aborts it', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=import' });
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      return dialog.type() === 'confirm' ? dialog.dismiss() : dialog.accept();
    });
    await page.getByLabel('File to import').setInputFiles(csv('id,name\n90,Aloe\n'));
    await page.getByRole('button', { name: 'Import 1 plant' }).waitFor();
    const { promise: sent, resolve: send } = Promise.withResolvers<undefined>();
    await page.route('**/plants/import**', () => send(undefined));
    await page.getByRole('button', { name: 'Import 1 plant' }).click();
    await sent;
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByText('Importing').waitFor();
    await page.reload();
    assert.deepEqual(dialogs, ['confirm', 'beforeunload']);
  });

  for (const [step, expected] of [
    ['Checking', 'Connection lost. It will resume automatically.'],
    ['Importing', 'Stopping'],
  ] as const) {
    it(`neither says that it goes on nor asks before a reload when it does not (${step})`, async (test) => {
      const { page, expectSilence } = await openConsole(test, browser, service, { query: '?view=import' });
      expectSilence();
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.type());
        return dialog.accept();
      });
      const pattern = `**/plants/import**dryRun=${step === 'Checking'}`;
      await page.route(pattern, (route) => (step === 'Checking' ? route.abort() : undefined));
      await page.getByLabel('File to import').setInputFiles(csv('id,name\n91,Aloe\n'));
      if (step === 'Importing') {
        await page.getByRole('button', { name: 'Import 1 plant' }).click();
        await page.getByRole('button', { name: 'Stop' }).click();
      }
      await page.locator('.progress').getByText(expected).waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Bin' }).click();
      await page.getByRole('heading', { name: 'Bin', exact: true }).waitFor();
      assert.equal(await page.locator('.toast').count(), 0);
      await page.reload();
      assert.deepEqual(dialogs, []);
    });
  }

  for (const [rule, how] of [
    ['Refuse the row', 'by itself'],
    ['Replace the plant', 'when the person says so: it can undo what others have changed meanwhile'],
  ] as const) {
    it(`sends a part again whose response was lost ${how} (${rule})`, async (test) => {
      await client.put(80n, { name: 'Before' });
      const { page, expectSilence } = await openConsole(test, browser, service, { query: '?view=import' });
      expectSilence();
      await page.getByLabel('File to import').setInputFiles(csv('id,name\n80,Imported\n81,Fern\n'));
      await page.getByRole('radio', { name: rule }).check();
      await page.getByRole('button', { name: /^Import \d plant/ }).waitFor();
      let tries = 0;
      await page.route(/import\?onConflict=\w+&dryRun=false$/, async (route) => {
        const response = await route.fetch();
        tries += 1;
        if (tries > (rule === 'Refuse the row' ? 3 : 1)) return route.fulfill({ response });
        await client.put(80n, { name: 'By someone else' });
        return route.abort();
      });
      await page.getByRole('button', { name: /^Import \d plant/ }).click();
      await page.getByText('The service is not responding.').waitFor();
      await page.getByText('The service is not responding.').waitFor({ state: 'hidden' });
      if (rule === 'Replace the plant') {
        await page
          .getByText('Import stopped. 0 plants were imported, and perhaps the next part of the file.')
          .waitFor();
        assert.equal((await client.get(80n))?.plant.name, 'By someone else');
        await page.getByRole('button', { name: 'Continue' }).click();
      }
      await page.getByRole('heading', { name: /^Import complete/ }).waitFor();
      assert.equal((await client.get(80n))?.plant.name, rule === 'Replace the plant' ? 'Imported' : 'By someone else');
    });
  }
});

describe('the export', () => {
  for (const [format, fileName, expected] of [
    ['CSV', 'plants.csv', 'id,name,tag\r\n-9007199254740993,Export me,out\r\n'],
    ['NDJSON', 'plants.ndjson', '{"id":-9007199254740993,"name":"Export me","tag":"out"}\n'],
  ] as const) {
    it(`saves what is filtered as ${format}, ids to the digit`, async (test) => {
      await client.put(-9007199254740993n, { name: 'Export me', tag: 'out' });
      await client.put(8n, { name: 'Not me' });
      const { page } = await openConsole(test, browser, service, { query: '?tag=out' });
      await page.getByRole('row', { name: 'Export me' }).waitFor();
      await page.getByRole('button', { name: 'Export' }).focus();
      await page.keyboard.press('Enter');
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: format }).press('Enter');
      const file = await download;
      assert.equal(file.suggestedFilename(), fileName);
      assert.equal(await readFile(await file.path(), 'utf8'), expected);
    });
  }

  it('says what is exported, and exports the selection', async (test) => {
    await client.put(-9007199254740993n, { name: 'Export me', tag: 'out' });
    await client.put(-9007199254740992n, { name: 'Line\nbreak "and" =formula', tag: 'out' });
    const { page } = await openConsole(test, browser, service);
    const menu = page.getByRole('menu', { name: 'Export' });
    await page.getByRole('button', { name: 'Export' }).click();
    await menu.getByRole('group', { name: /^All [\d,]+ plants$/ }).waitFor();
    await page.goto(`${service.url}/console?tag=out`);
    await page.getByRole('row', { name: 'Line' }).locator('.pick').click();
    await page.getByRole('button', { name: 'Export' }).click();
    await menu.getByRole('group', { name: '2 plants tagged “out”' }).waitFor();
    await page.getByRole('searchbox').fill('7');
    // The plant with this id is above the list, not in it.
    await page.getByRole('button', { name: 'Export' }).click();
    await menu.getByRole('group', { name: 'Plants matching “7” by name and tagged “out”' }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('row', { name: 'Line' }).waitFor();
    const files: string[] = [];
    for (const format of ['CSV', 'NDJSON']) {
      if (!(await menu.isVisible())) await page.getByRole('button', { name: 'Export' }).click();
      const download = page.waitForEvent('download');
      await menu
        .getByRole('group', { name: '1 selected plant' })
        .getByRole('menuitem', { name: format })
        .first()
        .click();
      files.push(await readFile(await (await download).path(), 'utf8'));
    }
    assert.deepEqual(files, [
      'id,name,tag\r\n-9007199254740992,"Line\nbreak ""and"" =formula",out\r\n',
      '{"id":-9007199254740992,"name":"Line\\nbreak \\"and\\" =formula","tag":"out"}\n',
    ]);
  });

  it('shows its progress without moving the toolbar', async (test) => {
    const { page } = await openConsole(test, browser, service);
    const places = (): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll('.list-head :is(h1, .search, .tag-filter, .button-main)')].map((each) => JSON.stringify(each.getBoundingClientRect()))`,
      );
    await page
      .locator('.count')
      .getByText(/^[\d,]+ plants$/)
      .waitFor();
    const before = await places();
    const answered = Promise.withResolvers<undefined>();
    await page.route('**/plants/export', async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    await page.getByRole('button', { name: 'Stop the export' }).getByText('0 %').waitFor();
    assert.deepEqual(await places(), before);
    answered.resolve(undefined);
    await page.getByText('Export complete').waitFor();
    assert.deepEqual(await places(), before);
  });

  it('has the focus in its menu as soon as the menu is visible', async (test) => {
    const { page } = await openConsole(test, browser, service);
    const button = page.getByRole('button', { name: 'Export' });
    await button.waitFor();
    const focused = await page.evaluate(`new Promise((resolve) => {
      const menu = document.querySelector('.menu-list');
      new MutationObserver(() => resolve(menu.contains(document.activeElement))).observe(menu, { attributes: true });
      document.querySelector('.button-menu').click();
    })`);
    assert.equal(focused, true);
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

  it('prints the selection in several sizes, never cutting an id', async (test) => {
    const page = await open(test);
    await page.getByText('2 labels of 63.5 × 38.1 mm on 1 sheet. 1 plant no longer exists').waitFor();
    for (const size of ['Small', 'Large', 'Stake', 'Medium']) {
      await page.getByRole('radio', { name: size }).check();
      assert.match(page.url(), new RegExp(`size=${size.toLowerCase()}`));
      assert.deepEqual(await page.locator('.label-id').allInnerTexts(), ids.split(','));
      assert.deepEqual(
        await page.evaluate(`[...document.querySelectorAll('.label')].flatMap((label) => {
        const outer = label.getBoundingClientRect();
        return [...label.querySelectorAll('.qr, .label-id, .label-tag')].filter((part) => {
          const inner = part.getBoundingClientRect();
          if (inner.width === 0) return false;
          const isOut = inner.left < outer.left || inner.right > outer.right + 0.5 || inner.top < outer.top - 0.5 || inner.bottom > outer.bottom + 0.5;
          return isOut || (part.matches('.label-id') && part.scrollWidth > part.clientWidth);
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
    await page.getByText('1 sheet. Limit: 500 labels, 3 left out. 499 plants no longer exist').waitFor();
    assert.ok(requests.length < 60, `${requests.length} requests`);
  });

  it('are read again after a failure', async (test) => {
    const query = `?view=labels&ids=${ids}`;
    const { page } = await openConsole(test, browser, service, { query: '?view=plants', statuses: [500] });
    await page.route('**/plants/*', (route) => route.fulfill({ status: 500 }));
    await page.goto(`${service.url}/console${query}`);
    await page.getByText('Could not load the plants.').waitFor();
    await page.unroute('**/plants/*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('2 labels of').waitFor();
  });

  it('stay out of the links to other views', async (test) => {
    const page = await open(test);
    await page.getByRole('navigation', { name: 'Tags' }).getByRole('link', { name: 'houseplant' }).click();
    await page.getByRole('row', { name: 'Calathea' }).waitFor();
    assert.match(page.url(), /\/console\?tag=houseplant$/);
  });

  it('opens the plant with its QR code, at an address that can be set', async (test) => {
    const page = await open(test);
    await page.locator('svg.qr').nth(1).waitFor();
    assert.deepEqual(
      await readCodes(page),
      ids.split(',').map((id) => `${service.url}/console?plant=${id}`),
    );
    const address = page.getByLabel('Address in the QR code');
    await address.fill('plants.example');
    await page.getByText('Enter an address that starts with http:// or https://').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Print' }).isDisabled(), true);
    assert.equal(await page.locator('svg.qr').count(), 0);
    // Nine characters each in an address: more than a code can have.
    await address.fill(`https://plants.example/${'花'.repeat(300)}`);
    await page.getByText('fits into a QR code').waitFor();
    await address.fill('https://plants.example/shop/console?lang=en');
    await page.reload();
    await page.locator('svg.qr').nth(1).waitFor();
    assert.deepEqual(
      await readCodes(page),
      ids.split(',').map((id) => `https://plants.example/shop/console?lang=en&plant=${id}`),
    );
  });
});

/** The text of each QR code, read from its pixels. */
async function readCodes(page: Page): Promise<(string | undefined)[]> {
  const images = await page.evaluate<{ width: number; pixels: string }[]>(`Promise.all(
    [...document.querySelectorAll('svg.qr')].map(async (svg) => {
      const width = svg.viewBox.baseVal.width * 4;
      const copy = svg.cloneNode(true);
      for (const name of ['width', 'height']) copy.setAttribute(name, width);
      const image = new Image();
      image.src = 'data:image/svg+xml,' + encodeURIComponent(new XMLSerializer().serializeToString(copy));
      await image.decode();
      const context = new OffscreenCanvas(width, width).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, width, width);
      return { width, pixels: Array.from({ length: width * width }, (_, at) => (data[4 * at] === 0 ? '#' : ' ')).join('') };
    }),
  )`);
  return images.map(({ width, pixels }) => {
    const rgba = Uint8ClampedArray.from([...pixels].flatMap((pixel) => Array<number>(4).fill(pixel === '#' ? 0 : 255)));
    return qrReader.default(rgba, width, width)?.data;
  });
}
