/** Searching, adding, editing and deleting plants in the console. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
const client = new PlantClient({ url: service.url, token: service.token });
const big = 9007199254740993n;

/** Replaces everything that is stored. */
async function hold(...plants: { id: bigint; name: string; tag?: string }[]): Promise<void> {
  for await (const { id } of client.list()) await client.delete(id);
  for (const plant of plants) await client.create(plant);
}

const rows = (page: Page) => page.getByRole('grid').locator('.grid-slice').getByRole('row');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });

describe('a token', () => {
  it('that can only read shows what it allows, and why not the rest', async (test) => {
    await hold({ id: 1n, name: 'Aloe' });
    const { token } = await createToken(service, ['plants:read']);
    const { page } = await openConsole(test, browser, service, { token, statuses: [403] });
    await row(page, 'Aloe').click();
    await page.getByText('Read only: this token does not have the scope').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
    assert.ok(await page.getByRole('button', { name: 'needs the scope plants:write' }).isDisabled());
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'This token cannot import plants' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('needs the scope plants:write').waitFor();
  });

  it('that can only write adds plants', async (test) => {
    await hold();
    const { token } = await createToken(service, ['plants:write']);
    const { page } = await openConsole(test, browser, service, { token, statuses: [403] });
    await page.getByRole('heading', { name: 'This token cannot read plants' }).waitFor();
    await page.getByRole('button', { name: 'New plant' }).click();
    await page.getByLabel('Id', { exact: true }).fill('5');
    await page.getByLabel('Name', { exact: true }).fill('Ivy');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('“Ivy” added.').waitFor();
    assert.equal((await client.get(5n))?.plant.name, 'Ivy');
    // The token cannot open it.
    assert.deepEqual(await page.locator('.toast-action').allInnerTexts(), ['Add another']);
  });
});

