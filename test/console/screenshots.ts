/**
 * Pictures of every state of the console and the documentation, light and dark, at three widths, in the folder `screenshots`.
 * With `--readme`: the picture of the README instead, in `docs/images`.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import { goToOperation, openForm } from '../docs-page/open-docs.ts';
import { startService } from '../support/start-service.ts';
import { launchBrowser, openConsole } from './open-console.ts';
import { fillStore, provokedStatuses, type State, states, webhookEnv } from './states.ts';

const root = join(import.meta.dirname, '..', '..');
const sizes = [
  { name: 'wide', width: 1440, height: 900 },
  { name: 'tablet', width: 768, height: 1024 },
  { name: 'phone', width: 390, height: 844 },
] as const;

const cleanups: (() => unknown)[] = [];
const scope = { after: (cleanup: () => unknown) => void cleanups.push(cleanup) };
try {
  const service = await startService(scope, { env: webhookEnv });
  const browser = await launchBrowser();
  scope.after(() => browser.close());
  const { page, expectSilence } = await openConsole(scope, browser, service, { statuses: [...provokedStatuses, 409] });
  expectSilence();
  if (process.argv.includes('--readme')) await takeForReadme(page, service.url, service.token);
  else {
    await fillStore(service);
    const client = new PlantClient({ url: service.url, token: service.token });
    const folder = join(root, 'screenshots');
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const pictures: readonly Picture[] = [...docsStates(), ...states];
    for (const { name, query, arrange, prepare, restore, show } of pictures) {
      const path = query.startsWith('/') ? query : `/console${query}`;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1440, height: 900 });
      await arrange?.(client);
      await page.goto(service.url + path);
      await prepare(page, service);
      for (const { name: size, width, height } of sizes) {
        await page.setViewportSize({ width, height });
        await show?.(page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.waitForTimeout(300);
          await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
        }
      }
      await restore?.(page);
    }
  }
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

interface Picture extends State {
  /** Scrolls to what the picture is of: at another width it is elsewhere. */
  readonly show?: (page: Page) => Promise<unknown>;
}

/** The states of the documentation page. */
function docsStates(): readonly Picture[] {
  return [
    { name: 'start', query: '/', prepare: (page) => page.getByRole('heading', { level: 1 }).waitFor() },
    { name: 'error', query: '/plants/7', prepare: (page) => page.getByRole('heading', { level: 1 }).waitFor() },
    { name: 'docs', query: '/docs', prepare: (page) => page.locator('#reference h1').waitFor() },
    { name: 'docs-errors', query: '/docs#error-40901', prepare: (page) => page.locator('#error-40901').waitFor() },
    {
      name: 'docs-operation',
      query: '/docs#operation',
      prepare: (page) => goToOperation(page, 'createPlant'),
      show: async (page) => {
        await page.waitForTimeout(300);
        await page.evaluate(`document.querySelector('section[id$="/post/plants" i]').scrollIntoView()`);
      },
    },
    {
      name: 'docs-request',
      query: '/docs#request',
      prepare: async (page, { token }) => {
        const form = await openForm(page, await goToOperation(page, 'createPlant'));
        await form.getByLabel('Access token').fill(token);
        await form.getByRole('button', { name: 'Send' }).click();
        await form.getByText('Response headers').waitFor();
      },
    },
  ];
}

/** Takes WebP, a third of the size of PNG: the package contains these pictures. */
async function takeForReadme(page: Page, url: string, token: string): Promise<void> {
  const client = new PlantClient({ url, token });
  const genera = 'Monstera,Calathea,Hoya,Ficus,Aloe,Begonia,Philodendron,Peperomia,Pilea,Sansevieria'.split(',');
  const kinds = 'deliciosa,white star,compacta,lyrata,vera,maculata,micans,caperata,glauca,moonshine'.split(',');
  const tags = 'climber,houseplant,hanging,tree,succulent,rare,shade,outdoor'.split(',');
  const rows = Array.from({ length: 1_000 }, (_, at) => {
    const name = `${genera[at % 10]} ${kinds[Math.floor(at / 10) % 10]}`;
    const tag = tags[(at * at + (at % 3)) % (at % 4 === 0 ? 8 : 5)];
    return `${at + 1},${name},${at % 11 === 0 ? '' : tag}\n`;
  });
  await client.import(`id,name,tag\n${rows.join('')}`, { mediaType: 'text/csv' });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${url}/console?plant=7`);
  await page.getByRole('button', { name: 'Save' }).waitFor();
  await page.waitForTimeout(300);
  const png = await page.screenshot();
  const blank = await page.context().newPage();
  const webp = await blank.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.9);
  })()`);
  await blank.close();
  const bytes = Buffer.from(webp.slice(webp.indexOf(',') + 1), 'base64');
  await writeFile(join(root, 'docs', 'images', 'console-plants.webp'), bytes);
}
