/** Tokens in the console: make one, see it once, see when it was used, revoke it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { openBrowser, openConsole } from './open-console.ts';

const service = await startService({ after }, { firstToken: 'made' });
const browser = await openBrowser();

describe('the tokens page', () => {
  it('makes a token, shows it once, and revokes it', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=settings' });
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
    await press('Manage tokens');
    await press('New token');
    await page.keyboard.type(' till ');
    await page.getByLabel('View plants').uncheck();
    await page.getByText('Choose what it can do.').waitFor();
    await page.getByLabel('View plants').check();
    await page.getByLabel('Change plants').check();
    await page.getByRole('radio', { name: '30 days' }).check();
    await press('Create token');
    await page.getByText('It is shown only once.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Copy the token');
    const token = (await page.locator('.shown-once code').textContent()) ?? '';
    service.addSecret(token);
    assert.equal((await request(service, { token, body: '{"name":"Aloe","id":1}' })).status, 200);
    await press('Done');
    await page.reload();
    const row = page.locator('.managed-item', { has: page.getByRole('heading', { name: 'till' }) });
    await row.getByText('View plants, Change plants').waitFor();
    await row.getByText(/^Created .+ by you/).waitFor();
    await row.getByText(/last used .+ expires on/).waitFor();
    assert.equal(await page.getByText(token).count(), 0);
    const pressInRow = (name: string) => row.getByRole('button', { name }).click();
    await pressInRow('Revoke till');
    // What cannot be undone is not done by Enter.
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await pressInRow('Revoke till');
    await page.getByText('Revoke “till”? What uses it stops working. This cannot be undone.').waitFor();
    await press('Revoke it');
    await row.getByText('Revoked').waitFor();
    while ((await request(service, { method: 'GET', path: '/plants', token })).status !== 401);
  });

  it('keeps each secret until it is put away or its token is revoked', async (test) => {
    const { page } = await openConsole(test, browser, service, { query: '?view=tokens' });
    const add = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Name').fill(name);
      await page.getByRole('button', { name: 'Create token' }).click();
      const shown = page.locator('.shown-once', { hasText: name });
      service.addSecret((await shown.locator('code').textContent()) ?? '');
      await page.getByRole('button', { name: `Revoke ${name}` }).waitFor();
    };
    await add('first');
    await add('second');
    await page.locator('.shown-once', { hasText: 'first' }).waitFor();
    await page.getByRole('button', { name: 'Revoke first' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.locator('.shown-once', { hasText: 'first' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Back to the settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('A new token or secret is still on its page.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    // Answered at once: Playwright itself dismisses a question that nobody answers.
    const asked = page.waitForEvent('dialog', (dialog) => {
      void dialog.dismiss();
      return true;
    });
    void page.evaluate('location.reload()');
    assert.equal((await asked).type(), 'beforeunload');
    await page.getByRole('button', { name: 'Manage tokens' }).click();
    await page.locator('.shown-once', { hasText: 'second' }).waitFor();
  });

  it('says that a token whose response was lost may be in the list, where it is', async (test) => {
    const { page, expectSilence } = await openConsole(test, browser, service, { query: '?view=tokens' });
    expectSilence();
    await page.route('**/tokens', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const { token } = (await (await route.fetch()).json()) as { token: string };
      service.addSecret(token);
      return route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('lost');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.locator('.field-error').getByText('it may be done all the same').waitFor();
    await page.getByRole('heading', { name: 'lost', includeHidden: true }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'lost', includeHidden: true }).count(), 1);
  });

  it('says that a revocation was interrupted, also once the service responds again', async (test) => {
    const { id } = await createToken(service, ['plants:read']);
    const { page, expectSilence } = await openConsole(test, browser, service, { query: '?view=tokens' });
    expectSilence();
    await page.route(`**/tokens/${id}`, (route) => route.abort('connectionreset'));
    const row = page.locator('.managed-item', { hasText: id });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page
      .locator('.toast-bad')
      .getByText(/^Revoking “.+” was interrupted\.$/)
      .waitFor();
    await row.getByRole('button', { name: 'Revoke' }).waitFor();
  });

  it('says which scope is missing, for the page or for the new token', async (test) => {
    const { token } = await createToken(service, ['plants:read']);
    const { page } = await openConsole(test, browser, service, { query: '?view=tokens', token });
    await page.getByText('--scope plants:read tokens:manage').waitFor();
    const { token: manager, id } = await createToken(service, ['tokens:manage', 'plants:read']);
    const other = await openConsole(test, browser, service, { query: '?view=tokens', token: manager, statuses: [403] });
    await other.page.getByRole('button', { name: 'New token' }).click();
    await other.page.getByLabel('Name').fill('more');
    await other.page.getByLabel('Change plants').check();
    await other.page.getByRole('button', { name: 'Create token' }).click();
    await other.page.locator('.field-error').waitFor();
    await other.page.keyboard.press('Escape');
    const own = other.page.locator('.managed-item', { hasText: id });
    await own.getByRole('heading', { name: '(you)' }).waitFor();
    await own.getByRole('button', { name: 'Revoke' }).click();
    await other.page.getByText('You are signed in with it, and will be signed out.').waitFor();
  });

  it('warns before the last token that manages tokens goes', async (test) => {
    const alone = await startService(test, { firstToken: 'made' });
    const { page } = await openConsole(test, browser, alone, { query: '?view=tokens' });
    // On a loopback address, which is of no use to another device.
    await page.getByText('on this computer (docs/shop.md says how to open it to others)').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('It is the last token that can manage tokens').waitFor();
  });
});
