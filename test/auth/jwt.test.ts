/** Access tokens of an OpenID provider: which are taken, for how long, and what a provider that is away means. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { IssuerKeys } from '../../src/auth/issuer-keys.ts';
import { isJwt, JwtAuthenticator } from '../../src/auth/jwt-authenticator.ts';
import type { Principal, TokenRecord, TokenRefusal } from '../../src/domain/principal.ts';
import { absent, Issuer, makeSigner, type Signer } from './issuer.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const first = await makeSigner('first');

class Scene {
  now = 1_700_000_000_000;
  readonly issuer: Issuer;
  readonly records = new Map<string, TokenRecord>();
  /** What each read of the keys has ended with. */
  readonly reads: unknown[] = [];
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

  /** Undefined if it is refused, or no JWT. */
  async find(token: string): Promise<Principal | undefined> {
    const found = isJwt(token) ? await this.#users.find(token) : undefined;
    return found === undefined || 'reason' in found ? undefined : found;
  }

  /** Undefined if it is accepted. */
  async refuse(token: string): Promise<TokenRefusal | undefined> {
    assert.ok(isJwt(token));
    const found = await this.#users.find(token);
    return 'reason' in found ? found : undefined;
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
      onRead: (cause) => this.reads.push(cause),
    });
    return new JwtAuthenticator({
      issuer: this.issuer.url,
      audience: 'plants',
      scopeClaims: ['scope'],
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

  it('is taken with RS256, PS256, ES256, Ed25519 and EdDSA', async (t) => {
    for (const alg of ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA']) {
      const scene = await Scene.open(t, await makeSigner('key', alg));
      assert.ok(await scene.findSub(), alg);
    }
  });

  it('may be without a type, as several providers make it', async (t) => {
    const scene = await Scene.open(t);
    const untyped = { typ: absent };
    assert.ok(await scene.findSub({}, untyped));
    assert.ok(!(await scene.findSub({ aud: 'a client' }, untyped)), 'but not for another audience');
  });

  it('is refused for a claim or the type, which the reply names because the signature is valid', async (t) => {
    const scene = await Scene.open(t);
    const seconds = Math.floor(scene.now / 1000);
    assert.ok(await scene.findSub({ exp: seconds - 59, aud: ['x', 'plants'] }), 'clocks may differ by a minute');
    const unreadable = 'The claim sub is missing, or not a readable text';
    for (const [claims, detail] of [
      [{ exp: seconds - 61 }, 'The token has expired, by the claim exp'],
      [{ exp: undefined }, 'The claim exp is missing'],
      [{ exp: 'soon' }, 'The claim exp is invalid'],
      [{ nbf: seconds + 120 }, 'The token is not valid yet, by the claim nbf'],
      [{ aud: 'other' }, 'The claim aud does not name this service'],
      [{ aud: undefined }, 'The claim aud is missing'],
      [{ iss: 'https://example.org' }, 'The claim iss names another issuer'],
      ...[undefined, {}, '', 'ann\0', 'ann\n', 'ann\u202e', 'ann\ud800'].map((sub) => [{ sub }, unreadable] as const),
    ] as const)
      assert.deepEqual(await scene.refuse(await scene.issuer.sign(scene.now, claims)), { reason: detail, detail });
    for (const typ of ['logout+jwt', 7, null, {}]) {
      const detail = 'The type (typ) is not at+jwt or JWT';
      const token = await scene.issuer.sign(scene.now, {}, { typ });
      assert.deepEqual(await scene.refuse(token), { reason: detail, detail });
    }
  });

  it('is refused if its signature is not valid, and only the log has the reason', async (t) => {
    const scene = await Scene.open(t);
    const stranger = await makeSigner('first');
    const other = await makeSigner('other', 'ES384');
    const forged = await scene.issuer.sign(scene.now, { aud: 'other' }, { signer: stranger });
    assert.deepEqual(await scene.refuse(forged), { reason: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' });
    const refused: Record<string, boolean> = {};
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

  it('is refused if it names a key that cannot be used', async (t) => {
    const { jwk, ...key } = await makeSigner('key', 'RS256');
    for (const n of [jwk.n?.slice(0, 128) ?? '', 'AA', '!']) {
      const scene = await Scene.open(t, { ...key, jwk: { ...jwk, n } });
      const { reason, detail } = (await scene.refuse(await scene.issuer.sign(scene.now))) ?? {};
      assert.match(reason ?? '', /^The key cannot be used: /);
      assert.equal(detail, undefined);
    }
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
    const detail = 'The user in the claim sub is revoked';
    assert.deepEqual(await scene.refuse(long ?? ''), { reason: detail, detail, tokenId: record?.id });
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
    assert.deepEqual(
      scene.reads.splice(0).map(String),
      Array(2).fill(`Error: ${scene.issuer.url}/.well-known/openid-configuration responds with status 500`),
    );
    scene.issuer.failure = undefined;
    scene.now += 2_000;
    assert.ok(await scene.findSub());
    assert.deepEqual(scene.reads, [undefined]);
    scene.issuer.failure = 503;
    scene.now += 24 * hourMs - 1;
    assert.ok(await scene.findSub());
    scene.now += minuteMs;
    await assert.rejects(scene.findSub({ sub: 'bob' }), { code: 'issuer_unavailable' });
  });

  it('are not read beyond 256 KiB', async (t) => {
    const scene = await Scene.open(t);
    scene.issuer.padding = 262_144;
    await assert.rejects(scene.findSub(), { code: 'issuer_unavailable' });
    assert.match(String(scene.reads[0]), /responds with more than 262144 bytes/);
  });

  it('stay when the provider responds with none: the answer is never that the token is not valid', async (t) => {
    const scene = await Scene.open(t);
    const keys = scene.issuer.signers;
    scene.issuer.signers = [];
    const token = await scene.issuer.sign(scene.now, {}, { signer: first });
    await assert.rejects(scene.find(token), { code: 'issuer_unavailable' });
    assert.match(String(scene.reads[0]), /responds with no keys/);
    scene.issuer.signers = keys;
    scene.now += 2_000;
    assert.ok(await scene.find(token));
    scene.issuer.signers = [];
    scene.now += 10 * minuteMs;
    const { keysRead } = scene.issuer;
    const later = await scene.issuer.sign(scene.now, {}, { signer: first });
    assert.ok(await scene.find(later));
    await keysRead;
    scene.now += minuteMs;
    assert.ok(await scene.find(later));
  });

  it('come from the issuer that is configured, and over https', async (t) => {
    for (const document of [{ issuer: 'https://example.org' }, { jwks_uri: 'http://example.org/keys' }]) {
      const scene = await Scene.open(t);
      t.mock.method(globalThis, 'fetch', () =>
        Promise.resolve(Response.json({ issuer: scene.issuer.url, jwks_uri: `${scene.issuer.url}/keys`, ...document })),
      );
      await assert.rejects(scene.findSub(), { code: 'issuer_unavailable' });
      assert.match(String(scene.reads[0]), /names itself https:\/\/example\.org|not an https URL/);
      t.mock.restoreAll();
    }
  });
});
