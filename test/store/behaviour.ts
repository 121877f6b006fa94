/**
 * The store port's promises, as one suite for every adapter. An adapter's files, threads and
 * failures are tested separately. Further `describe…` functions are called at the end of
 * `describeStore`.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ChangeLimits } from '../../src/domain/change-log.ts';
import type { TokenRecord } from '../../src/domain/principal.ts';
import type { NewPlant } from '../../src/domain/schemas.ts';
import type { Store } from '../../src/domain/store.ts';
import type { QueueLimits } from '../../src/store/write-queue.ts';
import { codeOf } from './write-together.ts';
import { oddTexts } from '../support/odd-texts.ts';

/** An open store of an adapter, initially empty. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and reopens the same data. */
  reopen(): Promise<Store>;
  /** Returns the problems that the adapter finds in its data, one sentence each. */
  findProblems(): Promise<readonly string[]>;
  /** Closes the store and removes its data. */
  close(): Promise<void>;
}

/** Opens an empty store. */
export type OpenStore = (limits?: QueueLimits, changeLimits?: ChangeLimits) => Promise<OpenedStore>;

/** The store of the current test. */
export interface Subject {
  readonly open: OpenStore;
  readonly current: () => OpenedStore;
  readonly store: () => Store;
}

/** Declares the suite for one adapter. */
export function describeStore(adapter: string, open: OpenStore): void {
  describe(`the store port on ${adapter}`, () => {
    let opened: OpenedStore | undefined;
    const current = (): OpenedStore => {
      assert.ok(opened, 'a store is open');
      return opened;
    };
    const subject: Subject = { open, current, store: () => current().store };
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened?.close();
    });
    describeCreate(subject);
    describeTogether(subject);
    describeReads(subject);
    describeTokens(subject);
    describeQueue(subject);
    describeEnd(subject);
  });
}

const ids = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  -9007199254740993n,
  -1n,
  0n,
  1n,
  9007199254740992n,
  9007199254740993n,
  2n ** 63n - 2n,
  2n ** 63n - 1n,
];

function describeCreate({ store, current }: Subject): void {
  describe('create()', () => {
    it('stores each int64 under exactly that id', async () => {
      const { plants } = store();
      await Promise.all(ids.map((id) => plants.create({ id, name: `plant ${id}` })));
      for (const id of ids) assert.deepEqual(await plants.find(id), { id, name: `plant ${id}` });
      assert.equal(await plants.count(), ids.length);
    });

    it('stores names and tags code point for code point, also across a restart', async () => {
      const wanted = oddTexts.map(([, text], index): NewPlant => ({ id: BigInt(index), name: text, tag: text }));
      for (const plant of wanted) assert.equal(await store().plants.create(plant), 'created');
      const { plants } = await current().reopen();
      for (const plant of wanted) assert.deepEqual(await plants.find(plant.id), plant);
    });

    it('distinguishes an absent tag from an empty one', async () => {
      const { plants } = store();
      await plants.create({ id: 1n, name: 'fern' });
      await plants.create({ id: 2n, name: 'fern', tag: '' });
      assert.deepEqual(await plants.find(1n), { id: 1n, name: 'fern' });
      assert.deepEqual(await plants.find(2n), { id: 2n, name: 'fern', tag: '' });
      await assert.rejects(plants.create({ id: 1n, name: 'fern', tag: '' }), { code: 'plant_id_taken' });
      await assert.rejects(plants.create({ id: 2n, name: 'fern' }), { code: 'plant_id_taken' });
    });

    it('returns replayed for an equal plant, also after a restart', async () => {
      const plant = { id: 7n, name: 'fern', tag: 'green' };
      assert.equal(await store().plants.create(plant), 'created');
      assert.equal(await store().plants.create(plant), 'replayed');
      const { plants } = await current().reopen();
      assert.equal(await plants.create(plant), 'replayed');
      assert.equal(await plants.count(), 1);
    });

    it('refuses an id stored with other fields and keeps the stored plant', async () => {
      const { plants } = store();
      await plants.create({ id: 7n, name: '\u00e9', tag: 'green' });
      for (const other of [
        { id: 7n, name: 'e\u0301', tag: 'green' },
        { id: 7n, name: '\u00c9', tag: 'green' },
        { id: 7n, name: '\u00e9 ', tag: 'green' },
        { id: 7n, name: '\u00e9', tag: 'GREEN' },
        { id: 7n, name: '\u00e9' },
      ]) {
        await assert.rejects(plants.create(other), { name: 'ServiceError', code: 'plant_id_taken' });
      }
      assert.deepEqual(await plants.find(7n), { id: 7n, name: '\u00e9', tag: 'green' });
      assert.equal(await plants.count(), 1);
    });
  });
}

