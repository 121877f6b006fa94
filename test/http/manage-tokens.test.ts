/** Tokens over HTTP: made with some of the caller's scopes, listed without secrets, revoked. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PlantClient, type Token } from '../../src/client/client.ts';
import { toTokenHandlers } from '../../src/http/operations/tokens.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';

const service = await startService({ after });
const clientOf = (token: string): PlantClient => new PlantClient({ url: service.url, token });
const owner = clientOf(service.token);
const statusOf = async (token: string): Promise<number> =>
  (await request(service, { method: 'GET', path: '/plants', token })).status;

describe('/tokens', () => {
  it('makes a token that works with its scopes, is listed without its secret, and can be revoked', async () => {
    const made = await owner.tokens.create({ name: 'till', scopes: ['plants:read'], expiresIn: 3_600 });
    service.addSecret(made.token);
    const { token, ...shown } = made;
    assert.equal(made.createdBy, (await owner.tokens.self()).id);
    assert.equal(Date.parse(made.expiresAt ?? '') - Date.parse(made.createdAt), 3_600_000);
    assert.equal(await statusOf(token), 200);
    assert.equal((await request(service, { token, body: '{"name":"a","id":1}' })).number, 40301);
    const find = async (): Promise<Partial<Token>> =>
      (await owner.tokens.list()).find(({ id }) => id === made.id) ?? {};
    // The use is noted after the response.
    let found = await find();
    while (found.lastUsedAt === undefined) found = await find();
    const { lastUsedAt, ...listed } = found;
    assert.match(lastUsedAt, /:00\.000Z$/);
    assert.deepEqual(listed, shown);
    assert.equal(await owner.tokens.revoke(made.id), true);
    assert.equal(await owner.tokens.revoke(made.id), true);
    assert.equal(await owner.tokens.revoke('unknown'), false);
    while ((await statusOf(token)) !== 401);
    const revoked = (await owner.tokens.list()).find(({ id }) => id === made.id);
    assert.equal(revoked?.state, 'revoked');
  });

  it('gives no scope that the caller lacks', async () => {
    const { token: manager } = await createToken(service, ['tokens:manage', 'plants:read']);
    const wanted = { name: 'more', scopes: ['plants:read', 'plants:write'] as const };
    const refused = await request(service, { path: '/tokens', token: manager, body: JSON.stringify(wanted) });
    assert.equal(refused.number, 40301);
    assert.match(refused.headers['www-authenticate'] ?? '', /scope="plants:write"$/);
    assert.ok(!(await owner.tokens.list()).some(({ name }) => name === 'more'));
  });

  it('tells any token its own name, scopes and expiry', async () => {
    const made = await owner.tokens.create({ name: 'till', scopes: ['plants:write'], expiresIn: 3_600 });
    service.addSecret(made.token);
    const { id, name, scopes, expiresAt } = made;
    assert.deepEqual(await clientOf(made.token).tokens.self(), { id, name, scopes, expiresAt });
    const own = await owner.tokens.self();
    assert.deepEqual([own.scopes.length, 'expiresAt' in own], [4, false]);
    assert.equal((await request(service, { path: '/tokens/self', token: null })).number, 40101);
  });

  it('refuses names and scopes that the command line refuses, too', async () => {
    for (const body of [
      '{"name":"","scopes":["plants:read"]}',
      '{"name":"a\\u0007","scopes":["plants:read"]}',
      '{"name":"a","scopes":["plants:all"]}',
      '{"name":"a","scopes":["plants:read","plants:read"]}',
      '{"name":"a","scopes":["plants:read"],"expiresIn":0}',
      '{"name":"a","scopes":["plants:read"],"expiresIn":315360001}',
      // A token that would never expire.
      '{"name":"a","scopes":["plants:read"],"expires_in":60}',
      '{"name":"a","scopes":["plants:read"],"expiresAt":"2026-11-27T00:00:00.000Z"}',
    ])
      assert.equal((await request(service, { path: '/tokens', body })).number, 40021, body);
    const twice = await request(service, {
      path: '/tokens',
      body: '{"name":"a","scopes":["plants:read","plants:read"]}',
    });
    assert.match(twice.message ?? '', /"scopes" must not have the same item twice$/);
  });

  it('refuses names with characters that are invisible or turn the text, and no others', async () => {
    const ask = (name: string): ReturnType<typeof request> =>
      request(service, { path: '/tokens', body: JSON.stringify({ name, scopes: ['plants:read'] }) });
    const invisible = ['\n', '\u007f', '\u0085', '\u00ad', '\u061c', '\u200b', '\u202e', '\u2066', '\ufeff', '\uff00'];
    for (const character of invisible) {
      const { number, message } = await ask(`a${character}`);
      assert.equal(number, 40021, JSON.stringify(character));
      assert.match(message ?? '', /"name" .*has a character that is invisible or controls the text$/);
    }
    // Persian and families of emoji need joiners.
    for (const name of ['Monstera #1', 'سبزی\u200cفروشی', '👩\u200d🌾', '温室！', 'É — “x”']) {
      const { status, json } = await ask(name);
      assert.equal(status, 201, name);
      const made = json() as { name: string; token: string };
      service.addSecret(made.token);
      assert.equal(made.name, name);
    }
  });

  it('does not outlive the token that creates it', async () => {
    const { token: brief } = await createToken(service, ['tokens:manage', 'plants:read'], { lifeMs: 3_600_000 });
    const { expiresAt: end } = await clientOf(brief).tokens.self();
    for (const [expiresIn, hasOwnEnd] of [
      [undefined, false],
      [7_200, false],
      [60, true],
    ] as const) {
      const life = expiresIn === undefined ? {} : { expiresIn };
      const made = await clientOf(brief).tokens.create({ name: 'till', scopes: ['plants:read'], ...life });
      service.addSecret(made.token);
      const own = new Date(Date.parse(made.createdAt) + 60_000).toISOString();
      assert.equal(made.expiresAt, hasOwnEnd ? own : end);
    }
  });

  it('takes 10,000', async () => {
    const { createToken: create } = toTokenHandlers(() => 0);
    const call = { body: { name: 'a', scopes: ['plants:read'] }, principal: { scopes: new Set(['plants:read']) } };
    let most: unknown;
    const store = { tokens: { insert: async (_: unknown, countMax: number) => void (most = countMax) } };
    await create(call as never, store as never, undefined as never);
    assert.equal(most, 10_000);
  });
});
