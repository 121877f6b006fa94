/** Two people edit one plant: changes to different members are merged, the same member is a choice, and nothing is written back by accident. */
import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { type Plant, PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { openBrowser, openConsole, waitUntil } from './open-console.ts';

const service = await startService({ after });
const browser = await openBrowser({ after });
const client = new PlantClient({ url: service.url, token: service.token });

const id = 7n;
const nameOf = (page: Page) => page.getByLabel('Name', { exact: true });
const tagOf = (page: Page) => page.getByLabel('Tag', { exact: true });
const dialogOf = (page: Page) => page.getByRole('alertdialog');
const storedPlant = async (): Promise<Plant | undefined> => {
  const { id: _id, ...plant } = (await client.get(id))?.plant ?? { id };
  return 'name' in plant ? plant : undefined;
};

/** Opens the form on this plant. */
async function openForm(test: TestContext, plant: Plant, statuses = [412]): Promise<Page> {
  await client.put(id, plant);
  const { page } = await openConsole(test, browser, service, { query: '?plant=7', statuses });
  await nameOf(page).waitFor();
  return page;
}

const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();

describe('a change by someone else', () => {
  it('to another member is kept together with mine, without a question', async (test) => {
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' });
    await nameOf(page).fill('Aloe vera');
    await client.patch(id, { tag: 'sale' });
    await save(page);
    await page.getByText('“Aloe vera” saved. Changes by someone else were kept.').waitFor();
    assert.deepEqual(await storedPlant(), { name: 'Aloe vera', tag: 'sale' });
  });

  it('that removed the tag is kept, too', async (test) => {
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' });
    await nameOf(page).fill('Aloe vera');
    await client.patch(id, { tag: null });
    await save(page);
    await page.getByText('saved.').waitFor();
    assert.deepEqual(await storedPlant(), { name: 'Aloe vera' });
  });

  it('that is the same as mine needs no question either', async (test) => {
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' });
    await nameOf(page).fill('Aloe vera');
    await client.put(id, { name: 'Aloe vera', tag: 'sale' });
    await save(page);
    await page.getByText('saved.').waitFor();
    assert.deepEqual(await storedPlant(), { name: 'Aloe vera', tag: 'sale' });
  });

  it('is not what a save whose responses were lost finds', async (test) => {
    await client.put(id, { name: 'Aloe', tag: 'shade' });
    const { page, expectSilence } = await openConsole(test, browser, service, { query: '?plant=7', statuses: [412] });
    expectSilence();
    let tries = 0;
    await page.route('**/plants/7', async (route) => {
      if (route.request().method() !== 'PATCH' || ++tries > 3) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await nameOf(page).fill('Aloe vera');
    await save(page);
    await page.getByText('“Aloe vera” saved.', { exact: true }).waitFor();
  });

  it('to the same member is a choice for this member alone', async (test) => {
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' });
    await nameOf(page).fill('mine');
    await client.put(id, { name: 'theirs', tag: 'sale' });
    await save(page);
    const dialog = dialogOf(page);
    await dialog.getByText('You both changed the name.').waitFor();
    assert.equal(await dialog.getByRole('radio').count(), 2);
    await dialog.getByText('Their change is kept').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'nothing is chosen by default');
    await dialog.getByRole('radio', { name: 'Your change mine' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“mine” saved.').waitFor();
    assert.deepEqual(await storedPlant(), { name: 'mine', tag: 'sale' });
  });

  it('to both members can be kept in part', async (test) => {
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' });
    await nameOf(page).fill('mine');
    await tagOf(page).fill('my tag');
    await client.put(id, { name: 'theirs', tag: 'sale' });
    await save(page);
    const dialog = dialogOf(page);
    await dialog.getByText('You both changed the name and the tag.').waitFor();
    await dialog.getByRole('radio', { name: 'Their change theirs' }).check();
    assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled());
    await dialog.getByRole('radio', { name: 'Your change my tag' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“theirs” saved.').waitFor();
    assert.deepEqual(await storedPlant(), { name: 'theirs', tag: 'my tag' });
  });

  it('during the choice asks again, about what is stored then', async (test) => {
    const page = await openForm(test, { name: 'Aloe', tag: 'shade' });
    await nameOf(page).fill('mine');
    await client.put(id, { name: 'theirs', tag: 'shade' });
    await save(page);
    const dialog = dialogOf(page);
    await dialog.getByRole('radio', { name: 'Your change mine' }).check();
    await client.put(id, { name: 'theirs, later', tag: 'sale' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('radio', { name: 'Their change theirs, later' }).waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'the old choice does not count');
    await dialog.getByRole('button', { name: 'Discard my changes' }).click();
    await waitUntil(page, 'document.querySelector("textarea")?.value === "theirs, later"');
    assert.deepEqual(await storedPlant(), { name: 'theirs, later', tag: 'sale' });
  });

  it('is shown in the list beside the form', async (test) => {
    await client.put(8n, { name: 'Other' });
    const page = await openForm(test, { name: 'Aloe' });
    await nameOf(page).fill('mine');
    await client.put(id, { name: 'theirs' });
    await save(page);
    await page.locator('.grid-slice .row', { hasText: 'theirs' }).waitFor();
  });
});

describe('a delete by someone else', () => {
  it('takes the plant out of list, count and selection, and offers to create it again', async (test) => {
    await client.put(8n, { name: 'Other' });
    const page = await openForm(test, { name: 'Aloe' }, [404, 412]);
    await page.locator('.row', { hasText: 'Aloe' }).locator('.pick').click();
    await page.getByText('1 selected').waitFor();
    await page.locator('.count').getByText('2 plants', { exact: true }).waitFor();
    await nameOf(page).fill('Aloe, still here');
    await client.delete(id);
    await save(page);
    await page.getByRole('alertdialog', { name: 'This plant was deleted by someone else' }).waitFor();
    await page.locator('.count').getByText('1 plant', { exact: true }).waitFor();
    await page.getByText('1 selected').waitFor({ state: 'hidden' });
    assert.equal(await page.locator('.grid-slice .row').count(), 1);
    await page.getByRole('button', { name: 'Create again' }).click();
    await page.getByText('“Aloe, still here” added.').waitFor();
    assert.deepEqual(await storedPlant(), { name: 'Aloe, still here' });
  });

  it('is seen as soon as the form opens', async (test) => {
    await client.put(8n, { name: 'Other' });
    await client.put(id, { name: 'Aloe' });
    const { page } = await openConsole(test, browser, service, { statuses: [404] });
    const row = page.locator('.grid-slice .row', { hasText: 'Aloe' });
    await row.waitFor();
    await client.delete(id);
    await row.click();
    await page.getByText('There is no plant with this id.').waitFor();
    await waitUntil(page, 'document.activeElement.textContent === "Back to the list"');
    await row.waitFor({ state: 'detached' });
  });

  it('keeps what was typed when the plant was to be deleted and is kept', async (test) => {
    const page = await openForm(test, { name: 'Aloe' });
    await nameOf(page).fill('Aloe vera');
    await client.patch(id, { tag: 'sale' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialogOf(page).getByRole('button', { name: 'Keep the plant' }).click();
    await waitUntil(page, `document.querySelector('.panel .combo input')?.value === 'sale'`);
    assert.equal(await nameOf(page).inputValue(), 'Aloe vera');
  });

  it('is not undone by mine', async (test) => {
    const page = await openForm(test, { name: 'Aloe' }, [404]);
    await client.delete(id);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The plant was already deleted by someone else.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  });
});
