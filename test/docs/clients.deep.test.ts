/** What docs/clients.md says of generated clients: its own lines, run with the clients, keep a large id exact. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import createFetchClient from 'openapi-fetch';
import { createClient } from '@hey-api/openapi-ts';
import { PlantClient } from '../../src/client/client.ts';
import { makeFolder } from '../support/clean-up.ts';
import { startService } from '../support/start-service.ts';

const root = join(import.meta.dirname, '../..');
const page = await readFile(join(root, 'docs/clients.md'), 'utf8');
const service = await startService({ after });
const store = new PlantClient({ url: service.url, token: service.token });
const given = { baseUrl: service.url, headers: { authorization: `Bearer ${service.token}` } };
const id = 9007199254740993n;
const rounded = 9007199254740992;

interface Answer {
  readonly data?: unknown;
  readonly error?: { readonly error?: number };
}

/** The two functions of the page. */
const [, functions = ''] = /```js\n([^]*?)\n\nconst plants/.exec(page) ?? [];

/** The lines of the table for a client, with the names that they use. */
async function loadRow(client: string, names: readonly string[]): Promise<Record<'read' | 'send', Row>> {
  const [, version = '', read = '', send = ''] =
    new RegExp(`^\\| ${RegExp.escape(client)} (\\S+) +\\| \`(.+?)\` +\\| \`(.+?)\` +\\|$`, 'm').exec(page) ?? [];
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  assert.ok(devDependencies[client]?.startsWith(`${version}.`), `${client} ${version} is not the tested version`);
  const toFunction = (name: string, line: string): string =>
    `export const ${name} = async ({ ${names.join(', ')} }) => ${line};`;
  const code = [functions, toFunction('read', read), toFunction('send', send)].join('\n');
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<'read' | 'send', Row>;
}

type Row = (names: Readonly<Record<string, unknown>>) => Promise<unknown>;

async function assertExact(row: Record<'read' | 'send', Row>, names: Readonly<Record<string, unknown>>): Promise<void> {
  await store.delete(id);
  const body = { id, name: 'Fern' };
  const { data, error } = (await row.send({ ...names, body })) as Answer;
  assert.deepEqual([data, error], [{ name: 'Fern' }, undefined]);
  assert.equal((await store.get(id))?.plant.name, 'Fern');
  assert.deepEqual(await row.read(names), [body]);
}

describe('docs/clients.md', () => {
  it('keeps a large id exact with openapi-fetch, which would round it', async () => {
    const client = createFetchClient<Record<string, Record<'get', object>>>(given);
    await assertExact(await loadRow('openapi-fetch', ['client', 'body']), { client });
    const plain = (await client.GET('/plants', {})) as Answer;
    assert.equal((plain.data as readonly { readonly id: number }[])[0]?.id, rounded);
  });

  it('keeps a large id exact with the client that @hey-api/openapi-ts makes, which would not', async (t) => {
    const folder = await makeFolder(t);
    await createClient({
      input: join(root, 'openapi.json'),
      output: { path: folder, module: { extension: '.ts' } },
      plugins: ['@hey-api/client-fetch', '@hey-api/sdk'],
      logs: { level: 'silent', file: false },
    });
    const load = (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href);
    const { createPlant, listPlants } = (await load('sdk.gen.ts')) as Record<
      string,
      (options: object) => Promise<Answer>
    >;
    const { createClient: open } = (await load('client/index.ts')) as {
      readonly createClient: (options: object) => object;
    };
    assert.ok(createPlant !== undefined && listPlants !== undefined);
    const client = open(given);
    const row = await loadRow('@hey-api/openapi-ts', ['client', 'body', 'createPlant', 'listPlants']);
    await assertExact(row, { client, createPlant, listPlants });
    const plain = await listPlants({ client });
    assert.equal((plain.data as readonly { readonly id: number }[])[0]?.id, rounded);
    assert.equal((await createPlant({ client, body: { id, name: 'Fern' } })).error?.error, 40011);
  });
});
