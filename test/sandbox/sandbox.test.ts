/** A sandbox as its visitors see it: tokens, and a space for each. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { contract } from '../support/read-contract.ts';
import { startService } from '../support/start-service.ts';

interface Json {
  readonly components: { readonly parameters: Readonly<Record<string, object>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const { url } = await startService({ after }, { store: 'folder', flags: ['--sandbox'] });

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

async function ask(token: string, path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

it('the start page of a sandbox promises no disk, and asks for no token of a folder that there is not', async () => {
  const text = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  assert.match(text, /<code>sandbox-my-first-space</);
  assert.match(text, /This sandbox keeps plants in memory only\./);
  assert.doesNotMatch(text, /on disk|initial-token|token create/);
});

describe('the token of a sandbox', () => {
  const long = 'a'.repeat(64);
  for (const [token, status] of [
    ['sandbox-12345678', 200],
    [`sandbox-${long}`, 200],
    ['sandbox-Aa0._-Zz', 200],
    ['sandbox-read-12345678', 200],
    ['sandbox-1234567', 401],
    [`sandbox-${long}a`, 401],
    ['sandbox-1234567+', 401],
    ['sandbox-read-1234567', 401],
    ['sandbox-read-read-12345678', 401],
    ['Sandbox-12345678', 401],
    ['plst_12345678', 401],
  ] as const)
    it(`${token.slice(0, 30)} of ${token.length} characters gets ${status}`, async () => {
      assert.equal((await ask(token, '/plants')).status, status);
    });

  it('is explained by the 401 of another one or of none', async () => {
    for (const reply of [
      await ask('sandbox-abc', '/plants'),
      await ask('sandbox-read-1234567', '/plants'),
      await fetch(`${url}/plants`),
    ])
      assert.match(await reply.text(), /sandbox-NAME, where NAME has 8 to 64 letters.*does not begin with read-/);
  });

  it('is not explained in the name of the server, which tools have in menus', async () => {
    for (const path of ['/openapi.json', '/openapi.yaml', '/sample/openapi.json', '/sample/openapi.yaml']) {
      const { servers } = parse(await (await fetch(url + path)).text()) as { servers: unknown };
      assert.deepEqual(servers, [{ url, description: 'This sandbox' }], path);
    }
  });

  it('reads only, if it says so', async () => {
    const body = { id: 900, name: 'Aloe' };
    assert.equal((await ask('sandbox-one-of-two', '/plants', { method: 'POST', body })).status, 200);
    const read = await ask('sandbox-read-one-of-two', '/plants/900');
    assert.deepEqual(await read.json(), { id: 900, name: 'Aloe' });
    const refused = await ask('sandbox-read-one-of-two', '/plants', { method: 'POST', body });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /plants:write, which \\"sandbox-NAME\\" has/);
  });

  it('is the author of what it changes', async () => {
    const body = { id: 900, name: 'Aloe' };
    await ask('sandbox-an-author', '/plants', { method: 'POST', body });
    for (const path of ['/plants/changes?order=desc&limit=1', '/plants/900/history']) {
      const [change] = (await (await ask('sandbox-an-author', path)).json()) as { by?: { name: string } }[];
      assert.equal(change?.by?.name, 'sandbox');
    }
    const own = (await (await ask('sandbox-read-an-author', '/tokens/self')).json()) as object;
    assert.partialDeepStrictEqual(own, { name: 'sandbox', scopes: ['plants:read'] });
  });

  it('never manages webhooks or tokens, and is told what it can do', async () => {
    for (const [path, why] of [
      ['/webhooks', /A sandbox sends no requests\. Force an answer with the header field Prefer/],
      ['/tokens', /A sandbox stores no tokens.* Force an answer with the header field Prefer/],
    ] as const) {
      const refused = await ask('sandbox-12345678', path);
      assert.equal(refused.status, 403);
      assert.match(await refused.text(), why);
    }
  });
});

describe('Prefer', () => {
  it('is a parameter of each operation in the description of a sandbox alone, in both formats', async () => {
    const read = async (name: string): Promise<Json> => parse(await (await fetch(`${url}/${name}`)).text()) as Json;
    const ordinary = JSON.parse(
      JSON.stringify(contract.document, (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
    ) as Json;
    const own = await read('openapi.json');
    assert.deepEqual(await read('openapi.yaml'), own);
    const { Prefer, ...parameters } = own.components.parameters;
    assert.partialDeepStrictEqual(Prefer, { name: 'Prefer', in: 'header' });
    assert.deepEqual(parameters, ordinary.components.parameters);
    const paths = Object.entries(own.paths).map(([path, { parameters, ...rest }]) => {
      assert.deepEqual(parameters, [{ $ref: '#/components/parameters/Prefer' }], path);
      return [path, rest];
    });
    assert.deepEqual(Object.fromEntries(paths), ordinary.paths);
  });

  it('forces an answer for each token of a sandbox, whatever its scope', async () => {
    const headers = { prefer: 'code=503' };
    for (const [token, status] of [
      ['sandbox-12345678', 503],
      ['sandbox-read-12345678', 503],
      ['other', 401],
    ] as const)
      assert.equal((await ask(token, '/plants/7', { method: 'DELETE', headers })).status, status);
  });
});

it('the pages of a sandbox say when its plants are dropped, so that they need no sign-in', async () => {
  for (const page of ['/console', '/docs/']) {
    const text = await (await fetch(url + page)).text();
    assert.match(text, /<meta name="sandbox-idle" content="1 hour"><\/head>/, page);
  }
});