describe('the list', () => {
  it('shows every id to the digit, and any text as text', async (test) => {
    const names = ['<img src=x onerror=alert(1)>', '', ' spaces ', '\u202Ebackwards', '👩‍🌾 grower', 'line\nbreak'];
    await hold(
      { id: big, name: 'Big', tag: 'int64' },
      { id: -9223372036854775808n, name: 'Least' },
      { id: 9223372036854775807n, name: 'Most' },
      ...names.map((name, at) => ({ id: BigInt(at), name })),
    );
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Most').waitFor();
    const ids = await rows(page).locator('.cell-id').allTextContents();
    assert.deepEqual(ids, ['-9223372036854775808', '0', '1', '2', '3', '4', '5', String(big), '9223372036854775807']);
    assert.deepEqual(await rows(page).locator('.cell-name').allTextContents(), [
      'Least',
      ...names.map((name) => (name === '' ? 'no name' : name.replace('\n', '↵'))),
      'Big',
      'Most',
    ]);
    await page.locator('.count').getByText('9 plants', { exact: true }).waitFor();
  });

  it('searches while typing, drops stale responses, and keeps the search in the address', async (test) => {
    await hold(
      { id: 1n, name: 'Monstera', tag: 'climber' },
      { id: 2n, name: 'Móntana' },
      { id: 3n, name: 'Aloe' },
      { id: 77n, name: '77 sunsets' },
    );
    const { page, requests } = await openConsole(test, browser, service, { statuses: [404] });
    await row(page, 'Aloe').waitFor();
    let held = 0;
    await page.route('**/plants?*name=mo&*', async (route) => {
      held++;
      await new Promise((resolve) => setTimeout(resolve, 800));
      await route.continue().catch(() => undefined);
    });
    const search = page.getByRole('searchbox');
    const asked = page.waitForRequest((request) => request.url().includes('name=mo'));
    await search.pressSequentially('mo', { delay: 5 });
    await asked;
    await search.pressSequentially('ns', { delay: 5 });
    await page.locator('.count').getByText('1 plant', { exact: true }).waitFor();
    assert.deepEqual(await rows(page).locator('.cell-name').allTextContents(), ['Monstera']);
    assert.ok(requests.filter((url) => url.includes('name=')).length <= 4, 'not every letter is a request');
    assert.ok(held <= 1);
    assert.match(page.url(), /\?search=mons$/);
    await page.reload();
    await row(page, 'Monstera').waitFor();
    assert.equal(await rows(page).count(), 1);
    await page.goBack();
    await row(page, 'Aloe').waitFor();
    assert.equal(await search.inputValue(), '');
    await search.fill('77');
    await page.getByRole('button', { name: 'Id 77' }).waitFor();
    await search.fill('zzz');
    await page.getByRole('heading', { name: 'No results for “zzz”' }).waitFor();
    await page.getByRole('button', { name: 'Show all plants' }).click();
    await row(page, 'Aloe').waitFor();
  });

  it('filters by a tag that it suggests', async (test) => {
    await hold(
      { id: 1n, name: 'Monstera', tag: 'climber' },
      { id: 2n, name: 'Hoya', tag: 'climber' },
      { id: 3n, name: 'Mint', tag: 'herb' },
    );
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Mint').waitFor();
    await page.getByRole('combobox', { name: 'Only plants with this tag' }).fill('CLI');
    await page.getByRole('option', { name: 'climber 2 plants' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.count').getByText('2 plants', { exact: true }).waitFor();
    assert.match(page.url(), /\?tag=climber$/);
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await row(page, 'Mint').waitFor();
  });
});

describe('adding, editing and deleting', () => {
  it('adds a plant by keyboard alone, with an id that a double would round', async (test) => {
    await hold({ id: 1n, name: 'Aloe', tag: 'succulent' });
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Aloe').waitFor();
    await page.getByRole('button', { name: 'New plant' }).focus();
    await page.keyboard.press('Enter');
    await waitUntil(page, 'document.activeElement.tagName === "TEXTAREA"');
    await page.keyboard.type('Jade');
    await page.keyboard.press('Tab');
    await page.keyboard.type('succ');
    await page.getByRole('option').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await waitUntil(page, 'document.activeElement.inputMode === "numeric"');
    await page.keyboard.press('Control+a');
    await page.keyboard.type(String(big));
    await page.keyboard.press('Enter');
    await row(page, 'Jade').waitFor();
    assert.deepEqual((await client.get(big))?.plant, { id: big, name: 'Jade', tag: 'succulent' });
    assert.equal(await client.get(big - 1n), undefined);
  });

  it('says below the field that an id is in use, or is not one', async (test) => {
    await hold({ id: 7n, name: 'Aloe' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=new', statuses: [409] });
    const id = page.getByLabel('Id', { exact: true });
    await page.getByLabel('Name', { exact: true }).fill('Mint');
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Mint');
    for (const [text, error] of [
      ['', 'Enter an id'],
      ['7.5', 'must be a whole number'],
      ['9223372036854775808', 'must be from -9223372036854775808'],
      ['7', 'The id 7 is already in use.'],
    ] as const) {
      await id.fill(text);
      await page.getByRole('button', { name: 'Add plant' }).click();
      await page.getByText(error).waitFor();
      assert.equal(await id.getAttribute('aria-invalid'), 'true');
    }
    await page.getByRole('button', { name: 'Open “Aloe”' }).click();
    await page.getByRole('heading', { name: 'Aloe', exact: true }).waitFor();
    assert.match(page.url(), /plant=7$/);
    await page.goBack();
    await waitUntil(page, 'document.querySelector("textarea")?.value === "Mint"');
  });

  it('writes only the members that were edited, and keeps odd line ends', async (test) => {
    await hold({ id: 7n, name: 'first\r\nsecond', tag: '' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=7' });
    const save = page.getByRole('button', { name: 'Save' });
    await save.waitFor();
    assert.ok(await save.isDisabled());
    await page.getByLabel('Tag', { exact: true }).fill('herb');
    await save.click();
    await page.getByText('saved.').waitFor();
    assert.deepEqual((await client.get(7n))?.plant, { id: 7n, name: 'first\r\nsecond', tag: 'herb' });
  });

  it('deletes with Undo, and asks when someone else changed the plant', async (test) => {
    await hold({ id: big, name: 'Aloe', tag: 'herb' });
    const { page } = await openConsole(test, browser, service, { statuses: [412, 404] });
    await row(page, 'Aloe').click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('“Aloe” deleted').waitFor();
    assert.equal(await client.get(big), undefined);
    assert.equal(await row(page, 'Aloe').count(), 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Aloe').waitFor();
    assert.deepEqual((await client.get(big))?.plant, { id: big, name: 'Aloe', tag: 'herb' });
    await row(page, 'Aloe').click();
    await page.getByLabel('Name', { exact: true }).waitFor();
    await client.put(big, { name: 'Changed' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByText('Changed', { exact: true }).waitFor();
    assert.equal((await client.get(big))?.plant.name, 'Changed');
    await page.getByRole('button', { name: 'Delete anyway' }).click();
    await page.getByText('“Changed” deleted').waitFor();
    assert.equal(await client.get(big), undefined);
  });

  it('selects plants with keys and by touch, deletes them together, and restores them', async (test) => {
    await hold(...Array.from({ length: 12 }, (_, at) => ({ id: BigInt(at), name: `Fern ${at}`, tag: 'fern' })));
    const { page } = await openConsole(test, browser, service, { hasTouch: true, statuses: [404] });
    await row(page, 'Fern 3').waitFor();
    await row(page, 'Fern 0').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Space');
    await row(page, 'Fern 5').locator('.pick').tap();
    await page.getByText('4 selected').waitFor();
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('4 plants deleted').waitFor();
    assert.equal(await client.count(), 8n);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('4 plants restored.').waitFor();
    assert.equal(await client.count(), 12n);
  });
});
