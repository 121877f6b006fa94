/**
 * Swagger UI and Scalar on an origin of their own, in front of a sandbox: what they send of each
 * operation, as they fill it in by themselves, succeeds, and they may read the answer.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'node:test';
import type { Page, Response } from 'playwright-core';
import { readComponent } from '../../scripts/build-docs.ts';
import { openBrowser } from '../console/open-console.ts';
import { contract } from '../support/read-contract.ts';
import { startService } from '../support/start-service.ts';
import { servePages } from './serve-pages.ts';

const { url } = await startService(
  { after },
  { store: 'folder', flags: ['--sandbox'], env: { PLANT_STORE_CORS_ORIGINS: '*' } },
);
const swaggerFolder = fileURLToPath(new URL('.', import.meta.resolve('swagger-ui-dist/package.json')));
const swagger = (name: string): Promise<Uint8Array> => readFile(join(swaggerFolder, name));
const origin = await servePages(
  { after },
  new Map<string, string | Uint8Array>([
    ['/swagger.js', await swagger('swagger-ui-bundle.js')],
    ['/swagger.css', await swagger('swagger-ui.css')],
    ['/scalar.js', await readComponent()],
    ['/swagger', '<link rel="stylesheet" href="/swagger.css"><div id="ui"></div><script src="/swagger.js"></script>'],
    ['/scalar', '<meta charset="utf-8"><div id="ui"></div><script src="/scalar.js"></script>'],
  ]),
);
const browser = await openBrowser();

const operations = [...contract.operations.values()].filter(({ definition }) =>
  ['Plants', 'Changes'].includes(String((definition['tags'] as unknown[])[0])),
);

/** A page of a tool in which only the tool and the service can be reached. */
async function openTool(name: string, script: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.route(
    (address) => address.origin !== origin && address.origin !== new URL(url).origin,
    (route) => route.abort(),
  );
  await page.goto(`${origin}/${name}`);
  await page.evaluate(script);
  return page;
}

/** Resolves to the response to what `click` sends. */
async function send(page: Page, method: string, click: () => Promise<void>): Promise<Response> {
  const answered = page.waitForResponse(
    (response) => response.url().startsWith(`${url}/`) && response.request().method() === method,
  );
  await click();
  return answered;
}

const preference = 'code=404, example=plant_unknown';

async function assertForced(response: Response): Promise<void> {
  const headers = await response.allHeaders();
  assert.deepEqual([response.status(), headers['preference-applied']], [404, preference]);
}

/** Each operation finds the plant of the examples. */
async function storePlant(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { ok } = await fetch(`${url}/plants/7`, {
    method: 'PUT',
    headers,
    body: '{"name":"Monstera","tag":"climber"}',
  });
  assert.ok(ok);
}

describe('Swagger UI on another origin', () => {
  const token = 'sandbox-of-swagger-ui';
  let page: Page;
  before(async () => {
    page = await openTool(
      'swagger',
      `new Promise((resolve) => {
        globalThis.ui = SwaggerUIBundle({
          url: ${JSON.stringify(`${url}/openapi.json`)},
          dom_id: '#ui',
          tryItOutEnabled: true,
          defaultModelsExpandDepth: -1,
          onComplete: () => resolve(ui.preauthorizeApiKey('bearerAuth', ${JSON.stringify(token)}) && undefined),
        });
      })`,
    );
  });
  after(() => page.context().close());

  for (const { operationId, method, definition } of operations)
    it(`executes ${operationId}`, async () => {
      await storePlant(token);
      const block = page.locator(`#operations-${String((definition['tags'] as unknown[])[0])}-${operationId}`);
      await block.locator('.opblock-summary-control').click();
      const response = await send(page, method, () => block.getByRole('button', { name: 'Execute' }).click());
      const shown = await block.locator('.live-responses-table .response-col_status').last().innerText();
      assert.match(`${response.status()} ${shown}`, /^(2\d\d) \1/);
      // What stays open is drawn again with each click.
      await block.locator('.opblock-summary-control').click();
    });

  it('shows the field Prefer, and sends it', async () => {
    const block = page.locator('#operations-Plants-getPlant');
    await block.locator('.opblock-summary-control').click();
    await block.locator('tr[data-param-name="Prefer"] input').fill(preference);
    const response = await send(page, 'GET', () => block.getByRole('button', { name: 'Execute' }).click());
    await assertForced(response);
  });
});

describe('Scalar on another origin', () => {
  const token = 'sandbox-of-scalar';
  let page: Page;
  before(async () => {
    page = await openTool(
      'scalar',
      `void Scalar.createApiReference('#ui', {
        url: ${JSON.stringify(`${url}/openapi.json`)},
        authentication: { preferredSecurityScheme: 'bearerAuth', securitySchemes: { bearerAuth: { token: ${JSON.stringify(token)} } } },
        withDefaultFonts: false,
        telemetry: false,
        defaultOpenAllTags: true,
      })`,
    );
    await page.locator('#ui h1').first().waitFor();
  });
  after(() => page.context().close());

  /** Shows an operation, unless it is shown, and opens its form. */
  async function openForm(operation: string, summary: string): Promise<void> {
    const button = page.locator(`section[id$="/${operation}"]`).getByRole('button', { name: 'Test Request' });
    if (!(await button.isVisible())) await page.getByRole('link', { name: summary }).first().click();
    await button.click();
  }

  for (const { operationId, method, path, definition } of operations)
    it(`sends ${operationId}`, async () => {
      await storePlant(token);
      await openForm(`${method}${path}`, definition['summary'] as string);
      const dialog = page.getByRole('dialog');
      const response = await send(page, method, () => dialog.getByRole('button', { name: 'Send' }).first().click());
      assert.equal(Math.floor(response.status() / 100), 2, await response.text());
      await dialog.getByText(`${response.status()} `).first().waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    });

  it('shows the field Prefer, and sends it', async () => {
    await openForm('GET/plants/{id}', 'Get a plant');
    const dialog = page.getByRole('dialog');
    await dialog.locator('#Prefer [contenteditable]').last().fill(preference);
    const response = await send(page, 'GET', () => dialog.getByRole('button', { name: 'Send' }).first().click());
    await assertForced(response);
  });
});
