/** Access tokens of an OpenID provider: which are taken, for how long, and what a provider that is away means. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { IssuerKeys } from '../../src/auth/issuer-keys.ts';
import { isJwt, JwtAuthenticator } from '../../src/auth/jwt-authenticator.ts';
import type { Principal, TokenRecord } from '../../src/domain/principal.ts';
import { Issuer, makeSigner, type Signer } from './issuer.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const first = await makeSigner('first');

class Scene {
  now = 1_700_000_000_000;
  readonly issuer: Issuer;
  readonly records = new Map<string, TokenRecord>();
  readonly changes: unknown[] = [];
  readonly failures: unknown[] = [];
  insertFailure: Error | undefined;
  #users: JwtAuthenticator;

  constructor(issuer: Issuer) {
    this.issuer = issuer;
    this.#users = this.#open();
  }

  static async open(t: TestContext, ...signers: readonly Signer[]): Promise<Scene> {
    return new Scene(await Issuer.start(t, ...(signers.length === 0 ? [first] : signers)));
  }

  /** Forgets all that is cached. */
  restart(): void {
    this.#users = this.#open();
  }

  /** Undefined also for a text that is no JWT. */
  async find(token: string): Promise<Principal | undefined> {
    return isJwt(token) ? this.#users.find(token) : undefined;
  }

  async findSub(
    claims: Readonly<Record<string, unknown>> = {},
    header: Parameters<Issuer['sign']>[2] = {},
  ): Promise<boolean> {
    return (await this.find(await this.issuer.sign(this.now, claims, header))) !== undefined;
  }

  #open(): JwtAuthenticator {
    const clock = { now: () => this.now, elapsed: () => this.now };
    const keys = new IssuerKeys({
      issuer: this.issuer.url,
      elapsed: () => clock.elapsed(),
      onChange: (cause) => this.changes.push(cause),
    });
    return new JwtAuthenticator({
      issuer: this.issuer.url,
      audience: 'plants',
      scopeClaim: 'scope',
      keys,
      clock,
      onNoteFailed: (cause) => this.failures.push(cause),
      tokens: {
        findByHash: (hash) => Promise.resolve(this.records.get(hash)),
        insert: (record) => {
          if (this.insertFailure !== undefined) return Promise.reject(this.insertFailure);
          assert.ok(![...this.records.values()].some(({ id }) => id === record.id), 'stored once');
          this.records.set(record.hash, record);
          return Promise.resolve();
        },
        touch: (id, usedAt) => {
          for (const [hash, record] of this.records)
            if (record.id === id) this.records.set(hash, { ...record, lastUsedAt: usedAt });
          return Promise.resolve();
        },
      },
    });
  }
}

