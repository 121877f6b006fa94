/** The service stops responding and comes back: nothing typed is lost, and everything continues by itself. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { startProcess } from '../support/start-process.ts';
import { openBrowser, openConsole, signIn, waitUntil } from './open-console.ts';

const folder = await mkdtemp(join(tmpdir(), 'plant-store-away-'));
const dataDir = join(folder, 'data');
/** A service that a test starts must outlive that test. */
const cleanups: (() => Promise<void>)[] = [];
const file = { after: (callback: () => Promise<void>) => void cleanups.push(callback) };
after(async () => {
  for (const cleanup of cleanups) await cleanup();
  await rm(folder, { recursive: true });
});
let service = await startProcess(file, { dataDir });
async function restart(): Promise<void> {
  service = await startProcess(file, { dataDir, env: { PORT: String(service.port) } });
}
const browser = await openBrowser({ after });
const client = new PlantClient({ url: service.url, token: service.token });

describe('while the service is not responding', () => {
  it('says so, keeps the form, and saves it as soon as the service responds', async (test) => {
    const { page, expectSilence } = await openConsole(test, browser, service, { query: '?plant=new' });
    expectSilence();
    await page.getByLabel('Id', { exact: true }).fill('9007199254740993');
    await page.getByLabel('Name', { exact: true }).fill('Hoya');
    await service.kill();
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('The service is not responding.', { exact: true }).waitFor();
    await page.getByText('Not saved yet').waitFor();
    await page.keyboard.press('Escape');
    const toast = page.locator('.toast-bad', { hasText: '“Hoya” may not be saved. The service is not responding.' });
    await toast.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('Not saved yet').waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Hoya');
    await restart();
    await page.getByText('“Hoya” added.').waitFor();
    assert.equal((await client.get(9007199254740993n))?.plant.name, 'Hoya');
    await page.getByText('The service is not responding.', { exact: true }).waitFor({ state: 'hidden' });
  });

  it('keeps what was typed over a reload, until it is saved or discarded', async (test) => {
    await client.put(1n, { name: 'Aloe' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=1' });
    await page.getByLabel('Name', { exact: true }).fill('Aloe vera');
    await page.reload();
    await page.getByText('You have unsaved changes from earlier.').waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Aloe vera');
    await page.getByRole('button', { name: 'Discard' }).click();
    await waitUntil(page, '[...document.querySelectorAll("textarea")].some((area) => area.value === "Aloe")');
    assert.equal(await page.evaluate('Object.keys(sessionStorage).filter((key) => key.includes("draft")).length'), 0);
  });

  it('detects a change by someone else after a reload, too', async (test) => {
    await client.put(2n, { name: 'Fern' });
    const { page } = await openConsole(test, browser, service, { query: '?plant=2', statuses: [412] });
    await page.getByLabel('Name', { exact: true }).fill('Fern, mine');
    await client.put(2n, { name: 'Fern, theirs' });
    await page.reload();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alertdialog').getByText('Fern, theirs').waitFor();
    assert.equal((await client.get(2n))?.plant.name, 'Fern, theirs');
  });

  it('asks for a new token when the old one is invalid, and keeps the form', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?plant=new', statuses: [401] });
    await page.getByLabel('Id', { exact: true }).fill('5');
    await page.getByLabel('Name', { exact: true }).fill('Ivy');
    await page.route('**/plants', (route) =>
      route.fulfill({
        status: 401,
        contentType: 'application/json',
        body: '{"error":40102,"message":"Cannot authenticate"}',
      }),
    );
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('The token is no longer valid.').waitFor();
    await page.unrouteAll();
    await signIn(page, service.token);
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Ivy');
    await page.getByRole('button', { name: 'Add plant' }).click();
    await page.getByText('“Ivy” added.').waitFor();
  });

  it('shows one button, no list that loads forever, and the list by itself afterwards', async (test) => {
    const { page, expectSilence } = await openConsole(test, browser, service);
    expectSilence();
    await page.getByRole('row', { name: 'Fern' }).waitFor();
    await service.kill();
    await page.getByRole('searchbox').fill('Al');
    await page.getByRole('heading', { name: 'Offline' }).waitFor();
    assert.deepEqual(await page.getByRole('button', { name: /try/i }).allTextContents(), ['Try now']);
    assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /Failed to fetch|Loading|Looking/);
    await restart();
    await page.getByRole('row', { name: 'Aloe' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Offline' }).count(), 0);
  });

  it('finds an id that was typed meanwhile, and counts the tags, afterwards', async (test) => {
    await client.put(30n, { name: 'Hoya', tag: 'hanging' });
    await client.put(31n, { name: 'Begonia', tag: 'hanging' });
    const { page, expectSilence } = await openConsole(test, browser, service, { statuses: [404] });
    expectSilence();
    await page.getByRole('link', { name: 'hanging 2' }).waitFor();
    await page.route('**/tags*', (route) => route.abort());
    await page.getByLabel('Select Begonia').check();
    await page.locator('.selection-bar').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The service is not responding.', { exact: true }).waitFor();
    await service.kill();
    await page.unrouteAll();
    await page.getByRole('searchbox').fill('30');
    await page.getByRole('heading', { name: 'Offline' }).waitFor();
    await restart();
    await page.getByRole('link', { name: 'hanging 1' }).waitFor();
    await page.getByText('Id 30').waitFor();
    await page.getByRole('searchbox').fill('33');
    await page.getByRole('heading', { name: 'No results for “33”' }).waitFor();
    await client.put(33n, { name: 'Palm' });
    await page.getByText('Id 33').waitFor();
  });

  it('shows the tags as soon as the service responds', async (test) => {
    await client.put(3n, { name: 'Monstera', tag: 'climber' });
    const { page, expectSilence } = await openConsole(test, browser, service);
    expectSilence();
    await page.route('**/tags*', (route) => route.abort());
    await page.reload();
    await page.getByText('Offline').first().waitFor();
    await page.unrouteAll();
    await page.getByRole('navigation', { name: 'Tags' }).getByRole('link', { name: 'climber' }).waitFor();
  });
});
