/**
 * A real browser on the console of a real service. Its requests, console messages and policy violations are recorded and checked at the end
 * of each test.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type ConsoleMessage,
  type Page,
  type Request,
} from 'playwright-core';
import { type Cleanup, cleanUp } from '../support/clean-up.ts';
import type { Service } from '../support/service-run.ts';
import { findChromium } from './find-chromium.ts';

/** Nothing of the browser itself may go out. */
const browserFlags = [
  '--headless=shell',
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
];

/** How long a step of a test may take, in milliseconds. */
const stepMs = 60_000;

/** The browser of a test file: to start it takes a fifth of a second. */
export async function openBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  cleanUp({ after }, () => browser.close());
  return browser;
}

/** Builds the console if need be, and starts a browser. */
export async function launchBrowser(): Promise<Browser> {
  await import('../../scripts/ensure-console.ts');
  const { path, libraries } = await findChromium();
  const options = { executablePath: path, args: browserFlags };
  return chromium.launch(options).catch((error: unknown) => {
    if (!String(error).includes('error while loading shared libraries')) throw error;
    return chromium.launch({ ...options, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  });
}

export interface ConsolePage {
  readonly page: Page;
  /** Addresses of all requests so far. */
  readonly requests: readonly string[];
  /** Connections are about to fail. */
  readonly expectSilence: () => void;
}

export interface ConsoleOptions extends BrowserContextOptions {
  /** The query of the address, such as `?view=activity`. */
  readonly query?: string;
  /** Absent: the service's own. null: not signed in. */
  readonly token?: string | null;
  /** Statuses that the test provokes: the browser writes them to its console as errors. */
  readonly statuses?: readonly number[];
}

/** The page of each browser that its tests use one after the other: a new context costs three times as much as another load. */
const sharedPages = new WeakMap<Browser, { page: Page; isTaken: boolean }>();

const viewport = { width: 1280, height: 800 };
const media = { media: null, colorScheme: null, forcedColors: null, reducedMotion: 'reduce' } as const;

/** Opens the console, signed in; at the end of `scope` nothing may have gone to another host, been blocked or gone wrong. */
export async function openConsole(
  scope: Cleanup,
  browser: Browser,
  service: Service,
  { query = '', token, statuses = [], ...options }: ConsoleOptions = {},
): Promise<ConsolePage> {
  const { page, release } = await takePage(browser, options);
  const requests: string[] = [];
  const complaints: string[] = [];
  let isSilenceExpected = false;
  /** Until it is loaded, the page is what the test before has left. */
  let isLoaded = false;
  const listeners = {
    request: (request: Request) => isLoaded && requests.push(request.url()),
    pageerror: (error: Error) => isLoaded && complaints.push(String(error.stack)),
    console: (message: ConsoleMessage) => {
      if (!isLoaded || (message.type() !== 'error' && message.type() !== 'warning')) return;
      const text = message.text();
      const status = /responded with a status of (\d+)/.exec(text)?.[1];
      if (status !== undefined && statuses.includes(Number(status))) return;
      if (isSilenceExpected && text.includes('net::ERR_')) return;
      complaints.push(text);
    },
  };
  // Before it is loaded: the browser is asked for events of a kind once somebody listens, and the first would be missed.
  page.on('request', listeners.request).on('pageerror', listeners.pageerror).on('console', listeners.console);
  page.once('framenavigated', () => {
    isLoaded = true;
    requests.push(page.url());
  });
  // Before the service of the test ends, which the page would miss.
  cleanUp(scope, async () => {
    const blocked = await page.evaluate('window.blocked').catch(() => []);
    page.off('request', listeners.request).off('pageerror', listeners.pageerror).off('console', listeners.console);
    await release();
    assert.deepEqual(blocked, [], 'the policy of the page blocked something');
    assert.deepEqual(complaints, [], 'the browser complained');
    const origin = new URL(service.url).origin;
    const elsewhere = requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith(`blob:${origin}/`));
    assert.deepEqual(elsewhere, [], 'a request left for another host');
    assert.notEqual(requests.length, 0, 'requests were recorded');
    assert.ok(!requests.some((url) => url.includes(service.token)), 'a token stood in an address');
  });
  await goToConsole(page, service.url, query, token === undefined ? service.token : token);
  return {
    page,
    requests,
    expectSilence: () => {
      isSilenceExpected = true;
    },
  };
}

/** What the console keeps in the browser after signing in, by service and token. */
const keptSessions = new Map<string, string>();

/** Signs in through the form the first time; from then on with what the browser kept. */
async function goToConsole(page: Page, url: string, query: string, token: string | null): Promise<void> {
  const kept = keptSessions.get(`${url} ${token}`);
  const forget = 'localStorage.clear(); sessionStorage.clear();';
  const first = await page.addInitScript(`${forget} Object.assign(localStorage, ${kept ?? '{}'})`);
  await page.goto(`${url}/console${query}`);
  await first.dispose();
  if (token === null) return;
  if (kept === undefined) {
    await signIn(page, token);
    keptSessions.set(`${url} ${token}`, await page.evaluate<string>('JSON.stringify(localStorage)'));
    // While the token is checked, there is a navigation that is replaced.
  } else await page.locator('.shell:not([aria-busy])').waitFor();
}

/** The shared page if nobody uses it and only the window or the media differ; otherwise one in a context of its own. */
async function takePage(
  browser: Browser,
  { viewport: size = viewport, reducedMotion, forcedColors, ...others }: BrowserContextOptions,
): Promise<{ page: Page; release: () => Promise<void> }> {
  const shared = sharedPages.get(browser);
  const isOwn = Object.keys(others).length > 0 || shared?.isTaken === true;
  const page = isOwn || shared === undefined ? await openPage(browser, others) : shared.page;
  const context = page.context();
  if (size !== null) await page.setViewportSize(size);
  await page.emulateMedia({
    ...media,
    ...(reducedMotion === undefined ? {} : { reducedMotion }),
    ...(forcedColors === undefined ? {} : { forcedColors }),
  });
  if (isOwn) return { page, release: () => context.close() };
  sharedPages.set(browser, { page, isTaken: true });
  return { page, release };

  async function release(): Promise<void> {
    for (const each of context.pages()) if (each !== page) await each.close();
    if (page.isClosed()) {
      sharedPages.delete(browser);
      return;
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // What it was about to send must not reach the next test, which arranges its plants before it loads the console.
    await page.evaluate('fetch = () => new Promise(() => {})');
    sharedPages.set(browser, { page, isTaken: false });
  }
}

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(stepMs);
  const page = await context.newPage();
  await page.addInitScript(
    'window.blocked = []; addEventListener("securitypolicyviolation", (event) => blocked.push(event.violatedDirective))',
  );
  return page;
}

/** Signs in through the form and stays signed in, so that a reload keeps the session. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByLabel('Stay signed in').check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

const axe = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** What axe-core is to look at: by default, everything with all its rules. */
export interface Look {
  /** A selector of the part. */
  readonly within?: string;
  readonly rules?: readonly string[];
}

/** The violations that axe-core finds, one line for each rule. */
export async function findAccessFaults(page: Page, { within, rules }: Look = {}): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(await axe);
  // Nothing to preload: the rules that need it, for orientation and for media that play by themselves, have nothing to look at here.
  const options = {
    resultTypes: ['violations', 'incomplete'],
    preload: false,
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  const part = within === undefined ? 'document' : JSON.stringify(within);
  const { violations, incomplete } = await page.evaluate<AxeResults>(`axe.run(${part}, ${JSON.stringify(options)})`);
  // A text in the colour of its background is none for axe-core, but to be looked at.
  const invisible = incomplete.flatMap((rule) => {
    const nodes = rule.nodes.filter(({ any }) =>
      any.some(({ data }) => (data as { messageKey?: string } | undefined)?.messageKey === 'equalRatio'),
    );
    return nodes.length > 0 ? [{ ...rule, nodes }] : [];
  });
  return [...violations, ...invisible].map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}

/** Waits until an expression is true in the page. The library's own function is blocked by the policy of the page. */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  const end = performance.now() + stepMs;
  while ((await page.evaluate(`Boolean(${expression})`)) !== true) {
    assert.ok(performance.now() < end, `still not true: ${expression}`);
    await page.waitForTimeout(20);
  }
}

/** Makes the page believe that its tab is hidden, or visible again. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);
}
