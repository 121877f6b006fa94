/** Recent activity, and the bin: what was deleted can be restored, and both follow what others do. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole, setHidden, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
/** Someone else, with a token named "test". */
const { token } = await createToken(service, ['plants:read', 'plants:write']);
const other = new PlantClient({ url: service.url, token });

const events = (page: Page) => page.locator('.event');
const deletions = (page: Page) => page.locator('.deletion');
const deletion = (page: Page, name: string) => page.locator('.deletion', { hasText: name });

describe('recent activity', () => {
  it('shows the newest 20 changes, who made them and when, with a link, live', async (test) => {
    for (let id = 1n; id <= 25n; id++) await other.put(id, { name: `Fern ${id}` });
    const { page } = await openConsole(test, browser, service, { query: '?view=overview' });
    await events(page).first().waitFor();
    assert.equal(await events(page).count(), 20);
    assert.match((await events(page).first().textContent()) ?? '', /^test added Fern 25just now/);
    assert.match((await events(page).first().locator('time').getAttribute('title')) ?? '', /\d\d:\d\d/);
    await other.patch(3n, { tag: 'sale' });
    await events(page).first().getByText('test changed Fern 3').waitFor();
    assert.match((await events(page).first().textContent()) ?? '', /Tag\s*no tag → now sale/);
    await other.delete(4n);
    await events(page).first().getByText('test deleted Fern 4').waitFor();
    assert.equal(await events(page).count(), 20);
    await page.getByRole('link', { name: 'Fern 3' }).click();
    await page.getByRole('heading', { name: 'Fern 3' }).waitFor();
  });

  it('does not move while the pointer is on it', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=overview' });
    await events(page).first().waitFor();
    const first = await events(page).first().textContent();
    await events(page).nth(3).hover();
    const poll = page.waitForResponse((response) => response.url().includes('wait='));
    await other.put(5n, { name: 'Fern five' });
    await poll;
    await page.waitForTimeout(200);
    assert.equal(await events(page).first().textContent(), first);
    await page.mouse.move(5, 5);
    await events(page).first().getByRole('link', { name: 'Fern five' }).waitFor();
  });
});

describe('the bin', () => {
  it('shows the plants that are still deleted, newest first', async (test) => {
    for (const id of [30n, 31n, 32n]) {
      await other.put(id, { name: `Moss ${id}`, tag: 'shade' });
      await other.delete(id);
    }
    await other.put(31n, { name: 'Back again' });
    const { page, requests } = await openConsole(test, browser, service);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Bin' }).click();
    await deletions(page).nth(2).waitFor();
    const names = await page.locator('.deletion-name').allTextContents();
    assert.deepEqual(names, ['Moss 32', 'Moss 30', 'Fern 4']);
    assert.match((await deletions(page).first().textContent()) ?? '', /Moss 3232 shadetest just now/);
    assert.ok(requests.some((url) => /order=desc.*kind=deleted/.test(url)));
  });

  it('restores a plant, moves the focus on, and undoes that', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=bin' });
    await page.getByRole('button', { name: 'Restore “Moss 32”' }).click();
    await page.getByText('“Moss 32” restored.').waitFor();
    await deletion(page, 'Moss 32').waitFor({ state: 'detached' });
    await waitUntil(page, 'document.activeElement.textContent === "Moss 30"');
    assert.deepEqual((await other.get(32n))?.plant, { id: 32n, name: 'Moss 32', tag: 'shade' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await deletion(page, 'Moss 32').waitFor();
    assert.equal(await other.get(32n), undefined);
  });

  it('overwrites nothing when the plant was created again', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=bin', statuses: [412] });
    await deletion(page, 'Moss 30').waitFor();
    // The page must not hear of it.
    await setHidden(page, true);
    await other.create({ id: 30n, name: 'Someone was faster' });
    await page.getByRole('button', { name: 'Restore “Moss 30”' }).click();
    await page.getByText('The plant was not restored. There is a plant with this id again.').waitFor();
    assert.equal((await other.get(30n))?.plant.name, 'Someone was faster');
    await other.delete(30n);
  });

  it('follows what others do, without moving a row', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=bin' });
    await deletion(page, 'Someone was faster').waitFor();
    const top = (await deletion(page, 'Moss 32').boundingBox())?.y;
    await other.create({ id: 30n, name: 'Someone was faster' });
    await deletion(page, 'Someone was faster').getByText('Exists again').waitFor();
    await other.delete(1n);
    const button = page.getByRole('button', { name: '1 deleted elsewhere' });
    await button.waitFor();
    assert.equal((await deletion(page, 'Moss 32').boundingBox())?.y, top);
    await button.click();
    await deletion(page, 'Fern 1').waitFor();
    await deletion(page, 'Someone was faster').waitFor({ state: 'detached' });
    await button.waitFor({ state: 'detached' });
  });

  it('says when it is empty, and has no buttons without the scope', async (test) => {
    const reader = await createToken(service, ['plants:read']);
    const { page } = await openConsole(test, browser, service, {
      query: '?view=bin',
      token: reader.token,
      statuses: [403],
    });
    await deletion(page, 'Fern 1').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Restore' }).count(), 0);
    for (const id of [1n, 4n, 32n]) await other.put(id, { name: 'Back' });
    await page.reload();
    await page.getByRole('heading', { name: 'The bin is empty' }).waitFor();
  });
});
