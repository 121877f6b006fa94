/** The documentation page in a browser: what it shows and sends is exact and accessible, it contacts no other host, and it keeps no token. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { postPlant, request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { findLayoutProblems } from '../console/measure-layout.ts';
import { findAccessFaults, openBrowser, waitUntil } from '../console/open-console.ts';
import { goToDocs, goToOperation, openDocs, openForm, send } from './open-docs.ts';

/** One more than the first integer that a double rounds. */
const largeId = 9007199254740993n;

/**
 * Runs in the page: chooses one client after the other, and returns the name and the sample of each. A pointer that moves over the page
 * costs ten times as much.
 */
const readSamples = `async (operation) => {
  const picker = operation.querySelector('[data-testid=client-picker]');
  const samples = [];
  const untilShown = async (isShown) => {
    for (;;) {
      const options = document.querySelectorAll('[role=option]');
      if (options.length > 0 === isShown) return options;
      await new Promise(requestAnimationFrame);
    }
  };
  for (let index = 0, count = 1; index < count; index += 1) {
    picker.click();
    const options = await untilShown(true);
    count = options.length;
    options[index].click();
    await untilShown(false);
    samples.push([picker.innerText, operation.querySelector('pre').innerText]);
  }
  return samples;
}`;

const browser = await openBrowser();
const service = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: '/api/v1' } });
const { page, requests, complaints } = await openDocs(browser);

interface Description {
  readonly paths: Readonly<Record<string, object>>;
  readonly components: {
    readonly examples: Readonly<Record<string, { description?: string; value: { error?: number; message?: string } }>>;
  };
}