function describeTogether({ store }: Subject): void {
  describe('create(), many at once', () => {
    it('creates one of 1,000 identical plants and returns replayed for the rest', async () => {
      const { plants } = store();
      const outcomes = await Promise.all(Array.from({ length: 1000 }, () => plants.create({ id: 1n, name: 'fern' })));
      assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === 'replayed').length, 999);
      assert.equal(await plants.count(), 1);
    });

    it('gives the id to the first of 1,000 different plants and refuses the rest', async () => {
      const { plants } = store();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 1000 }, (_, index) => plants.create({ id: 1n, name: `fern ${index}` })),
      );
      assert.deepEqual(outcomes[0], { status: 'fulfilled', value: 'created' });
      const codes = outcomes
        .slice(1)
        .map((outcome) => (outcome.status === 'rejected' ? codeOf(outcome.reason) : 'none'));
      assert.deepEqual(new Set(codes), new Set(['plant_id_taken']));
      assert.deepEqual(await plants.find(1n), { id: 1n, name: 'fern 0' });
    });

    it('stores the other plants of a commit with a refused one', async () => {
      const { plants } = store();
      await plants.create({ id: 500n, name: 'first' });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 1000 }, (_, index) => plants.create({ id: BigInt(index), name: 'second' })),
      );
      const refused = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
      assert.deepEqual(refused, [500]);
      assert.equal(await plants.count(), 1000);
      assert.deepEqual(await plants.find(499n), { id: 499n, name: 'second' });
      assert.deepEqual(await plants.find(501n), { id: 501n, name: 'second' });
    });
  });
}

function describeReads({ store }: Subject): void {
  describe('find() and count()', () => {
    it('find nothing in an empty store', async () => {
      assert.equal(await store().plants.count(), 0);
      for (const id of ids) assert.equal(await store().plants.find(id), undefined);
    });
  });

  describe('revision()', () => {
    it('stays the same during reads, and changes with each commit, unless the adapter cannot tell', async () => {
      const { plants } = store();
      const before = plants.revision();
      await plants.list({ limit: 1 });
      assert.equal(plants.revision(), before);
      await plants.create({ id: 1n, name: 'fern' });
      const after = plants.revision();
      assert.ok(before === undefined ? after === undefined : after !== undefined && after !== before);
    });
  });

  describe('ping()', () => {
    it('resolves while the store works', async () => {
      await store().ping();
    });
  });
}

const token: TokenRecord = {
  id: 'token0000001',
  name: 'gardener',
  hash: 'a'.repeat(64),
  scopes: ['plants:read', 'plants:write'],
  createdAt: 1_700_000_000_000,
};
const fullToken: TokenRecord = {
  ...token,
  id: 'token0000002',
  hash: 'b'.repeat(64),
  createdAt: 1_700_000_000_001,
  createdBy: 'token0000001',
  expiresAt: 8_640_000_000_000_000,
  revokedAt: 1_700_000_000_002,
  lastUsedAt: 1_699_999_980_000,
};

function describeTokens({ store, current }: Subject): void {
  describe('tokens', () => {
    it('are returned as inserted, by hash and in order of creation, also across a restart', async () => {
      await store().tokens.insert(fullToken);
      await store().tokens.insert(token);
      const { tokens } = await current().reopen();
      assert.deepEqual(await tokens.list(), [token, fullToken]);
      assert.deepEqual(await tokens.findByHash(token.hash), token);
      assert.deepEqual(await tokens.findByHash(fullToken.hash), fullToken);
      assert.equal(await tokens.findByHash('c'.repeat(64)), undefined);
    });

    it('insertFirst() stores only into an empty store', async () => {
      const { tokens } = store();
      assert.deepEqual(await Promise.all([tokens.insertFirst(token), tokens.insertFirst(fullToken)]), [true, false]);
      assert.equal(await tokens.insertFirst(fullToken), false);
      await tokens.revoke(token.id, 1_700_000_000_003);
      assert.equal(await tokens.insertFirst(fullToken), false, 'a revoked token counts too');
      assert.equal((await tokens.list()).length, 1);
    });

    it('insertFirst() stores none after any other token', async () => {
      const { tokens } = store();
      await tokens.insert(token);
      assert.equal(await tokens.insertFirst(fullToken), false);
      assert.equal((await tokens.list()).length, 1);
    });

    it('insert() stores no more than it is told, also of several at once', async () => {
      const { tokens } = store();
      const inserted = await Promise.allSettled(
        ['d', 'e', 'f', 'g'].map((each) =>
          tokens.insert({ ...token, id: `token000000${each}`, hash: each.repeat(64) }, 3),
        ),
      );
      const refused = inserted.flatMap((each) => (each.status === 'rejected' ? [codeOf(each.reason)] : []));
      assert.deepEqual([refused, (await tokens.list()).length], [['tokens_full'], 3]);
      await tokens.insert(token);
      assert.equal((await tokens.list()).length, 4);
      // Two tokens can be used; others, and users of a provider, do not count.
      const [one, two] = await tokens.list();
      for (const { id } of [one ?? token, two ?? token]) await tokens.revoke(id, 5);
      const at = token.createdAt;
      await tokens.insert({ ...token, id: 'over', hash: 'over', expiresAt: at });
      await tokens.insert({ ...token, id: 'jwt:1', hash: 'jwt' });
      await tokens.insert({ ...token, id: 'third', hash: 'third', expiresAt: at + 1 }, 3);
      await assert.rejects(tokens.insert({ ...token, id: 'fourth', hash: 'fourth' }, 3), { code: 'tokens_full' });
    });

    it('revoke() marks one token, keeps the first time, and reports an unknown id', async () => {
      const { tokens } = store();
      await tokens.insert(token);
      await tokens.insert({ ...token, id: 'token0000003', hash: 'c'.repeat(64) });
      for (const unknown of ['token0000009', '\0']) assert.equal(await tokens.revoke(unknown, 5), false);
      assert.equal(await tokens.revoke(token.id, 5), true);
      assert.equal(await tokens.revoke(token.id, 6), true);
      assert.deepEqual(await tokens.findByHash(token.hash), { ...token, revokedAt: 5 });
      assert.equal((await tokens.findByHash('c'.repeat(64)))?.revokedAt, undefined);
    });

    it('touch() records the last use and ignores an unknown id', async () => {
      const { tokens } = store();
      await tokens.insert(token);
      await tokens.touch(token.id, 1_700_000_040_000);
      await tokens.touch('token0000009', 1_700_000_040_000);
      assert.deepEqual(await tokens.list(), [{ ...token, lastUsedAt: 1_700_000_040_000 }]);
    });
  });
}

