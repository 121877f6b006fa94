/** The Authenticator's cache, on a clock that the test sets: also one that stops, leaps a day, or goes back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Authenticator } from '../../src/auth/authenticator.ts';
import { issueToken } from '../../src/auth/token.ts';
import type { Principal, TokenRecord } from '../../src/domain/principal.ts';
import type { TokenStore } from '../../src/domain/store.ts';

const dayMs = 86_400_000;
const start = 1_700_000_000_000;
/** The start of the minute of `start`. */
const startMinute = 1_699_999_980_000;

/** A clock and a token store that count their calls. */
class Scene {
  now = start;
  /** The monotonic clock; by default equal to the other one. */
  steady: number | undefined;
  lookups = 0;
  /** If set, look-ups that have read their record answer only after it. */
  answer: Promise<undefined> | undefined;
  readonly touches: [string, number][] = [];
  readonly touchFailures: unknown[] = [];
  readonly records = new Map<string, TokenRecord>();
  /** If set, the next look-ups reject with it. */
  failure: Error | undefined;
  touchFailure: Error | undefined;
  readonly authenticator: Authenticator;

  constructor() {
    this.authenticator = new Authenticator(
      this.#tokens(),
      { now: () => this.now, elapsed: () => this.steady ?? this.now },
      (cause) => this.touchFailures.push(cause),
    );
  }

  issue(options: { readonly expiresAt?: number } = {}): { token: string; record: TokenRecord } {
    const issued = issueToken({ name: 'gardener', scopes: ['plants:write'], now: start, ...options });
    this.records.set(issued.record.hash, issued.record);
    return issued;
  }

  change(record: TokenRecord, change: Partial<TokenRecord>): void {
    this.records.set(record.hash, { ...record, ...change });
  }

  /** Undefined if it is refused. */
  async find(token: string): Promise<Principal | undefined> {
    const found = await this.authenticator.find(token);
    return 'reason' in found ? undefined : found;
  }

  #tokens(): TokenStore {
    const never = (): never => assert.fail('the Authenticator has no business here');
    return {
      insert: never,
      insertFirst: never,
      list: never,
      revoke: never,
      findByHash: async (hash) => {
        this.lookups += 1;
        if (this.failure !== undefined) throw this.failure;
        const record = this.records.get(hash);
        await this.answer;
        return record;
      },
      touch: async (id, usedAt) => {
        this.touches.push([id, usedAt]);
        if (this.touchFailure !== undefined) throw this.touchFailure;
      },
    };
  }
}

describe('find()', () => {
  it('returns the principal of a stored token', async () => {
    const scene = new Scene();
    const { token, record } = scene.issue();
    assert.deepEqual(await scene.find(token), {
      tokenId: record.id,
      name: record.name,
      expiresAt: undefined,
      limitKey: record.id,
      scopes: new Set(['plants:write']),
    });
  });

  it('answers from the cache, without a promise, for less than 500 ms', async () => {
    const scene = new Scene();
    const { token } = scene.issue();
    const principal = await scene.find(token);
    scene.now = start + 499;
    assert.equal(scene.authenticator.find(token), principal);
    assert.equal(scene.lookups, 1);
    scene.now = start + 500;
    assert.ok(scene.authenticator.find(token) instanceof Promise);
    assert.equal(scene.lookups, 2);
  });

  it('returns the same principal for a token, for counting limits by it', async () => {
    const scene = new Scene();
    const { token } = scene.issue();
    const principal = await scene.find(token);
    scene.now = start + 700;
    assert.equal(await scene.find(token), principal);
  });

  it('refuses unknown and malformed tokens, and looks up only well-formed ones', async () => {
    const scene = new Scene();
    const { token } = issueToken({ name: 'x', scopes: [], now: start });
    assert.deepEqual(await scene.authenticator.find(token), { reason: 'unknown' });
    assert.equal(scene.lookups, 1);
    for (const text of ['', 'plst_typing-error', 'with space', 'x'.repeat(10_000)]) {
      assert.deepEqual(await scene.authenticator.find(text), { reason: 'malformed' });
    }
    assert.equal(scene.lookups, 1);
  });

  it('does not cache that a token is unknown', async () => {
    const scene = new Scene();
    const { token, record } = scene.issue();
    scene.records.clear();
    assert.equal(await scene.find(token), undefined);
    scene.records.set(record.hash, record);
    assert.notEqual(await scene.find(token), undefined);
  });

  it('notices a revocation within 500 ms', async () => {
    const scene = new Scene();
    const { token, record } = scene.issue();
    await scene.find(token);
    scene.change(record, { revokedAt: start + 1 });
    scene.now = start + 500;
    assert.equal(await scene.find(token), undefined);
    scene.now = start + 501;
    const refusal = { reason: 'revoked', tokenId: record.id };
    assert.deepEqual(await scene.authenticator.find(token), refusal, 'and has forgotten the principal');
  });

  it('counts these from the begin of the look-up, however long that takes', async () => {
    const scene = new Scene();
    const { token } = scene.issue();
    const found = scene.find(token);
    scene.now = start + 500;
    await found;
    assert.ok(scene.authenticator.find(token) instanceof Promise);
  });

  it('notices the expiry to the millisecond, cached or not', async () => {
    const scene = new Scene();
    const { token, record } = scene.issue({ expiresAt: start + 100 });
    await scene.find(token);
    scene.now = start + 99;
    assert.ok('scopes' in scene.authenticator.find(token));
    scene.now = start + 100;
    const refusal = { reason: 'expired', tokenId: record.id };
    assert.deepEqual(scene.authenticator.find(token), refusal);
    scene.now = start + 5000;
    assert.deepEqual(await scene.authenticator.find(token), refusal);
  });

  it('looks up once for all waiting requests', async () => {
    const scene = new Scene();
    const { token } = scene.issue();
    const found = await Promise.all(Array.from({ length: 100 }, () => scene.find(token)));
    assert.equal(new Set(found).size, 1);
    assert.equal(scene.lookups, 1);
  });

  it('notices a revocation within 500 ms although a look-up before it takes longer', async () => {
    const scene = new Scene();
    const { token, record } = scene.issue();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    scene.answer = promise;
    const before = scene.find(token);
    scene.change(record, { revokedAt: start + 1 });
    scene.now = start + 500;
    const after = scene.find(token);
    resolve(undefined);
    assert.notEqual(await before, undefined);
    assert.equal(await after, undefined);
    assert.equal(await scene.find(token), undefined, 'and the older answer is not kept');
  });

  it('rejects while the store cannot be read, and recovers', async () => {
    const scene = new Scene();
    const { token } = scene.issue();
    scene.failure = new Error('cannot read');
    await assert.rejects(scene.find(token), scene.failure);
    scene.failure = undefined;
    assert.notEqual(await scene.find(token), undefined);
  });

  it('stays correct with more tokens than the cache', async () => {
    const scene = new Scene();
    const { token } = scene.issue();
    const principal = await scene.find(token);
    for (let count = 0; count < 10_000; count += 1) await scene.find(scene.issue().token);
    assert.deepEqual(await scene.find(token), principal);
    assert.equal(scene.lookups, 10_002, 'the cache was cleared');
  });
});

