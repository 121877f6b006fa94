/** The service stops responding and comes back: nothing typed is lost, and everything continues by itself. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { runCli } from '../cli/run-cli.ts';
import { makeFolder } from '../support/clean-up.ts';
import { findFreePort } from '../support/find-free-port.ts';
import { startProcess } from '../support/start-process.ts';
import { openBrowser, openConsole } from './open-console.ts';

/** Ends with the file: a service that a test starts outlives that test. */
const file = { after };
const folder = await makeFolder(file);
const options = { dataDir: join(folder, 'data'), env: { PORT: String(await findFreePort()) } };
let service = await startProcess(file, options);
async function restart(): Promise<void> {
  service = await startProcess(file, options);
}
const browser = await openBrowser();
const client = new PlantClient({ url: service.url, token: service.token });

/** Returns the page, on which the form waits for the service. */
async function editRowWhileAway(test: TestContext): Promise<Page> {
  await client.put(3n, { name: 'Moss' });
  const { page, expectSilence } = await openConsole(test, browser, service);
  expectSilence();
  await page.getByRole('row', { name: 'Moss' }).focus();
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Name' }).fill('Lichen');
  await service.kill();
  await page.keyboard.press('Enter');
  await page.getByRole('complementary').getByText('“Lichen” is not saved yet').waitFor();
  return page;
}

async function assertSavedWhenBack(page: Page): Promise<void> {
  await restart();
  await page.getByText('“Lichen” saved.').waitFor();
  assert.equal((await client.get(3n))?.plant.name, 'Lichen');
}

describe('while the service is not responding', () => {
  it('says so, keeps the form, and saves it as soon as the service responds', async (test) => {
    const { page, expectSilence } = await openConsole(test, browser, service, { query: '?plant=new' });
    expectSilence();
    // The proposed id, which comes while a test types, would be part of what is typed.
    const id = page.getByLabel('Id', { exact: true });
    while ((await id.inputValue()) === '') await page.waitForTimeout(20);
    await id.fill('9007199254740993');
    await page.getByLabel('Name', { exact: true }).fill('Hoya');
    await service.kill();
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('The service is not responding.', { exact: true }).waitFor();
    await page.getByText('“Hoya” is not saved yet').waitFor();
    await page.keyboard.press('Escape');
    const toast = page.locator('.toast-bad', {
      hasText: /^“Hoya” may not be saved yet\. .* It will be saved automatically\./,
    });
    await toast.getByRole('button', { name: 'Open' }).click();
    // Opened again, it still waits.
    await page.getByText('“Hoya” is not saved yet').waitFor();
    // Without the page it would not be saved.
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    assert.equal((await asked).type(), 'beforeunload');
    await (await asked).dismiss();
    await restart();
    await page.getByText('“Hoya” added.').waitFor();
    assert.equal((await client.get(9007199254740993n))?.plant.name, 'Hoya');
    await page.getByText('The service is not responding.', { exact: true }).waitFor({ state: 'hidden' });
  });

  it('hands what was edited in a row to the form, which saves it as soon as the service responds', async (test) => {
    const page = await editRowWhileAway(test);
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Lichen');
    await assertSavedWhenBack(page);
  });

  it('saves what waits from any page, also when its form was closed', async (test) => {
    const page = await editRowWhileAway(test);
    await page.getByRole('link', { name: 'Tags' }).click();
    await page.getByRole('heading', { name: 'Tags', exact: true }).waitFor();
    const note = page.getByText('“Lichen” may not be saved yet.');
    await note.waitFor();
    await assertSavedWhenBack(page);
    // The note stays as long as it is true.
    await note.waitFor({ state: 'detached' });
  });

  it('says afterwards that a batch has done nothing, and offers to try again, but no Undo', async (test) => {
    for (const id of [1n, 2n, 3n]) await client.put(id, { name: `Moss ${id}` });
    const { page, expectSilence } = await openConsole(test, browser, service);
    expectSilence();
    for (const id of [1, 2])
      await page
        .getByRole('row', { name: `Moss ${id}` })
        .locator('.pick')
        .click();
    await service.kill();
    await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
    const toast = page.locator('.toast-bad');
    await toast
      .getByText('Deleting was interrupted. You can continue when the service responds.', { exact: true })
      .waitFor();
    assert.equal(await toast.getByRole('button').count(), 1, 'to dismiss it');
    await restart();
    await toast.getByText('Deleting was interrupted. Nothing was deleted.', { exact: true }).waitFor();
    assert.equal(await toast.getByRole('button', { name: 'Undo' }).count(), 0);
    await toast.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('2 plants deleted').waitFor();
    assert.deepEqual([await client.get(1n), await client.get(2n)], [undefined, undefined]);
  });

  it('says that it is not responding only as long as that is so', async (test) => {
    await client.put(3n, { name: 'Moss' });
    const { page, expectSilence } = await openConsole(test, browser, service, { query: '?plant=3' });
    expectSilence();
    const press = page.getByRole('button', { name: 'Delete', exact: true });
    await press.waitFor();
    await service.kill();
    await press.click();
    const toast = page.locator('.toast-bad');
    await toast.getByText('Deleting “Moss” was interrupted. The service is not responding.', { exact: true }).waitFor();
    await restart();
    await toast.getByText('Deleting “Moss” was interrupted.', { exact: true }).waitFor();
  });

  it('leaves the list readable and searchable, with one button, and follows it by itself afterwards', async (test) => {
    await client.put(1n, { name: 'Aloe' });
    await client.put(2n, { name: 'Fern' });
    const { page, expectSilence } = await openConsole(test, browser, service);
    expectSilence();
    // Rows are shown before it is known that they are all.
    await page
      .locator('.count')
      .getByText(/^\d plants$/)
      .waitFor();
    await service.kill();
    await page.getByText('The service is not responding.', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('loe');
    await page.getByRole('row', { name: 'Fern' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'Aloe' }).waitFor();
    await page.locator('.count').getByText('1 plant', { exact: true }).waitFor();
    assert.deepEqual(await page.getByRole('button', { name: /try/i }).allTextContents(), ['Try now']);
    assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /Failed to fetch|Loading|Looking/);
    await restart();
    await client.put(1n, { name: 'Alocasia' });
    await page.getByRole('row', { name: 'Alocasia' }).waitFor();
  });

  it('says so although nobody touches it, and then shows the store that was restored meanwhile', async (test) => {
    await client.put(1n, { name: 'Aloe' });
    const backup = join(folder, 'backup.db');
    assert.equal((await runCli(['backup', backup, '--data-dir', options.dataDir])).code, 0);
    await client.put(1n, { name: 'Agave' });
    const { page, expectSilence } = await openConsole(test, browser, service, { statuses: [410] });
    expectSilence();
    await page.getByRole('row', { name: 'Agave' }).waitFor();
    await service.kill();
    await page.getByText('The service is not responding.', { exact: true }).waitFor();
    assert.equal((await runCli(['restore', backup, '--force', '--data-dir', options.dataDir])).code, 0);
    await restart();
    await page.getByRole('row', { name: 'Aloe' }).waitFor();
  });
});