function describeQueue({ open }: Subject): void {
  describe('isBusy()', () => {
    for (const [bound, limits] of [
      ['count', { writesMax: 3, bytesMax: 1_000_000 }],
      ['bytes', { writesMax: 1000, bytesMax: 5_000 }],
    ] as const) {
      it(`returns true while the next write would be refused, by ${bound}`, async () => {
        const opened = await open(limits);
        const { store } = opened;
        try {
          assert.equal(store.isBusy(), false);
          const accepted: Promise<unknown>[] = [];
          while (!store.isBusy())
            accepted.push(store.plants.create({ id: BigInt(accepted.length), name: 'x'.repeat(999) }));
          assert.equal(accepted.length, 3);
          await assert.rejects(store.plants.create({ id: 100n, name: 'fern' }), { code: 'store_busy' });
          await Promise.all(accepted);
          assert.equal(await store.plants.count(), accepted.length);
          assert.equal(await store.plants.find(100n), undefined);
          assert.equal(store.isBusy(), false);
          await store.plants.create({ id: 100n, name: 'fern' });
        } finally {
          await opened.close();
        }
      });
    }
  });
}

function describeEnd({ store, current }: Subject): void {
  describe('close()', () => {
    it('commits waiting writes, then refuses every call', async () => {
      const closing = store();
      // More than one commit; those that still wait after 2 s are refused.
      const created = Array.from({ length: 520 }, (_, id) => closing.plants.create({ id: BigInt(id), name: 'fern' }));
      const closed = closing.close();
      const refusal = { name: 'ServiceError', code: 'shutting_down' };
      await assert.rejects(closing.plants.create({ id: -1n, name: 'late' }), refusal);
      await assert.rejects(closing.plants.snapshot({})[Symbol.asyncIterator]().next(), refusal);
      assert.equal(closing.plants.revision(), undefined);
      assert.deepEqual(new Set(await Promise.all(created)), new Set(['created']));
      await closed;
      await assert.rejects(closing.plants.create({ id: -1n, name: 'late' }), refusal);
      await assert.rejects(closing.plants.find(1n), refusal);
      await assert.rejects(closing.plants.count(), refusal);
      await assert.rejects(closing.tokens.findByHash(token.hash), refusal);
      await assert.rejects(closing.tokens.list(), refusal);
      await assert.rejects(closing.tokens.insert(token), refusal);
      await assert.rejects(closing.ping(), refusal);
      const { plants } = await current().reopen();
      assert.equal(await plants.count(), 520);
    });

    it('makes a second call wait for the first', async () => {
      let isCreated = false;
      const created = store()
        .plants.create({ id: 1n, name: 'fern' })
        .then(() => (isCreated = true));
      void store().close();
      await store().close();
      assert.equal(isCreated, true);
      await created;
    });
  });

  describe('failed', () => {
    it('does not resolve during work and close', async () => {
      const opened = store();
      const { plants, failed } = opened;
      await plants.create({ id: 1n, name: 'fern' });
      await opened.close();
      const silence = new Promise((resolve) => setImmediate(resolve, 'silent'));
      assert.equal(await Promise.race([failed, silence]), 'silent');
    });
  });
}
