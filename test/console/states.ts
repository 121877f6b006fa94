/** Every state of the console that accessibility, layout and pictures are checked in. */
import type { Page } from 'playwright-core';
import { PlantClient } from '../../src/client/client.ts';
import type { Service } from '../support/service-run.ts';

export interface State {
  readonly name: string;
  /** The query of the address, such as `?view=tags`. */
  readonly query: string;
  /** The page must be loaded for it: what came before would show. Otherwise a link within the page leads there. */
  readonly isLoaded?: true;
  /** What is stored before the page shows it. */
  readonly arrange?: (client: PlantClient) => Promise<unknown>;
  /** Brings the page into the state; resolves once it is shown. */
  readonly prepare: (page: Page, service: Service) => Promise<unknown>;
  /** Undoes what a later state must not inherit. */
  readonly restore?: (page: Page) => Promise<unknown>;
}

/** For the service of the states: its webhooks may use addresses of this machine. */
export const webhookEnv = { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' };

/** Statuses that the states provoke. */
export const provokedStatuses = [404, 412];

const csv = (text: string) => ({ name: 'delivery.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
const sampleRows = Array.from({ length: 12 }, (_, at) => `${2_000 + at},Plant ${at},new`).join('\n');

const isShown = (text: string) => (page: Page) => page.getByText(text).first().waitFor();

/** Stores plants with one tag, written in several ways. */
async function storeVariants(client: PlantClient): Promise<void> {
  const tags = ['sale', 'sale ', ' Sale', 'SALE', 'alphabet'.repeat(40), '\u202Ebackwards\u200B', '  '];
  for (const [at, tag] of tags.entries()) await client.put(100n + BigInt(at), { name: `On sale ${at}`, tag });
}

async function storeDeleted(client: PlantClient, ids: readonly bigint[]): Promise<void> {
  for (const id of ids) {
    const name = id === 24n ? 'Unbroken'.repeat(60) : `Deleted ${id}`;
    await client.put(id, { name, tag: id % 2n === 0n ? 'a tag with a rather long name that has no room' : 'rare' });
    await client.delete(id);
  }
}

/** What `changeElsewhere` changes, as it was before. */
async function arrangeChange(client: PlantClient): Promise<void> {
  for (const id of [4n, 6n]) await client.put(id, { name: `Plant ${id}`, tag: `tag ${id}` });
}

/** Someone else changes one plant of the list and deletes another. */
async function changeElsewhere(page: Page, { url, token }: Service): Promise<void> {
  const client = new PlantClient({ url, token });
  // What happens during the load is no news.
  await page.locator('.grid[aria-busy="false"]').waitFor();
  await page.getByRole('row', { name: 'Plant 6, ' }).waitFor();
  await client.put(4n, { name: 'Changed elsewhere', tag: 'new' });
  await client.delete(6n);
  await page.locator('.row.is-gone').waitFor();
}

export const states: readonly State[] = [
  {
    name: 'list',
    query: '',
    isLoaded: true,
    prepare: (page) => page.getByRole('row', { name: 'Plant 3' }).first().waitFor(),
  },
  {
    name: 'selection',
    query: '',
    prepare: (page) => page.locator('.row .pick').nth(2).click(),
    restore: (page) => page.locator('.row .pick').nth(2).click(),
  },
  {
    name: 'delete-asked',
    query: '',
    prepare: async (page) => {
      await page.getByLabel('Select all', { exact: true }).click();
      await page.getByRole('region', { name: 'Selected plants' }).getByRole('button', { name: 'Delete' }).click();
      await page.locator('.question .button:focus', { hasText: 'Delete' }).waitFor();
    },
    restore: async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Clear the selection' }).click();
    },
  },
  {
    name: 'row-unsaved',
    query: '',
    prepare: async (page) => {
      await page.locator('.row[data-index="2"] .cell-id a').click();
      await page.getByLabel('Name', { exact: true }).fill('Half a word');
      await page.keyboard.press('Escape');
      await page.getByText('edited, not saved').waitFor();
    },
    restore: async (page) => {
      await page.locator('.row[data-index="2"] .cell-id a').click();
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.keyboard.press('Escape');
      await page.getByText('edited, not saved').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'row-edited',
    query: '',
    prepare: async (page) => {
      await page.locator('.row[data-index="3"]').focus();
      await page.keyboard.press('e');
      await page.getByRole('textbox', { name: 'Name' }).fill('Unbroken'.repeat(130));
      await page.getByRole('textbox', { name: 'Name' }).press('Enter');
      await page.getByText('The name has 1040 characters').waitFor();
      await page.getByRole('combobox', { name: 'Tag', exact: true }).fill('TAG 3');
      // The suggestions do not cover the field.
      await page.getByRole('button', { name: 'Use it' }).click({ trial: true });
    },
    restore: (page) => page.getByRole('textbox', { name: 'Name' }).press('Escape'),
  },
  {
    name: 'tag-suggestions',
    query: '',
    prepare: async (page) => {
      await page.getByRole('combobox').fill('tag');
      await page.getByRole('option').first().waitFor();
    },
    restore: (page) => page.getByRole('combobox').fill(''),
  },
  {
    name: 'export-menu',
    query: '',
    prepare: (page) => page.getByRole('button', { name: 'Export' }).click(),
    restore: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'tag-filter',
    query: '?tag=a+tag+with+a+rather+long+name+that+has+no+room',
    prepare: isShown('Long ago'),
  },
  { name: 'no-results', query: '?search=none', prepare: isShown('No results for') },
  {
    name: 'form',
    query: '?plant=7',
    prepare: (page) => page.getByRole('button', { name: 'Save' }).waitFor(),
  },
  {
    name: 'form-with-errors',
    query: '?plant=new',
    prepare: async (page) => {
      await page.getByLabel('Id', { exact: true }).fill('x');
      await page.getByRole('button', { name: 'Add plant' }).click();
    },
    restore: (page) => page.evaluate('sessionStorage.clear()'),
  },
  {
    name: 'form-added',
    // The list does not scroll to the new plant: it is in another one.
    query: '?tag=tag+1&plant=new',
    isLoaded: true,
    arrange: (client) => client.delete(62n),
    prepare: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('Unbroken'.repeat(20));
      await page.getByRole('combobox', { name: 'Tag', exact: true }).fill('tag 3');
      await page.getByRole('button', { name: 'Add plant' }).click();
      await page.getByRole('button', { name: 'Open' }).waitFor();
      await page.getByRole('combobox', { name: 'Tag', exact: true }).fill('TAG  1');
      // It is not covered by the suggestions.
      await page.getByRole('button', { name: 'Use it' }).click({ trial: true });
    },
    restore: (page) => page.evaluate('sessionStorage.clear()'),
  },
  { name: 'missing-plant', query: '?plant=404404', prepare: isShown('There is no plant with this id') },
  {
    name: 'conflict',
    query: '?plant=8',
    isLoaded: true,
    arrange: (client) => client.put(8n, { name: 'Plant 8', tag: 'tag 8' }),
    prepare: async (page, { url, token }) => {
      const client = new PlantClient({ url, token });
      await page.getByLabel('Name', { exact: true }).fill('My name');
      await client.put(8n, { name: 'Name of someone else', tag: 'tag 8' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The name changed here and elsewhere.').waitFor();
    },
    restore: (page) => page.evaluate('sessionStorage.clear()'),
  },
  {
    name: 'changed-elsewhere',
    query: '',
    isLoaded: true,
    arrange: arrangeChange,
    prepare: changeElsewhere,
  },
  {
    name: 'changed-elsewhere-beside-form',
    query: '',
    isLoaded: true,
    arrange: arrangeChange,
    prepare: async (page, service) => {
      await changeElsewhere(page, service);
      await page.getByRole('row', { name: 'Plant 5, ' }).click();
      await page.getByRole('button', { name: 'Save' }).waitFor();
    },
  },
  {
    name: 'form-changed-elsewhere',
    query: '?plant=22',
    isLoaded: true,
    arrange: async (client) => {
      await client.put(22n, {
        name: "Geranium 'Rozanne' (PBR), 13 cm, a name that is long",
        tag: 'perennial'.repeat(5),
      });
      await client.put(22n, { name: 'Plant 22', tag: 'tag 8' });
    },
    prepare: async (page, { url, token }) => {
      const client = new PlantClient({ url, token });
      await page.getByRole('button', { name: 'Save' }).waitFor();
      await client.put(22n, { name: 'Unbroken'.repeat(20), tag: 'a tag with a rather long name that has no room' });
      await page.locator('.note-incoming').waitFor();
      await page.locator('summary', { hasText: 'History' }).click();
      await page.locator('.history > li').first().waitFor();
    },
  },
  {
    name: 'bin',
    query: '?view=bin',
    isLoaded: true,
    arrange: async (client) => {
      await storeDeleted(client, [23n, 24n, 9223372036854775805n]);
      const rows = ['Geranium × cantabrigiense Biokovo', 'Short'].map((name, at) => `${7_000 + at},${name},binned\n`);
      await client.import(`id,name,tag\n${rows.join('')}`, { mediaType: 'text/csv' });
      await client.batch({ action: 'delete', plants: { tag: 'binned' } });
    },
    prepare: async (page, { url, token }) => {
      const client = new PlantClient({ url, token });
      await page.getByRole('button', { name: 'Restore “Deleted 23”' }).waitFor();
      await client.create({ id: 23n, name: 'Back' });
      await client.delete(23n);
      await page.getByRole('button', { name: 'Restore “Back”' }).waitFor();
      await page.getByText('2 plants Geranium').click();
    },
  },
  {
    name: 'deleted-plant',
    query: '?plant=24',
    isLoaded: true,
    arrange: (client) => storeDeleted(client, [24n]),
    prepare: async (page) => {
      await page.getByText('This plant was deleted.').waitFor();
      await page.getByRole('button', { name: 'Restore' }).waitFor();
    },
  },
  {
    name: 'tags',
    query: '?view=tags',
    isLoaded: true,
    arrange: storeVariants,
    prepare: isShown('The marked tags differ'),
  },
  {
    name: 'tags-merge',
    query: '?view=tags',
    isLoaded: true,
    arrange: storeVariants,
    prepare: async (page) => {
      await page.locator('.tag-row', { hasText: '␣Sale' }).getByRole('button', { name: 'Rename or merge' }).click();
      const row = page.locator('.tag-row', { hasText: 'U+202E' });
      await row.getByRole('button', { name: 'Rename or merge' }).click();
      await row.getByRole('combobox').fill('x'.repeat(200));
      await row.getByRole('button', { name: 'Rename', exact: true }).click();
      await page.getByText(/^Merge .* into/).waitFor();
    },
  },
  {
    name: 'activity',
    query: '?view=activity',
    isLoaded: true,
    arrange: async (client) => {
      const rows = Array.from({ length: 40 }, (_, at) => `{"id":${4_000 + at},"name":"Cutting ${at}","tag":"new"}\n`);
      await client.import(rows.join(''), { mediaType: 'application/x-ndjson' });
      await client.batch({ action: 'setTag', plants: { tag: 'new' }, tag: 'x'.repeat(200) });
      await client.batch({ action: 'delete', plants: { name: 'Cutting' } });
      await client.put(8n, { name: 'Unbroken'.repeat(40), tag: 'tag 9' });
    },
    prepare: async (page) => {
      await page.getByText('deleted 40 plants').click();
      await page.getByRole('link', { name: 'Cutting 39' }).waitFor();
    },
  },
  { name: 'import', query: '?view=import', prepare: isShown('Choose a file') },
  {
    name: 'import-checked',
    query: '?view=import',
    prepare: async (page) => {
      const text = `id,name,tag\n${sampleRows}\nx,Ivy,\n5,Other,\n2020,"Aloe,\n2021,Fern,\n2022,"Hoya,\n2023,Ficus,\n`;
      await page.getByLabel('File to import').setInputFiles(csv(text));
      await page.getByRole('region', { name: 'Refused rows' }).waitFor();
    },
  },
  {
    name: 'import-columns',
    query: '?view=import',
    isLoaded: true,
    prepare: async (page) => {
      const rows = ['Bezeichnung;Preis;Kategorie', `${'Unbroken'.repeat(20)};4,50;sale`, 'Rübe;1,20;new'];
      const buffer = Buffer.from(rows.join('\n'), 'latin1');
      await page.getByLabel('File to import').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: 'Import 2 plants' }).waitFor();
    },
  },
  {
    name: 'import-repeated',
    query: '?view=import',
    isLoaded: true,
    prepare: async (page) => {
      await page.getByLabel('File to import').setInputFiles(csv('id,name\n3001,Aloe\n3001,Fern\n'));
      await page.getByText('1 id is in the file more than once').waitFor();
    },
  },
  {
    name: 'import-spreadsheet',
    query: '?view=import',
    isLoaded: true,
    prepare: async (page) => {
      const buffer = Buffer.from('504b0304', 'hex');
      await page.getByLabel('File to import').setInputFiles({ name: 'a.xlsx', mimeType: 'application/zip', buffer });
      await page.getByText('This is the file of a spreadsheet').waitFor();
    },
  },
  {
    name: 'labels',
    query: '?view=labels&ids=1,2,3,9223372036854775807',
    prepare: (page) => page.locator('svg.qr').nth(3).waitFor(),
  },
  {
    name: 'labels-wrong-address',
    query: '?view=labels&ids=1,2,3&size=stake',
    prepare: async (page) => {
      await page.getByLabel('Address in the QR code').fill('plants');
      await page.getByText('Enter an address').waitFor();
    },
    restore: (page) => page.getByLabel('Address in the QR code').fill(''),
  },
  {
    name: 'webhooks',
    query: '?view=webhooks',
    prepare: async (page, { url, token, addSecret }) => {
      const client = new PlantClient({ url, token });
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByLabel('URL').fill(`http://127.0.0.1:9/${'a-long-path/'.repeat(12)}`);
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByText('It is shown only once.').waitFor();
      addSecret((await page.locator('.shown-once code').textContent()) ?? '');
      for (const id of [70n, 71n]) await client.create({ id, name: 'Of which nobody hears' });
      await page.locator('summary', { hasText: 'Deliveries' }).click();
      await page.getByText('2 changes wait').waitFor();
      await page.getByText('Failing · ').waitFor();
    },
    restore: async (page) => {
      await page.getByRole('button', { name: /^Delete/ }).click();
      await page.locator('.question .button:focus', { hasText: 'Cancel' }).waitFor();
      await page.getByRole('button', { name: 'Delete it' }).click();
      await page.locator('.managed-item').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'webhook-edited',
    query: '?view=webhooks',
    prepare: async (page, { url, token, addSecret }) => {
      const client = new PlantClient({ url, token });
      for (const path of ['a', 'b']) {
        const hook = await client.webhooks.create({ url: `http://127.0.0.1:9/${path}`, events: ['plant.created'] });
        addSecret(hook.secret);
        await client.webhooks.update(hook.id, { enabled: false });
      }
      await page.getByRole('button', { name: 'Edit http://127.0.0.1:9/a' }).click();
      await page.getByRole('dialog', { name: 'Edit webhook' }).getByLabel('URL').waitFor();
    },
    restore: async (page) => {
      await page.keyboard.press('Escape');
      for (const path of ['a', 'b']) {
        await page.getByRole('button', { name: `Delete http://127.0.0.1:9/${path}` }).click();
        await page.getByRole('button', { name: 'Delete it' }).click();
        await page.getByText(`127.0.0.1:9/${path}`).first().waitFor({ state: 'detached' });
      }
    },
  },
  {
    name: 'tokens',
    query: '?view=tokens',
    prepare: (page) => page.getByRole('button', { name: 'Revoke' }).first().waitFor(),
  },
  {
    name: 'token-new',
    query: '?view=tokens',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByRole('button', { name: 'Create token' }).waitFor();
    },
    restore: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'settings',
    query: '?view=settings',
    prepare: (page) => page.getByRole('button', { name: 'Sign out' }).waitFor(),
  },
  {
    name: 'keys',
    query: '?view=settings',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Show the keys' }).click();
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    },
    restore: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'sign-in',
    query: '',
    isLoaded: true,
    prepare: async (page) => {
      await page.evaluate('sessionStorage.setItem("kept", JSON.stringify(localStorage)); localStorage.clear()');
      await page.reload();
      await page.getByText('Where do I get a token?').click();
    },
    restore: (page) =>
      page.evaluate('Object.assign(localStorage, JSON.parse(sessionStorage.getItem("kept"))); sessionStorage.clear()'),
  },
  {
    name: 'offline',
    query: '',
    isLoaded: true,
    prepare: async (page) => {
      await page.getByRole('row', { name: 'Plant 3' }).first().waitFor();
      await page.route(/\/(plants|tags|readyz)/, (route) => route.abort());
      await page.getByRole('searchbox').fill('gone');
      await page.getByRole('alert').first().waitFor();
      await page.getByRole('button', { name: 'Try now' }).waitFor();
    },
    restore: (page) => page.unrouteAll(),
  },
];

/** Plants that the states show: short and long texts, ids at the bounds. */
export async function fillStore({ url, token }: Service): Promise<void> {
  const client = new PlantClient({ url, token });
  const rows = Array.from({ length: 60 }, (_, id) => `{"id":${id},"name":"Plant ${id}","tag":"tag ${id % 14}"}\n`);
  await client.import(rows.join(''), { mediaType: 'application/x-ndjson' });
  const longTag = 'a tag with a rather long name that has no room';
  await client.put(9223372036854775807n, { name: `Long ago ${'and far away '.repeat(20)}`, tag: longTag });
  await client.put(9223372036854775806n, { name: 'Unbroken'.repeat(60), tag: 'x'.repeat(200) });
  await client.put(61n, { name: 'two\nlines', tag: '' });
}