describe('the clock', () => {
  it('may stop: a revocation still takes effect', async () => {
    const scene = new Scene();
    const { token, record } = scene.issue();
    scene.steady = 0;
    await scene.find(token);
    scene.change(record, { revokedAt: start });
    scene.steady = 499;
    assert.notEqual(await scene.find(token), undefined);
    scene.steady = 500;
    assert.equal(await scene.find(token), undefined);
  });

  it('may stop: the results stay the same', async () => {
    const scene = new Scene();
    const { token } = scene.issue({ expiresAt: start + 1 });
    for (let count = 0; count < 1000; count += 1) assert.notEqual(await scene.find(token), undefined);
  });

  for (const [leap, ms] of [
    ['ahead', dayMs],
    ['back', -dayMs],
  ] as const) {
    it(`may leap a day ${leap}: tokens keep working, and so does revocation`, async () => {
      const scene = new Scene();
      const { token, record } = scene.issue({ expiresAt: start + 10 * dayMs });
      scene.steady = 0;
      await scene.find(token);
      scene.now = start + ms;
      assert.notEqual(await scene.find(token), undefined);
      scene.change(record, { revokedAt: start });
      scene.steady = 500;
      assert.equal(await scene.find(token), undefined);
    });
  }

  it('may go back past a recorded use', async () => {
    const scene = new Scene();
    const { token, record } = scene.issue();
    scene.change(record, { lastUsedAt: startMinute + dayMs });
    assert.notEqual(await scene.find(token), undefined);
    assert.deepEqual(scene.touches, [[record.id, startMinute]]);
  });
});

describe('the record of the last use', () => {
  it('is truncated to the minute and stored once a minute', async () => {
    const scene = new Scene();
    const { token, record } = scene.issue();
    await scene.find(token);
    scene.change(record, { lastUsedAt: startMinute });
    for (scene.now = start; scene.now < startMinute + 60_000; scene.now += 1000) await scene.find(token);
    assert.deepEqual(scene.touches, [[record.id, startMinute]]);
    await scene.find(token);
    assert.deepEqual(scene.touches.at(-1), [record.id, startMinute + 60_000]);
  });

  it('does not affect requests when it fails', async () => {
    const scene = new Scene();
    const { token } = scene.issue();
    scene.touchFailure = new Error('busy');
    assert.notEqual(await scene.find(token), undefined);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(scene.touchFailures, [scene.touchFailure]);
    scene.now += 1000;
    await scene.find(token);
    assert.equal(scene.touches.length, 1, 'the next attempt is in the next minute');
  });

  it('is not stored for a refused token', async () => {
    const scene = new Scene();
    const { token } = scene.issue({ expiresAt: start });
    assert.equal(await scene.find(token), undefined);
    assert.deepEqual(scene.touches, []);
  });
});