describe('the page', () => {
  // The first load: each takes seconds of processor time.
  it('shows what it is before its component has started, then the error of the address', async () => {
    const held = Promise.withResolvers<undefined>();
    await page.route('**/reference-*.js', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${service.url}/docs#error-50001`, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1, name: 'Plant Store' }).waitFor();
    await waitUntil(page, 'performance.getEntriesByName("first-contentful-paint").length === 1');
    assert.equal(await page.getByText('POST /plants', { exact: true }).isVisible(), true);
    held.resolve(undefined);
    await page.locator('#reference h1').waitFor();
    await page.locator('.outline').waitFor({ state: 'detached' });
    await waitUntil(
      page,
      `(({ y = 0 } = {}) => y >= 48 && y < innerHeight)(document.querySelector('#error-50001')?.getBoundingClientRect())`,
    );
    await page.unrouteAll();
  });

  it('reads the description below the base path', async () => {
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Plant Store');
    assert.ok(requests.includes(`${service.url}/openapi.json`));
    assert.equal(await page.getByText(service.url, { exact: true }).first().isVisible(), true);
    const download = page.getByRole('link', { name: /Download/ });
    assert.equal(await download.getAttribute('href'), `${service.url}/openapi.json`);
  });

  it('lists every operation with its scope, and every error with an address of its own', async () => {
    const { paths, components } = JSON.parse((await request(service, { path: '/openapi.json' })).text) as Description;
    const rows = await page.locator('.introduction-section tbody td:first-child').allInnerTexts();
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      rows.filter((text) => /^[A-Z]+ \//.test(text)),
      operations,
    );
    const text = (await page.locator('.introduction-section').innerText()).replaceAll(/\s+/g, ' ');
    assert.match(
      text,
      /GET \/plants\/\{id\} plants:read Get a plant .+ GET \/tokens\/self any token .+ GET \/livez none /,
    );
    const errors = Object.values(components.examples).filter(({ value }) => value.error !== undefined);
    for (const { description = '', value } of errors)
      assert.ok(text.includes(`${value.error}: ${value.message} ${description.trim().replaceAll(/\s+/g, ' ')}`));
    assert.equal(await page.locator('[id^="error-"]').count(), errors.length);
    assert.ok(errors.length > 30);
  });

  it('finds an error by its number, and Enter opens it', async () => {
    await page.getByRole('button', { name: 'Search' }).first().click();
    const search = page.getByRole('dialog');
    await search.getByRole('combobox').fill('40901');
    await search.getByText('40901: Cannot store plant').waitFor();
    await page.keyboard.press('Enter');
    await waitUntil(
      page,
      `(({ y = 0 } = {}) => y >= 48 && y < innerHeight)(document.querySelector('#error-40901')?.getBoundingClientRect())`,
    );
  });

  it('shows its own address in every sample', async () => {
    const text = await page.locator('#reference').innerText();
    assert.ok(text.includes(`curl ${service.url}/plants`));
    assert.doesNotMatch(text, /127\.0\.0\.1:3000|Scalar|On the page/);
  });

  it('leads to the console, and shares its theme', async () => {
    assert.equal(await page.getByRole('link', { name: 'Console' }).getAttribute('href'), `${service.url}/console`);
    const background = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByLabel('Theme').selectOption('Dark');
    assert.equal(await page.evaluate('localStorage.getItem("plant-store.theme")'), 'dark');
    assert.notEqual(await background(), light);
    // All other rules are for both themes.
    assert.deepEqual(await findAccessFaults(page, { rules: ['color-contrast', 'link-in-text-block'] }), []);
    await page.getByLabel('Theme').selectOption('System');
    assert.equal(await background(), light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await waitUntil(page, `getComputedStyle(document.body).backgroundColor !== ${JSON.stringify(light)}`);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('has nothing that axe complains about', async () => {
    assert.deepEqual(await findAccessFaults(page), []);
    // Off by default.
    assert.deepEqual(await findAccessFaults(page, { rules: ['target-size'] }), []);
  });

  it('fits 320 pixels with the spacing of text that WCAG 1.4.12 asks for', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.evaluate(`{
      const spacing = new CSSStyleSheet();
      spacing.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }');
      document.adoptedStyleSheets.push(spacing);
    }`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await page.evaluate('document.adoptedStyleSheets.pop()');
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('offers requests of the service only: a webhook is sent to the receiver', async () => {
    await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click();
    await page.locator('[id*="/webhook/POST/"]').first().waitFor();
    assert.equal(await page.locator('[id*="/webhook/"] .show-api-client-button:visible').count(), 0);
    assert.notEqual(await page.locator('.show-api-client-button:visible').count(), 0);
  });

  it('wraps what it says of a response', async () => {
    await goToOperation(page, 'createPlant');
    await page.locator('.parameter-item-description-summary').first().waitFor();
    const cut = `[...document.querySelectorAll('.parameter-item-description-summary .markdown-summary')]
      .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth || scrollHeight > clientHeight)
      .map(({ innerText }) => innerText)`;
    assert.deepEqual(await page.evaluate(cut), []);
  });

  it('shows the sample of curl, and has the client of the package first among the others', async () => {
    const operation = await goToOperation(page, 'createPlant');
    const sample = operation.locator('pre').first();
    assert.match(await sample.innerText(), /^curl /m);
    await operation.getByTestId('client-picker').click();
    await page.locator('[role=option]').first().click();
    await operation.getByText('PlantClient').first().waitFor();
    assert.match(await sample.innerText(), /from 'plant-store\/client'[^]*id: 7n/);
    await operation.getByTestId('client-picker').click();
    await page.locator('[role=option]').filter({ hasText: 'Curl' }).first().click();
  });

  it('shows the bounds and the examples of ids digit for digit', async () => {
    const operation = await goToOperation(page, 'createPlant');
    await operation.getByText('Identification number of the plant').first().waitFor();
    const text = await operation.innerText();
    assert.match(text, /From\s+-9223372036854775808\s+to\s+9223372036854775807/);
    assert.doesNotMatch(text, /922337203685477600|min:|max:/);
    await operation.getByTestId('client-picker').click();
    await page.locator('[role=option]').filter({ hasText: 'Curl' }).first().click();
    await operation
      .getByRole('button', { name: /A plant with a tag/ })
      .first()
      .click();
    await page.getByRole('option', { name: /would round/ }).click();
    await operation.getByText(String(largeId)).first().waitFor();
  });

  it('has samples that keep every digit, and hides the clients that would not', async () => {
    const operation = await goToOperation(page, 'createPlant');
    const id = JSON.stringify(await operation.getAttribute('id'));
    const samples = await page.evaluate<[string, string][]>(`(${readSamples})(document.getElementById(${id}))`);
    assert.ok(samples.length >= 9, `${samples.length} clients`);
    assert.deepEqual(
      samples.filter(([, text]) => !new RegExp(`\\b${largeId}\\b`).test(text) && !text.includes('PlantClient')),
      [],
    );
  });
});

describe('a request that is tried', () => {
  it('sends the digits of the body as they are written, with the token', async () => {
    const form = await openForm(page, await goToOperation(page, 'createPlant'));
    assert.deepEqual(await findAccessFaults(page, { within: 'dialog' }), []);
    await form.getByLabel('Access token').fill(service.token);
    const body = `{"id": ${largeId}, "name": "Lotus"}`;
    await form.getByLabel('Body').fill(body);
    const tried = await send(page, form, '/api/v1/plants');
    assert.deepEqual([tried.body, tried.shown], [body, '{\n  "name": "Lotus"\n}']);
    assert.deepEqual(await findAccessFaults(page, { within: 'dialog' }), []);
    const stored = await request(service, { path: `/plants/${largeId}` });
    assert.equal(stored.text, `{"id":${largeId},"name":"Lotus"}`);
    await form.getByRole('button', { name: 'Close' }).click();
    await form.waitFor({ state: 'detached' });
  });

  for (const [label, name, text] of [
    ['Access token', 'the access token', 'pst_…'],
    ['If-None-Match', 'If-None-Match', '“x”'],
  ] as const) {
    it(`says so when ${label} has a character that a header cannot hold, and is sent once it has not`, async () => {
      const form = await openForm(page, await goToOperation(page, 'getPlant'));
      await form.getByLabel('Access token').fill(service.token);
      await form.getByLabel('id (path').fill(String(largeId));
      const valid = await form.getByLabel(label).inputValue();
      await form.getByLabel(label).fill(text);
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText(`Not sent: ${name} contains a character that a header cannot hold.`).waitFor();
      await form.getByRole('button', { name: 'Send', exact: true }).waitFor();
      await form.getByLabel(label).fill(valid);
      assert.match((await send(page, form, '/api/v1/plants/')).shown, /"name": "Lotus"/);
      await form.getByRole('button', { name: 'Close' }).click();
      await form.waitFor({ state: 'detached' });
    });
  }

  it('takes the digits of a path, and shows those of the answer', async () => {
    const id = -9007199254740995n;
    assert.equal((await postPlant(service, { id, name: 'Agave' })).status, 200);
    const form = await openForm(page, await goToOperation(page, 'getPlant'));
    await form.getByLabel('id (path, required)').fill(String(id));
    const tried = await send(page, form, '/api/v1/plants/');
    assert.equal(new URL(tried.url).pathname, `/api/v1/plants/${id}`);
    assert.match(tried.shown, new RegExp(`"id": ${id},`));
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
  });

  it('offers only what the operation has, and sends what is filled in', async () => {
    const form = await openForm(page, await goToOperation(page, 'listPlants'));
    assert.deepEqual(await form.locator('label').allInnerTexts(), [
      'Access token',
      'Keep the token in this browser',
      'limit (query)',
      'cursor (query)',
      'tag (query)',
      'untagged (query)',
      'name (query)',
      'search (query)',
      'order (query)',
      'above (query)',
      'below (query)',
    ]);
    await form.getByLabel('limit (query)').fill('1');
    await form.getByLabel('name (query)').fill('a&b');
    const { search } = new URL((await send(page, form, '/api/v1/plants')).url);
    assert.equal(search, '?limit=1&name=a%26b');
    await form.getByRole('button', { name: 'Close' }).click();
  });
});

describe('an error page', () => {
  it('is accessible, fits 320 pixels, and leads to the error', async () => {
    const other = await page.context().newPage();
    await other.setViewportSize({ width: 320, height: 640 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await other.emulateMedia({ colorScheme });
      await other.goto(`${service.url}/plants/7`);
      assert.deepEqual(await findAccessFaults(other), []);
      assert.deepEqual(await findLayoutProblems(other), []);
    }
    await other.getByRole('link', { name: 'Error 40101' }).click();
    await other.locator('#error-40101').waitFor();
    await other.close();
  });
});

describe('after all that, the page', () => {
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
  });

  it('fits a phone with the form open', async () => {
    await goToDocs(page, service.url);
    const form = await openForm(page, await goToOperation(page, 'createPlant'));
    await page.setViewportSize({ width: 390, height: 844 });
    assert.deepEqual(await findAccessFaults(page, { rules: ['landmark-no-duplicate-banner', 'landmark-unique'] }), []);
    assert.deepEqual(await findLayoutProblems(page), []);
    await page.setViewportSize({ width: 1280, height: 900 });
    await form.getByRole('button', { name: 'Close' }).click();
    await form.waitFor({ state: 'detached' });
  });

  it('keeps the token for as long as the person says so, and the theme', async () => {
    await goToDocs(page, service.url);
    let form = await openForm(page, await goToOperation(page, 'listPlants'));
    await form.getByLabel('Access token').fill(service.token);
    await form.getByLabel('Keep the token').check();
    const kept = (): Promise<string> => page.evaluate('JSON.stringify({ ...localStorage })');
    assert.ok(!(await kept()).includes(service.token), 'it may be half of one until it is sent');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('Response headers').waitFor();
    await form.getByRole('button', { name: 'Close' }).click();
    await form.waitFor({ state: 'detached' });
    const background = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByLabel('Theme').selectOption('Dark');
    await goToDocs(page, service.url);
    assert.notEqual(await background(), light);
    form = await openForm(page, await goToOperation(page, 'listPlants'));
    assert.equal(await form.getByLabel('Access token').inputValue(), service.token);

    // Simulates a proxy that has another service below /shop.
    const shop = `${new URL(service.url).origin}/shop`;
    await page.route(`${shop}/**`, (route) =>
      route.continue({ url: route.request().url().replace(shop, service.url) }),
    );
    await goToDocs(page, shop);
    form = await openForm(page, await goToOperation(page, 'listPlants'));
    assert.equal(await form.getByLabel('Access token').inputValue(), '');

    await goToDocs(page, service.url);
    form = await openForm(page, await goToOperation(page, 'listPlants'));
    await form.getByLabel('Keep the token').uncheck();
    assert.ok(!(await kept()).includes(service.token));
  });
});
