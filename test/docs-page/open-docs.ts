/** Opens the documentation page and records its requests and everything that the browser complains about. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { listOperations, type Members } from '../../console/docs/operation.ts';

const operations = listOperations(
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8')) as Members,
);

export interface DocsPage {
  readonly page: Page;
  /** Address of each request so far, those of the page itself included. */
  readonly requests: readonly string[];
  /** Errors and warnings of the browser's console, violations of the policy included. */
  readonly complaints: readonly string[];
}

/** A request that was tried on the page. */
export interface Tried {
  readonly url: string;
  readonly body: string | null;
  /** The response as the page shows it. */
  readonly shown: string;
}

/** Resolves to a page that is still empty: `goToDocs` loads it. */
export async function openDocs(browser: Browser): Promise<DocsPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  context.setDefaultTimeout(60_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  // Chromium does not say by itself that it has blocked an evaluation if the script catches the error.
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective + ' blocked ' + event.blockedURI))",
  );
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, requests, complaints };
}

/** Resolves once the reference is shown. */
export async function goToDocs(page: Page, serviceUrl: string): Promise<void> {
  await page.goto(`${serviceUrl}/docs`);
  await page.locator('#reference h1').waitFor();
}

/** Shows an operation unless it is shown, and resolves to its part of the page. */
export async function goToOperation(page: Page, operationId: string): Promise<Locator> {
  const found = operations.find(({ id }) => id === operationId);
  if (found === undefined) throw new Error(`${operationId} is not in the description`);
  const operation = page.locator(`section[id$="/${found.method}${found.path}"]`);
  const button = operation.getByRole('button', { name: 'Test Request' });
  if (!(await button.isVisible())) await page.getByRole('link', { name: found.summary }).first().click();
  await button.waitFor();
  await button.scrollIntoViewIfNeeded();
  return operation;
}

/** Opens the form of an operation that is shown. */
export async function openForm(page: Page, operation: Locator): Promise<Locator> {
  await operation.getByRole('button', { name: 'Test Request' }).click();
  // The component opens small dialogs of its own under the pointer.
  const form = page.locator('dialog.try');
  await form.getByRole('button', { name: 'Send' }).waitFor();
  return form;
}

/** Sends what the form holds, to a path that begins so, and resolves once the response is shown. */
export async function send(page: Page, form: Locator, path: string): Promise<Tried> {
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith(path));
  await form.getByRole('button', { name: 'Send' }).click();
  const request = (await answered).request();
  await form.getByText('Response headers').waitFor();
  const shown = await form.locator('.try-body').innerText();
  return { url: request.url(), body: request.postData(), shown };
}
