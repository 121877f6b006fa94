/** The documentation page in a real browser: what it shows and sends is exact, it asks nobody else, and it keeps no token. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { errors } from '../../src/domain/error-registry.ts';
import { postPlant, request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser } from '../console/open-console.ts';
import { goToOperation, openDocs, openForm, send } from './open-docs.ts';

/** One more than the first integer that a double rounds. */
const largeId = 9007199254740993n;

const browser = await openBrowser({ after });
const service = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: '/api/v1' } });
const { page, requests, complaints } = await openDocs(browser, service.url);

describe('the page', () => {
  it('reads the description below the base path', async () => {
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Plant Store');
    assert.ok(requests.includes(`${service.url}/openapi.json`));
    assert.equal(await page.getByText(service.url, { exact: true }).first().isVisible(), true);
    const download = page.getByRole('link', { name: /Download/ });
    assert.equal(await download.getAttribute('href'), `${service.url}/openapi.json`);
  });

  it('tells every error with its number, meaning and remedy', async () => {
    const text = await page.locator('main').innerText();
    for (const [code, { number, meaning, remedy }] of Object.entries(errors)) {
      for (const part of [String(number), meaning, remedy]) assert.ok(text.includes(part), `${code}: ${part}`);
    }
  });

  it('shows the bounds and the examples of ids digit for digit', async () => {
    const operation = await goToOperation(page, 'Create a plant');
    await operation.getByText('Identification number of the plant').first().waitFor();
    const text = await operation.innerText();
    assert.match(text, /From\s+-9223372036854775808\s+to\s+9223372036854775807/);
    assert.doesNotMatch(text, /922337203685477600|min:|max:/);
    await operation
      .getByRole('button', { name: /A plant with a tag/ })
      .first()
      .click();
    await page.getByRole('option', { name: /would round/ }).click();
    await operation.getByText(String(largeId)).first().waitFor();
  });

  it('has samples that keep every digit, and hides the clients that would not', async () => {
    const operation = await goToOperation(page, 'Create a plant');
    const picker = operation.getByTestId('client-picker');
    const wrong: string[] = [];
    let clients = 1;
    for (let index = 0; index < clients; index += 1) {
      await picker.click();
      const options = page.getByRole('option');
      clients = await options.count();
      await options.nth(index).click();
      const sample = await operation.locator('pre').first().innerText();
      if (!new RegExp(`\\b${largeId}\\b`).test(sample)) wrong.push(`${await picker.innerText()}: ${sample}`);
    }
    assert.ok(clients >= 8, `${clients} clients`);
    assert.deepEqual(wrong, []);
  });
});

describe('a request that is tried', () => {
  it('sends the digits of the body as they are written, with the token', async () => {
    await tokenField().fill(service.token);
    const form = await openForm(page, await goToOperation(page, 'Create a plant'));
    const body = `{"id": ${largeId}, "name": "Lotus"}`;
    await form.locator('.cm-content').filter({ hasText: '"name"' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(body);
    const tried = await send(page, form, '/api/v1/plants');
    assert.deepEqual([tried.body, tried.answer], [body, '{"name":"Lotus"}']);
    const stored = await request(service, { path: `/plants/${largeId}` });
    assert.equal(stored.text, `{"id":${largeId},"name":"Lotus"}`);
    await page.getByRole('button', { name: 'Close Client' }).click();
  });

  it('takes the digits of a path, and shows those of the answer', async () => {
    const id = -9007199254740995n;
    assert.equal((await postPlant(service, { id, name: 'Agave' })).status, 200);
    const form = await openForm(page, await goToOperation(page, 'Read a plant'));
    await form.getByRole('combobox').filter({ hasText: /^7$/ }).fill(String(id));
    const tried = await send(page, form, '/api/v1/plants/');
    assert.equal(new URL(tried.url).pathname, `/api/v1/plants/${id}`);
    const shown = form.locator('.cm-content').filter({ hasText: 'Agave' });
    assert.match(await shown.innerText(), new RegExp(`"id": ${id},`));
    await page.getByRole('button', { name: 'Close Client' }).click();
  });
});

describe('after all that', () => {
  it('has asked nobody but the service, and met its policy', () => {
    assert.ok(requests.length >= 7, requests.join('\n'));
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(`${service.url}/`) && !/^(?:data|blob):/.test(url)),
      [],
    );
    assert.deepEqual(complaints, []);
  });

  it('has put the token nowhere', async () => {
    const { cookies, origins } = await page.context().storageState({ indexedDB: true });
    const tab = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    assert.ok(!(JSON.stringify([cookies, origins]) + tab + page.url()).includes(service.token));
    await page.reload();
    assert.equal(await tokenField().inputValue(), '');
  });

  it('keeps the token for as long as the person says so', async () => {
    const choice = page.getByLabel('Keep the token in this browser');
    await tokenField().fill(service.token);
    await choice.check();
    await page.waitForFunction((token) => JSON.stringify({ ...localStorage }).includes(token), service.token);
    await page.reload();
    await page.waitForFunction((token) => {
      const { document } = globalThis as unknown as {
        document: { querySelector: (selector: string) => { value: string } | null };
      };
      return document.querySelector('input[placeholder="Token"]')?.value === token;
    }, service.token);
    await choice.uncheck();
    assert.ok(!(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).includes(service.token));
    await page.reload();
    assert.equal(await tokenField().inputValue(), '');
    assert.equal(await choice.isChecked(), false);
  });
});

function tokenField(): Locator {
  return page.getByPlaceholder('Token').first();
}
