/** Signing in, looking, searching, making, changing and deleting plants, as a person does it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, signIn, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
const client = new PlantClient({ url: service.url, token: service.token });
const big = 9007199254740993n;

/** Makes the store hold exactly these. */
async function hold(...plants: { id: bigint; name: string; tag?: string }[]): Promise<void> {
  for await (const { id } of client.list()) await client.delete(id);
  for (const plant of plants) await client.create(plant);
}

const rows = (page: Page) => page.getByRole('grid').locator('.grid-body').getByRole('row');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });

describe('signing in', () => {
  it('says what is wrong with a token, and never puts it into the address', async (test) => {
    const { page } = await openConsole(test, browser, service, { token: null, statuses: [401] });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Enter a token.').waitFor();
    await page.getByLabel('Token').fill('no such token');
    await page.keyboard.press('Enter');
    await page.getByText('This cannot be a token').waitFor();
    await page.getByLabel('Token').fill('no-such-token');
    await page.keyboard.press('Enter');
    await page.getByText('The service does not know this token.').waitFor();
    await page.getByLabel('Token').fill(service.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plants', exact: true }).waitFor();
    assert.equal(page.url(), `${service.url}/console`);
  });

  it('forgets the token on reload unless asked to keep it, and on signing out', async (test) => {
    const { page } = await openConsole(test, browser, service, { token: null });
    await page.getByLabel('Token').fill(service.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plants', exact: true }).waitFor();
    await page.reload();
    await signIn(page, service.token);
    await page.reload();
    await page.getByRole('link', { name: 'Session' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    assert.equal(
      await page.evaluate('JSON.stringify([Object.values(sessionStorage), Object.values(localStorage)])'),
      '[[],[]]',
    );
  });

  it('shows what a token may do, and why not the rest', async (test) => {
    await hold({ id: 1n, name: 'Aloe' });
    const { token } = await createToken(service, ['plants:read']);
    const { page } = await openConsole(test, browser, service, { token, statuses: [403] });
    await row(page, 'Aloe').click();
    await page.getByText('Read only: this token lacks the scope').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
    assert.ok(await page.getByRole('button', { name: 'lacks the scope plants:write' }).isDisabled());
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'This token may not import plants' }).waitFor();
    await page.getByRole('link', { name: 'Session' }).click();
    await page.getByText('lacks plants:write').waitFor();
  });

  it('lets a token that may only write make plants', async (test) => {
    await hold();
    const { token } = await createToken(service, ['plants:write']);
    const { page } = await openConsole(test, browser, service, { token, statuses: [403] });
    await page.getByRole('heading', { name: 'This token may not read plants' }).waitFor();
    await page.getByRole('button', { name: 'New plant' }).click();
    await page.getByLabel('Id', { exact: true }).fill('5');
    await page.getByLabel('Name', { exact: true }).fill('Ivy');
    await page.getByRole('button', { name: 'Store plant' }).click();
    await page.getByText('“Ivy” stored.').waitFor();
    assert.equal((await client.get(5n))?.plant.name, 'Ivy');
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
      ...names.map((name) => (name === '' ? 'no name' : name)),
      'Big',
      'Most',
    ]);
    await page.getByText('9 plants', { exact: true }).waitFor();
  });

  it('searches as somebody types, drops stale answers, and keeps it in an address that survives reload and going back', async (test) => {
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
    await search.pressSequentially('mo', { delay: 5 });
    await page.waitForRequest((request) => request.url().includes('name=mo'));
    await search.pressSequentially('ns', { delay: 5 });
    await page.getByText('1 plant', { exact: true }).waitFor();
    assert.deepEqual(await rows(page).locator('.cell-name').allTextContents(), ['Monstera']);
    assert.ok(requests.filter((url) => url.includes('name=')).length <= 4, 'typing is not asked letter by letter');
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
    await page.getByRole('heading', { name: 'No plant fits' }).waitFor();
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
    await page.getByRole('option', { name: 'climber 2' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('2 plants', { exact: true }).waitFor();
    assert.match(page.url(), /\?tag=climber$/);
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await row(page, 'Mint').waitFor();
  });
});

describe('making, changing and deleting', () => {
  it('makes a plant by keyboard alone, with an id beyond what a double holds', async (test) => {
    await hold({ id: 1n, name: 'Aloe', tag: 'succulent' });
    const { page } = await openConsole(test, browser, service);
    await row(page, 'Aloe').waitFor();
    await page.getByRole('button', { name: 'New plant' }).focus();
    await page.keyboard.press('Enter');
    await waitUntil(page, 'document.activeElement.inputMode === "numeric"');
    await page.keyboard.type(String(big));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Jade');
    await page.keyboard.press('Tab');
    await page.keyboard.type('succ');
    await page.getByRole('option').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await row(page, 'Jade').waitFor();
    assert.deepEqual((await client.get(big))?.plant, { id: big, name: 'Jade', tag: 'succulent' });
    assert.equal(await client.get(big - 1n), undefined);
  });

  it('says beside the field that an id is taken, or is none', async (test) => {
    await hold({ id: 7n, name: 'Aloe' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=new', statuses: [409] });
    const id = page.getByLabel('Id', { exact: true });
    await page.getByLabel('Name', { exact: true }).fill('Mint');
    for (const [text, fault] of [
      ['', 'Enter an id'],
      ['7.5', 'must be a whole number'],
      ['9223372036854775808', 'must be from -9223372036854775808'],
      ['7', 'The id 7 belongs to another plant.'],
    ] as const) {
      await id.fill(text);
      await page.getByRole('button', { name: 'Store plant' }).click();
      await page.getByText(fault).waitFor();
      assert.equal(await id.getAttribute('aria-invalid'), 'true');
    }
    await page.getByRole('button', { name: 'Open “Aloe”' }).click();
    await page.getByRole('heading', { name: 'Plant', exact: true }).waitFor();
    assert.match(page.url(), /plant=7$/);
    await page.goBack();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Mint');
  });

  it('changes only what was changed, and keeps an empty tag and odd line ends as they were', async (test) => {
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

  it('shows both versions of a plant that somebody else changed, and lets choose', async (test) => {
    await hold({ id: 7n, name: 'Aloe' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=7', statuses: [412, 404] });
    const name = page.getByLabel('Name', { exact: true });
    for (const choice of ['Keep mine', 'Take the stored one'] as const) {
      await name.fill(`mine, ${choice}`);
      await client.put(7n, { name: `theirs, ${choice}`, tag: 'tree' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alertdialog').waitFor();
      await page.getByRole('alertdialog').getByText(`theirs, ${choice}`).waitFor();
      await page.getByRole('alertdialog').getByText(`mine, ${choice}`).waitFor();
      await page.getByRole('button', { name: choice }).click();
      if (choice === 'Keep mine') {
        await page.getByText('saved.').waitFor();
        assert.deepEqual((await client.get(7n))?.plant, { id: 7n, name: 'mine, Keep mine' });
        await row(page, 'mine').click();
      } else {
        await name.waitFor();
        assert.equal(await name.inputValue(), `theirs, ${choice}`);
      }
    }
    await name.fill('still here');
    await client.delete(7n);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody deleted this plant').waitFor();
    await page.getByRole('button', { name: 'Store mine again' }).click();
    await page.getByText('stored.').waitFor();
    assert.equal((await client.get(7n))?.plant.name, 'still here');
  });

  it('deletes with a way back, and not what somebody changed meanwhile', async (test) => {
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
    await page.getByRole('button', { name: 'Delete it anyway' }).click();
    await page.getByText('“Changed” deleted').waitFor();
    assert.equal(await client.get(big), undefined);
  });

  it('picks plants with keys and by touch, deletes them together, and brings them back', async (test) => {
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
    await page.getByText('4 plants are back.').waitFor();
    assert.equal(await client.count(), 12n);
  });
});