describe('an access token of an OpenID provider', () => {
  it('stands for its subject, with the scopes that the service knows, also as an array', async (t) => {
    const scene = await Scene.open(t);
    const tokens = await Promise.all(
      ['openid plants:read plants:write', ['plants:read', 7, 'x']].map((scope) =>
        scene.issuer.sign(scene.now, { scope, sub: 'ä'.repeat(150) }),
      ),
    );
    const [words, array] = await Promise.all(tokens.map((token) => scene.find(token)));
    assert.deepEqual([...(words?.scopes ?? [])], ['plants:read', 'plants:write']);
    assert.deepEqual([...(array?.scopes ?? [])], ['plants:read']);
    assert.deepEqual([words?.name, words?.expiresAt], ['ä'.repeat(100), scene.now + 600_000]);
    assert.match(words?.tokenId ?? '', /^jwt:[0-9a-f]{16}$/);
    assert.equal(words?.tokenId, array?.tokenId);
    assert.deepEqual(
      [...scene.records.values()].map(({ name, scopes }) => [name, scopes]),
      [['ä'.repeat(100), []]],
    );
    const bob = await scene.find(await scene.issuer.sign(scene.now, { sub: 'bob' }));
    assert.notEqual(bob?.tokenId, words?.tokenId);
  });

  it('expires in the year 9999 at the latest, which a reply can say', async (t) => {
    const scene = await Scene.open(t);
    const found = await scene.find(await scene.issuer.sign(scene.now, { exp: 1e300 }));
    assert.equal(found?.expiresAt, Date.parse('9999-12-31T23:59:59.999Z'));
  });

  it('is taken with RS256, PS256, ES256 and EdDSA', async (t) => {
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
      const scene = await Scene.open(t, await makeSigner('key', alg));
      assert.ok(await scene.findSub(), alg);
    }
  });

  it('is refused if a claim, the type or the signature is not as it must be', async (t) => {
    const scene = await Scene.open(t);
    const seconds = Math.floor(scene.now / 1000);
    const stranger = await makeSigner('first');
    const other = await makeSigner('other', 'ES384');
    assert.ok(await scene.findSub({ exp: seconds - 59, aud: ['x', 'plants'] }), 'clocks may differ by a minute');
    const refused: Record<string, boolean> = {};
    for (const [name, claims] of Object.entries({
      expired: { exp: seconds - 61 },
      'not yet': { nbf: seconds + 120 },
      'another audience': { aud: 'other' },
      'another issuer': { iss: 'https://example.org' },
      'without subject': { sub: undefined },
      'with a subject that is no text': { sub: {} },
      'with a subject that cannot be stored': { sub: 'ann\0' },
      'with half a character in its subject': { sub: 'ann\ud800' },
      'without expiry': { exp: undefined },
      'without audience': { aud: undefined },
    }))
      refused[name] = await scene.findSub(claims);
    refused['an ID token of another type'] = await scene.findSub({}, { typ: 'logout+jwt' });
    refused['a key of the same name'] = await scene.findSub({}, { signer: stranger });
    scene.issuer.signers = [first, other];
    scene.restart();
    refused['an algorithm that is not listed'] = await scene.findSub({}, { signer: other });
    const [, payload = ''] = (await scene.issuer.sign(scene.now)).split('.');
    const none = `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}`;
    refused['none'] = (await scene.find(`${none}.`)) !== undefined;
    const hmac = `${encode({ alg: 'HS256', kid: 'first', typ: 'at+jwt' })}.${payload}`;
    const secret = JSON.stringify(first.jwk);
    refused['HS256 with the public key'] =
      (await scene.find(`${hmac}.${createHmac('sha256', secret).update(hmac).digest('base64url')}`)) !== undefined;
    assert.deepEqual(
      Object.values(refused),
      Object.keys(refused).map(() => false),
      JSON.stringify(refused),
    );
  });

  it('may have 8,192 characters, and no more', async (t) => {
    const scene = await Scene.open(t);
    const padded = async (length: number): Promise<string> => {
      const bare = await scene.issuer.sign(scene.now, { pad: '' });
      const token = await scene.issuer.sign(scene.now, {
        pad: 'x'.repeat(Math.floor(((length - bare.length) * 3) / 4)),
      });
      return token;
    };
    const [long, tooLong] = [await padded(8_190), await padded(8_200)];
    assert.ok(long.length > 8_180 && long.length <= 8_192 && tooLong.length > 8_192);
    assert.deepEqual(
      [await scene.find(long), await scene.find(tooLong)].map((found) => found !== undefined),
      [true, false],
    );
  });

  it('is looked at again after a minute: expired by then, or its user revoked', async (t) => {
    const scene = await Scene.open(t);
    const seconds = Math.floor(scene.now / 1000);
    const [short, long] = await Promise.all(
      [-30, 600].map((life) => scene.issuer.sign(scene.now, { exp: seconds + life })),
    );
    assert.ok((await scene.find(short ?? '')) !== undefined && (await scene.find(long ?? '')) !== undefined);
    const [[hash = '', record] = []] = scene.records;
    scene.now += 59_999;
    assert.ok((await scene.find(long ?? '')) !== undefined);
    assert.equal(await scene.find(short ?? ''), undefined);
    scene.now += 30_001;
    assert.ok((await scene.find(long ?? '')) !== undefined);
    const used = scene.records.get(hash)?.lastUsedAt;
    assert.equal(used, scene.now - (scene.now % minuteMs));
    if (record !== undefined) scene.records.set(hash, { ...record, revokedAt: scene.now });
    scene.now += minuteMs;
    assert.equal(await scene.find(long ?? ''), undefined);
  });

  it('comes in although its user cannot be noted', async (t) => {
    const scene = await Scene.open(t);
    scene.insertFailure = new Error('full');
    assert.ok(await scene.findSub());
    assert.deepEqual(scene.failures, [scene.insertFailure]);
  });
});

describe('the keys of an OpenID provider', () => {
  it('are read again for a key that is not known, however many tokens name one, and after ten minutes', async (t) => {
    const scene = await Scene.open(t);
    const second = await makeSigner('second');
    assert.ok(await scene.findSub());
    assert.equal(scene.issuer.keyRequests, 1);
    scene.issuer.signers = [second];
    assert.equal(await scene.findSub(), false, 'within 30 s of the last time');
    scene.now += 30_000;
    assert.ok(await scene.findSub());
    const flood = Array.from({ length: 200 }, async (_, index) =>
      scene.findSub({}, { signer: { ...second, jwk: { ...second.jwk, kid: `key ${index}` } } }),
    );
    assert.deepEqual(new Set(await Promise.all(flood)), new Set([false]));
    assert.equal(scene.issuer.keyRequests, 2);
    scene.now += 10 * minuteMs;
    const { keysRead } = scene.issuer;
    assert.ok(await scene.findSub());
    await keysRead;
    assert.equal(scene.issuer.keyRequests, 3);
  });

  it('serve for a day while the provider is away; without any the answer is issuer_unavailable', async (t) => {
    const scene = await Scene.open(t);
    scene.issuer.failure = 500;
    await assert.rejects(scene.findSub(), { code: 'issuer_unavailable' });
    scene.now += 2_000;
    await assert.rejects(scene.findSub(), { code: 'issuer_unavailable' });
    assert.equal(scene.changes.length, 1, 'told once');
    scene.issuer.failure = undefined;
    scene.now += 2_000;
    assert.ok(await scene.findSub());
    assert.deepEqual(scene.changes.slice(1), [undefined]);
    scene.issuer.failure = 503;
    scene.now += 24 * hourMs - 1;
    assert.ok(await scene.findSub());
    scene.now += minuteMs;
    await assert.rejects(scene.findSub({ sub: 'bob' }), { code: 'issuer_unavailable' });
  });

  it('come from the issuer that is configured, and over https', async (t) => {
    for (const document of [{ issuer: 'https://example.org' }, { jwks_uri: 'http://example.org/keys' }]) {
      const scene = await Scene.open(t);
      t.mock.method(globalThis, 'fetch', () =>
        Promise.resolve(Response.json({ issuer: scene.issuer.url, jwks_uri: `${scene.issuer.url}/keys`, ...document })),
      );
      await assert.rejects(scene.findSub(), { code: 'issuer_unavailable' });
      assert.match(String(scene.changes[0]), /names itself https:\/\/example\.org|not an https URL/);
      t.mock.restoreAll();
    }
  });
});
