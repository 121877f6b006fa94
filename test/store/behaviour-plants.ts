/** The store port's promises for plants except create, as one suite for every adapter. Create, tokens and the queue are in behaviour.ts. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { ServiceError } from '../../src/domain/errors.ts';
import type { NewPlant, StoredPlant } from '../../src/domain/schemas.ts';
import { toWords } from '../../src/domain/search-words.ts';
import type { ListFilter, PlantStore, Store, TagQuery } from '../../src/domain/store.ts';
import type { OpenedStore, OpenStore } from './behaviour.ts';
import { PlantModel, randomWrite, toRandomWrite } from './plant-model.ts';
import { toOutcome, writeTogether } from './write-together.ts';

/** Set SEED to reproduce a failure. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

interface Subject {
  readonly current: () => OpenedStore;
  readonly plants: () => PlantStore;
  readonly reopen: () => Promise<void>;
}

/**
 * Declares the suite for one adapter. All tests share one store, which is empty before each.
 * @param modelRuns histories that the model is compared with.
 */
export function describePlants(adapter: string, open: OpenStore, modelRuns = 8): void {
  describeShared(adapter, open, (subject) => {
    describePut(subject);
    describePatch(subject);
    describeDelete(subject);
    describeImport(subject);
    describeOrder(subject);
    describeLists(subject);
    describeSnapshots(subject);
    describeModel(subject, modelRuns);
  });
}

/** Declares only the comparison with the model. */
export function describePlantModel(adapter: string, open: OpenStore, modelRuns: number): void {
  describeShared(adapter, open, (subject) => describeModel(subject, modelRuns));
}

function describeShared(adapter: string, open: OpenStore, declare: (subject: Subject) => void): void {
  describe(`the plants of the store port on ${adapter} (SEED=${seed})`, () => {
    let opened: OpenedStore | undefined;
    let store: Store | undefined;
    const current = (): OpenedStore => opened ?? assert.fail('no store is open');
    const plants = (): PlantStore => (store ?? assert.fail('no store is open')).plants;
    before(async () => {
      opened = await open();
      store = opened.store;
    });
    beforeEach(async () => {
      for (let page; (page = (await plants().list({ limit: 5000 })).plants).length > 0;)
        await Promise.all(page.map(({ id }) => plants().delete(id, {})));
    });
    after(async () => {
      await opened?.close();
    });
    const reopen = async (): Promise<void> => {
      store = await current().reopen();
    };
    declare({ current, plants, reopen });
  });
}

const conditions = { ifMatch: ['other'] };

function many(count: number): NewPlant[] {
  return Array.from({ length: count }, (_, index) => ({
    id: BigInt(1 + index),
    name: `plant ${1 + index}`,
    ...(index % 3 === 0 ? {} : { tag: `t${index % 3}` }),
  }));
}

function describePut({ plants }: Subject): void {
  describe('put()', () => {
    it('creates, replaces, and reports when nothing changed', async () => {
      const plant = { id: 7n, name: 'fern', tag: '' };
      assert.equal(await plants().put(plant, {}), 'created');
      assert.equal(await plants().put(plant, {}), 'unchanged');
      assert.equal(await plants().create(plant), 'replayed');
      assert.equal(await plants().put({ id: 7n, name: 'fern' }, {}), 'replaced');
      assert.deepEqual(await plants().find(7n), { id: 7n, name: 'fern' });
    });

    it('refuses a write whose condition is not met, and changes nothing', async () => {
      await assert.rejects(plants().put({ id: 7n, name: 'fern' }, { ifMatch: '*' }), { code: 'precondition_failed' });
      assert.equal(await plants().find(7n), undefined);
      assert.equal(await plants().put({ id: 7n, name: 'fern' }, { ifNoneMatch: '*' }), 'created');
      for (const condition of [{ ifNoneMatch: '*' as const }, conditions, { ifMatch: [] }])
        await assert.rejects(plants().put({ id: 7n, name: 'moss' }, condition), { code: 'precondition_failed' });
      assert.deepEqual(await plants().find(7n), { id: 7n, name: 'fern' });
    });
  });

  describe('versionOf()', () => {
    it('matches the stored plant, and no longer its previous content', async () => {
      const [old, now] = [
        { id: 7n, name: 'fern' },
        { id: 7n, name: 'fern', tag: '' },
      ];
      await plants().put(old, {});
      const [oldVersion, newVersion] = [plants().versionOf(old), plants().versionOf(now)];
      assert.equal(await plants().put(now, { ifMatch: [oldVersion] }), 'replaced');
      await assert.rejects(plants().delete(7n, { ifMatch: [oldVersion] }), { code: 'precondition_failed' });
      await assert.rejects(plants().delete(7n, { ifNoneMatch: [newVersion] }), { code: 'precondition_failed' });
      await plants().delete(7n, { ifMatch: ['x', newVersion] });
    });
  });
}

function describePatch({ plants }: Subject): void {
  describe('patch()', () => {
    it('changes the given fields and resolves to the stored plant', async () => {
      await plants().create({ id: 7n, name: 'fern', tag: 'wet' });
      const steps = [
        [{ name: 'moss' }, { id: 7n, name: 'moss', tag: 'wet' }],
        [{ tag: '' }, { id: 7n, name: 'moss', tag: '' }],
        [{ tag: null }, { id: 7n, name: 'moss' }],
        [{ tag: null }, { id: 7n, name: 'moss' }],
        [{}, { id: 7n, name: 'moss' }],
        [
          { name: '', tag: 'dry' },
          { id: 7n, name: '', tag: 'dry' },
        ],
      ] as const;
      for (const [patch, wanted] of steps) {
        assert.deepEqual(await plants().patch(7n, patch, {}), wanted);
        assert.deepEqual(await plants().find(7n), wanted);
      }
    });

    it('refuses an absent plant before checking the condition', async () => {
      for (const condition of [{}, conditions, { ifNoneMatch: '*' as const }])
        await assert.rejects(plants().patch(7n, { name: 'fern' }, condition), { code: 'plant_unknown' });
      await plants().create({ id: 7n, name: 'fern' });
      await assert.rejects(plants().patch(7n, { name: 'moss' }, conditions), { code: 'precondition_failed' });
      assert.deepEqual(await plants().find(7n), { id: 7n, name: 'fern' });
    });
  });
}

function describeDelete({ plants }: Subject): void {
  describe('delete()', () => {
    it('removes a plant once', async () => {
      for (const id of [-(2n ** 63n), 6n, 7n, 8n, 2n ** 63n - 1n])
        await plants().create({ id, name: 'fern', tag: 't' });
      await plants().delete(7n, {});
      await plants().delete(-(2n ** 63n), {});
      await assert.rejects(plants().delete(7n, {}), { code: 'plant_unknown' });
      await assert.rejects(plants().delete(7n, conditions), { code: 'plant_unknown' });
      await assert.rejects(plants().delete(6n, conditions), { code: 'precondition_failed' });
      assert.deepEqual(
        (await plants().list({ limit: 10 })).plants.map(({ id }) => id),
        [6n, 8n, 2n ** 63n - 1n],
      );
      assert.deepEqual((await plants().listTags({ limit: 10 })).tags, [{ tag: 't', plants: 3n }]);
    });
  });
}

function describeImport({ plants }: Subject): void {
  describe('import()', () => {
    const stored = { id: 1n, name: 'old', tag: 'a' };
    const rows = [
      stored,
      { ...stored, name: 'new' },
      { id: 2n, name: 'b' },
      { id: 2n, name: 'b' },
      { id: 2n, name: 'c' },
    ];
    const outcomes = {
      fail: ['unchanged', 'taken', 'created', 'unchanged', 'taken'],
      skip: ['unchanged', 'skipped', 'created', 'unchanged', 'skipped'],
      replace: ['unchanged', 'replaced', 'created', 'unchanged', 'replaced'],
    } as const;
    for (const [onConflict, wanted] of Object.entries(outcomes) as [keyof typeof outcomes, readonly string[]][]) {
      it(`reports the outcome of each row, in order, with onConflict=${onConflict}`, async () => {
        await plants().create(stored);
        assert.deepEqual(await plants().import(rows, { onConflict, dryRun: false }), wanted);
        const isReplaced = onConflict === 'replace';
        assert.deepEqual((await plants().list({ limit: 5 })).plants, [
          isReplaced ? { ...stored, name: 'new' } : stored,
          { id: 2n, name: isReplaced ? 'c' : 'b' },
        ]);
      });
    }

    it('accepts an empty list and thousands of rows', async () => {
      assert.deepEqual(await plants().import([], { onConflict: 'fail', dryRun: false }), []);
      const seen = await plants().import(many(3000), { onConflict: 'fail', dryRun: false });
      assert.deepEqual([seen.length, new Set(seen)], [3000, new Set(['created'])]);
      assert.equal(await plants().count(), 3000);
      assert.deepEqual((await plants().listTags({ limit: 5 })).tags, [
        { tag: 't1', plants: 1000n },
        { tag: 't2', plants: 1000n },
      ]);
    });
  });
}

function describeOrder({ plants }: Subject): void {
  describe('writes of every kind at once', () => {
    it('take effect in the order of the calls', async () => {
      const settled = await Promise.allSettled([
        plants().create({ id: 1n, name: 'a' }),
        plants().patch(1n, { tag: 'x' }, {}),
        plants().put(
          { id: 1n, name: 'b', tag: 'x' },
          { ifMatch: [plants().versionOf({ id: 1n, name: 'a', tag: 'x' })] },
        ),
        plants().create({ id: 1n, name: 'a' }),
        plants().delete(1n, {}),
        plants().patch(1n, { name: 'c' }, {}),
        plants().import([{ id: 1n, name: 'd' }], { onConflict: 'fail', dryRun: false }),
        plants().put({ id: 1n, name: 'd' }, { ifNoneMatch: '*' }),
        plants().create({ id: 1n, name: 'd' }),
      ]);
      assert.deepEqual(settled.map(toOutcome), [
        'created',
        { id: 1n, name: 'a', tag: 'x' },
        'replaced',
        'plant_id_taken',
        undefined,
        'plant_unknown',
        ['created'],
        'precondition_failed',
        'replayed',
      ]);
      assert.deepEqual(await plants().find(1n), { id: 1n, name: 'd' });
    });

    it('check conditions against the previous write: of 500 that race for one version, one wins', async () => {
      await plants().create({ id: 1n, name: 'start' });
      const ifMatch = [plants().versionOf({ id: 1n, name: 'start' })];
      const settled = await Promise.allSettled(
        Array.from({ length: 500 }, (_, index) => plants().put({ id: 1n, name: `rival ${index}` }, { ifMatch })),
      );
      const outcomes = settled.map(toOutcome);
      assert.deepEqual(outcomes, ['replaced', ...Array.from({ length: 499 }, () => 'precondition_failed')]);
      assert.deepEqual(await plants().find(1n), { id: 1n, name: 'rival 0' });
    });
  });
}

function describeLists({ plants }: Subject): void {
  describe('list()', () => {
    describe('pages', () => {
      it('returns at most `limit` plants after `after`, ordered by signed id', async () => {
        const ids = [-(2n ** 63n), -(2n ** 63n) + 1n, -1n, 0n, 1n, 2n ** 63n - 2n, 2n ** 63n - 1n];
        for (const id of ids.toReversed()) await plants().create({ id, name: 'fern', tag: 't' });
        const filters: ListFilter[] = [{}, { tag: 't' }, { name: 'F' }, { tag: 't', name: 'F' }, { name: '' }];
        for (const filter of filters) {
          for (const [index, after] of ids.entries()) {
            const found = (await plants().list({ ...filter, after, limit: 3 })).plants;
            const seen = found.map(({ id }) => id);
            assert.deepEqual(seen, ids.slice(index + 1, index + 4), `${JSON.stringify(filter)} after ${after}`);
          }
          for (const after of [undefined, ...ids])
            for (const [above, below] of [
              [undefined, undefined],
              [undefined, ids[0]],
              [undefined, 2n ** 62n],
              [-2n, ids.at(-1)],
              [0n, undefined],
              [ids.at(-1), undefined],
            ] as const)
              for (const order of ['asc', 'desc'] as const) {
                const found = (await plants().list({ ...filter, order, after, above, below, limit: 4 })).plants;
                const inOrder = order === 'asc' ? ids : ids.toReversed();
                const wanted = inOrder
                  .slice(after === undefined ? 0 : inOrder.indexOf(after) + 1)
                  .filter((id) => (above === undefined || id > above) && (below === undefined || id < below));
                assert.deepEqual(
                  found.map(({ id }) => id),
                  wanted.slice(0, 4),
                  `${JSON.stringify(filter)} ${order} after ${after} between ${above} and ${below}`,
                );
              }
          const all = (await plants().list({ ...filter, limit: 100 })).plants;
          assert.deepEqual(
            all.map(({ id }) => id),
            ids,
          );
        }
      });

      it('returns a write as soon as it has resolved, with any filter', async () => {
        for (let round = 1n; round <= 20n; round++) {
          await plants().put({ id: 1n, name: `Round ${round}`, tag: `t${round}` }, {});
          const wanted = [{ id: 1n, name: `Round ${round}`, tag: `t${round}` }];
          assert.deepEqual((await plants().list({ name: `round ${round}`, limit: 5 })).plants, wanted);
          assert.deepEqual((await plants().list({ tag: `t${round}`, limit: 5 })).plants, wanted);
          assert.deepEqual((await plants().list({ name: `round ${round - 1n}x`, limit: 5 })).plants, []);
          assert.deepEqual((await plants().listTags({ limit: 5 })).tags, [{ tag: `t${round}`, plants: 1n }]);
        }
      });
    });

    describe('search', () => {
      it('finds words in any order, ignoring case and accents, by prefix', async () => {
        await plants().create({ id: 1n, name: 'Monstera deliciosa', tag: 'climber' });
        await plants().create({ id: 2n, name: 'Monstera Adansonii' });
        await plants().create({ id: 3n, name: 'D\u00e9licieuse', tag: 'climber' });
        await plants().create({ id: 4n, name: '🌵 Mentha \u00d7piperita' });
        const cases: [ListFilter, bigint[]][] = [
          [{ name: 'deliciosa' }, [1n]],
          [{ name: 'deli mon' }, [1n]],
          [{ name: 'MONSTERA' }, [1n, 2n]],
          [{ name: 'd\u00c9li' }, [1n, 3n]],
          [{ name: 'onstera' }, []],
          [{ name: 'monstera x' }, []],
          [{ name: 'mon monstera m' }, [1n, 2n]],
          [{ name: 'pip \u00d7' }, [4n]],
          [{ name: '🌵' }, [4n]],
          [{ name: ' \u3000' }, [1n, 2n, 3n, 4n]],
          [{ name: ' , ' }, []],
          [{ name: 'del', tag: 'climber' }, [1n, 3n]],
          [{ name: 'adan', tag: 'climber' }, []],
          [{ name: '__climber' }, []],
          [{ name: '"', tag: 'climber' }, []],
          [{ name: 'climber' }, []],
          [{ tag: 'Climber' }, []],
          [{ untagged: true }, [2n, 4n]],
          [{ untagged: false }, [1n, 2n, 3n, 4n]],
          [{ untagged: true, name: 'monstera' }, [2n]],
          [{ untagged: true, search: 'iperit' }, [4n]],
          [{ untagged: true, tag: 'climber' }, []],
        ];
        for (const [filter, ids] of cases) {
          const found = (await plants().list({ ...filter, limit: 10 })).plants.map(({ id }) => id);
          assert.deepEqual(found, ids, JSON.stringify(filter));
        }
      });

      it('finds what words of the name or the tag contain, or begin with if it is short', async () => {
        const rows = [
          { name: 'Monstera deliciosa', tag: 'Succulents rare' },
          { name: 'Délicieuse', tag: '' },
          { name: 'Mentha \u00d7piperita' },
          { name: '月下美人', tag: '多肉植物 succulent' },
          { name: '', tag: 'raré' },
          { name: 'rare __rare', tag: '__4' },
        ].map((plant, at) => ({ id: BigInt(at), ...plant }));
        await plants().import(rows, { onConflict: 'fail', dryRun: false });
        const cases: [ListFilter, bigint[]][] = [
          [{ search: 'iciosa' }, [0n]],
          [{ search: 'LICI' }, [0n, 1n]],
          [{ search: 'succulent' }, [0n, 3n]],
          [{ search: 'ulents iciosa' }, [0n]],
          [{ search: 'rare' }, [0n, 4n, 5n]],
          [{ search: 'ra' }, [0n, 4n, 5n]],
          [{ search: 'd' }, [0n, 1n]],
          [{ search: 'ar' }, []],
          [{ search: 'are', tag: 'raré' }, [4n]],
          [{ search: 'are', name: 'rar' }, [5n]],
          [{ search: 'erit \u00d7' }, [2n]],
          [{ search: '肉' }, [3n]],
          [{ search: '肉植物 下美人' }, [3n]],
          [{ search: '物多' }, []],
          [{ search: '4' }, [5n]],
          [{ search: '__4' }, [5n]],
          [{ search: 'deliciosax' }, []],
          [{ search: '20rare' }, []],
          [{ search: 'y' }, []],
          [{ search: ' \u3000' }, [0n, 1n, 2n, 3n, 4n, 5n]],
          [{ search: ' , ' }, []],
          [{ search: '%' }, []],
        ];
        for (const [filter, ids] of cases) {
          const about = JSON.stringify(filter);
          const found = (await plants().list({ ...filter, limit: 10 })).plants.map(({ id }) => id);
          assert.deepEqual(found, ids, about);
          const snapshot = (await drain(plants(), filter)).map(({ id }) => id);
          assert.deepEqual(snapshot, ids, `${about} in a snapshot`);
        }
        // A word that no plant has any more, and one that is new.
        await plants().put({ id: 0n, name: 'Monstera', tag: 'common' }, {});
        const ids = async (search: string): Promise<bigint[]> =>
          (await plants().list({ search, limit: 10 })).plants.map(({ id }) => id);
        assert.deepEqual([await ids('iciosa'), await ids('ommo'), await ids('onster')], [[], [0n], [0n]]);
      });

      it('finds parts of words in scripts that put no spaces between them', async () => {
        const names = ['月下美人', '美女撫子', 'ゲッカビジン', 'モンステラ 2号', 'กุหลาบหิน', `${'a'.repeat(8)}美人`];
        for (const [at, name] of names.entries()) await plants().create({ id: BigInt(at), name });
        for (const [search, found] of [
          ['美人', [0n, 5n]],
          ['美', [0n, 1n, 5n]],
          ['人美', []],
          ['下美人', [0n]],
          ['下 月', [0n]],
          ['カヒシン', [2n]],
          ['ステラ', [3n]],
          ['2 ステラ', [3n]],
          ['ラ2号', [3n]],
          ['หลาบ', [4n]],
          ['aaa美', [5n]],
        ] as const)
          assert.deepEqual(
            (await plants().list({ name: search, limit: 10 })).plants.map(({ id }) => id),
            found,
            search,
          );
      });

      it('finds a word among more prefix matches than are searched one by one', async () => {
        const rows = many(2000).map(({ id, ...plant }) => ({ ...plant, id, name: `Fern fern${id} \u{1f331}${id}` }));
        await plants().import(rows, { onConflict: 'fail', dryRun: false });
        for (const name of ['f', 'fer', 'fern', 'fern1', '\u{1f331}1', 'fern fern19 \u{1f331}']) {
          const wanted = rows.filter((row) =>
            toWords(name).every((word) => toWords(row.name).some((other) => other.startsWith(word))),
          );
          const ids: bigint[] = [];
          for (;;) {
            const after = ids.at(-1);
            const page = (await plants().list({ name, limit: 300, ...(after === undefined ? {} : { after }) })).plants;
            if (page.length === 0) break;
            ids.push(...page.map(({ id }) => id));
          }
          assert.deepEqual(
            ids,
            wanted.map(({ id }) => id),
            name,
          );
        }
      });

      it('finds 1,000 random astral characters in name and tag', async () => {
        const text = fc.sample(
          fc.string({
            unit: fc.integer({ min: 0x10000, max: 0x10ffff }).map((each) => String.fromCodePoint(each)),
            minLength: 1000,
            maxLength: 1000,
          }),
          { numRuns: 2, seed },
        );
        const [name = '', tag = ''] = text;
        await plants().create({ id: 1n, name, tag });
        await plants().create({ id: 2n, name: tag, tag: name });
        const ids = async (filter: ListFilter): Promise<bigint[]> =>
          (await plants().list({ ...filter, limit: 10 })).plants.map(({ id }) => id);
        assert.deepEqual(await plants().find(1n), { id: 1n, name, tag });
        assert.deepEqual(await ids({ name }), [1n]);
        assert.deepEqual(await ids({ tag }), [1n]);
        assert.deepEqual(await ids({ name, tag }), [1n]);
        assert.deepEqual(await ids({ name, tag: name }), []);
      });
    });

    describe('large searches, and many', () => {
      it('finds a part of more words than are looked up, in both orders, page by page', async () => {
        const count = 12_000;
        const rows = Array.from({ length: count }, (_, at) => ({
          id: BigInt(at) * 3n,
          name: at < 1_200 ? `Fern common${at} alpha${at % 7}` : `Fern other${at % 500}`,
          tag: at % 2 === 0 ? 'even' : `odd number${at}`,
        }));
        for (let at = 0; at < count; at += 500)
          await plants().import(rows.slice(at, at + 500), { onConflict: 'fail', dryRun: false });
        const has = (search: string) => (row: (typeof rows)[number]) =>
          search.split(' ').every((part) => toWords(`${row.name} ${row.tag}`).some((word) => word.includes(part)));
        const filters: ListFilter[] = [
          { search: 'ommon' },
          { search: 'mon11 mber' },
          { search: 'umber' },
          { search: 'umber ommon', tag: 'odd number3' },
          { search: 'ommon lpha3' },
          { search: 'umber', name: 'other499' },
          { search: 'mon110 mber110' },
          { search: 'mon11 ther11' },
        ];
        for (const filter of filters)
          for (const order of ['asc', 'desc'] as const) {
            const about = `${JSON.stringify(filter)} ${order}`;
            const wanted = rows
              .filter(has(filter.search ?? ''))
              .filter(({ tag }) => filter.tag === undefined || tag === filter.tag)
              .filter(({ name }) => filter.name === undefined || toWords(name).includes(filter.name));
            if (order === 'desc') wanted.reverse();
            const found: StoredPlant[] = [];
            for (;;) {
              const page = (
                await plants().list({
                  ...filter,
                  order,
                  limit: 700,
                  after: found.at(-1)?.id,
                  below: 35_000n,
                })
              ).plants;
              if (page.length === 0) break;
              found.push(...page);
            }
            assert.deepEqual(
              found,
              wanted.filter(({ id }) => id < 35_000n),
              about,
            );
            if (order === 'asc') assert.deepEqual(await drain(plants(), filter), wanted, `${about} in a snapshot`);
          }
      });

      it('lets 64 searches wait and refuses the next ones; pages without a search are not concerned', async () => {
        await plants().create({ id: 1n, name: 'fern', tag: 'a' });
        const search = (): Promise<unknown> => plants().list({ name: 'fern', limit: 1 });
        const settled = Promise.allSettled(Array.from({ length: 70 }, search));
        assert.equal((await plants().list({ tag: 'a', limit: 1 })).plants.length, 1);
        const outcomes = await settled;
        const refused = outcomes.flatMap((each, index) =>
          each.status === 'rejected' ? [[index, (each.reason as ServiceError).code]] : [],
        );
        assert.deepEqual(
          refused,
          [64, 65, 66, 67, 68, 69].map((index) => [index, 'store_busy']),
        );
        await search();
      });
    });
  });

  describe('listTags()', () => {
    it('returns the tags with a prefix after `after`, ordered by code point', async () => {
      // Characters at the boundaries of UTF-16 and Unicode; the last one has no successor.
      const [nearSurrogates, last] = ['\ud7ff', '\u{10ffff}'];
      const astral = [`${nearSurrogates}${last}`, '\ue000', '\uffff', '\u{10000}', '🌱', '🌲', last, `${last}${last}`];
      const tags = ['', 'A', 'a', 'aa', `a${last}`, `a${last}b`, `a${last}${last}`, 'b', nearSurrogates, ...astral];
      for (const [index, tag] of tags.toReversed().entries())
        await plants().create({ id: BigInt(index), name: 'a', tag });
      const list = async (page: TagQuery): Promise<string[]> =>
        (await plants().listTags(page)).tags.map((found) => found.tag);
      for (const [index, after] of tags.entries()) {
        assert.deepEqual(await list({ after, limit: 3 }), tags.slice(index + 1, index + 4));
        const wanted = tags.filter((tag) => tag.startsWith(after));
        assert.deepEqual(await list({ prefix: after, limit: 50 }), wanted, JSON.stringify(after));
        assert.deepEqual(await list({ prefix: after, after, limit: 50 }), wanted.slice(1));
      }
      assert.deepEqual(await list({ prefix: 'b', after: 'a', limit: 10 }), ['b']);
      assert.deepEqual(await list({ prefix: 'a', after: 'b', limit: 10 }), []);
    });

    it('counts the plants with and without a tag at the same moment', async () => {
      await plants().create({ id: 0n, name: 'a' });
      const isDone = { value: false };
      const write = async (): Promise<void> => {
        for (let round = 0; round < 40; round++) {
          await plants().create({ id: 1n, name: 'a', tag: 't' });
          await plants().delete(1n, {});
        }
        isDone.value = true;
      };
      const read = async (): Promise<void> => {
        while (!isDone.value) {
          const { tags, stored } = await plants().listTags({ limit: 5 });
          assert.equal(stored - Number(tags[0]?.plants ?? 0n), 1);
          // Free the thread for others, as a request does.
          await setImmediate();
        }
      };
      await Promise.all([write(), read()]);
    });
  });
}

function describeSnapshots({ plants, current }: Subject): void {
  describe('snapshot()', () => {
    const fill = async (): Promise<readonly StoredPlant[]> => {
      await plants().import(many(2200), { onConflict: 'fail', dryRun: false });
      return (await plants().list({ limit: 5000 })).plants;
    };

    it('includes a plant as soon as it is created, with any filter', async () => {
      for (const [id, filter] of [{ tag: 't' }, { name: 'f' }, {}].entries()) {
        await plants().create({ id: BigInt(id), name: 'Fern', tag: 't' });
        assert.equal((await Array.fromAsync(plants().snapshot(filter))).flat().length, id + 1);
      }
    });

    it('is consistent: later writes are not visible', async () => {
      const before = await fill();
      const chunks = plants().snapshot({})[Symbol.asyncIterator]();
      const seen = [...((await chunks.next()).value as readonly StoredPlant[])];
      assert.ok(seen.length < before.length, 'there is more than one chunk');
      await plants().delete(2100n, {});
      await plants().put({ id: 2101n, name: 'replaced' }, {});
      await plants().create({ id: 5001n, name: 'late' });
      await plants().create({ id: -1n, name: 'late' });
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) seen.push(...next.value);
      assert.deepEqual(seen, before);
      assert.equal((await drain(plants(), {})).length, before.length + 1);
    });

    it('is consistent with a filter, too: a later plant implies all earlier ones', async () => {
      await plants().import(many(500), { onConflict: 'fail', dryRun: false });
      for (const filter of [{ tag: 'moving' }, { name: 'wander' }, { tag: 'moving', name: 'wander' }]) {
        await plants().create({ id: 1000n, name: 'Wandering', tag: 'moving' });
        for (let id = 1000n; id < 1020n; id++) {
          const chunks = plants().snapshot(filter)[Symbol.asyncIterator]();
          const first = chunks.next();
          const moved = plants()
            .create({ id: id + 1n, name: 'Wandering', tag: 'moving' })
            .then(() => plants().delete(id, {}));
          const { value } = (await first) as IteratorYieldResult<readonly StoredPlant[]>;
          assert.ok(value.some((plant) => plant.id === id || plant.id === id + 1n));
          await moved;
          await chunks.return?.();
        }
        await plants().delete(1020n, {});
      }
    });

    it('filters like list()', async () => {
      await fill();
      await plants().create({ id: 0n, name: 'PL\u00c4NT', tag: '' });
      for (const filter of [{ tag: 't1' }, { tag: '' }, { name: 'pl\u00e4nt 12' }, { tag: 't2', name: 'Plant 1' }]) {
        const wanted = (await plants().list({ ...filter, limit: 5000 })).plants;
        assert.ok(wanted.length > 0);
        assert.deepEqual(await drain(plants(), filter), wanted);
      }
      assert.deepEqual(await drain(plants(), { tag: 'none' }), []);
    });

    it('is limited: a fifth concurrent one is refused until one of four ends', async () => {
      const wanted = await fill();
      const open = Array.from({ length: 4 }, () => plants().snapshot({})[Symbol.asyncIterator]());
      await Promise.all(open.map((each) => each.next()));
      await assert.rejects(drain(plants(), {}), { name: 'ServiceError', code: 'store_busy' });
      await assert.rejects(drain(plants(), {}), { code: 'store_busy' }, 'a refused one takes no place');
      await open[0]?.return?.();
      assert.equal((await drain(plants(), {})).length, wanted.length);
      for (const each of open) await each.return?.();
    });

    it('is released when it ends early, in any way', async () => {
      await fill();
      for (let round = 0; round < 12; round++) {
        const stop = async (): Promise<void> => {
          for await (const chunk of plants().snapshot({})) {
            if (round % 2 === 0) return;
            throw new Error(`enough after ${chunk.length}`);
          }
        };
        await (round % 2 === 0 ? stop() : assert.rejects(stop(), /enough/));
      }
      const atOnce = await Promise.all(Array.from({ length: 4 }, () => drain(plants(), {})));
      assert.deepEqual(
        atOnce.map(({ length }) => length),
        [2200, 2200, 2200, 2200],
      );
      assert.deepEqual(await current().findProblems(), []);
    });
  });
}

/** In code points: the limits of texts and of compared words. */
const lengths = [0, 1, 99, 100, 101, 999, 1000];

/** For each length: words of one letter, of several, of astral characters, and many words. */
const longTexts = lengths.flatMap((length) => {
  const short = Math.max(0, length - 1);
  const words = Array.from({ length: 500 }, (_, word) => (word % 2 === 0 ? 'Á' : 'ab'));
  return [
    'a'.repeat(length),
    'a'.repeat(short) + 'b'.repeat(length - short),
    '🌱'.repeat(length),
    '𐐀'.repeat(short) + '🌱'.repeat(length - short),
    [...words.join(' ')].slice(0, length).join(''),
  ];
});

/** Few ids and texts, so that they collide. */
const models: readonly (readonly [about: string, write: typeof randomWrite, filters: readonly ListFilter[]])[] = [
  [
    'short texts',
    randomWrite,
    [
      {},
      { tag: '' },
      { tag: 't' },
      ...['A', '\u0308', 'b a', 'abc'].map((name) => ({ name })),
      { tag: 't', name: 'a' },
      { untagged: true },
      { untagged: true, name: 'a' },
      { untagged: true, search: 'bc' },
      ...['a', 'bc', 'abc', 'b a'].map((search) => ({ search })),
      { name: 'a', search: 't' },
    ],
  ],
  [
    'texts of all lengths',
    toRandomWrite({ ids: [-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n], names: longTexts, tags: longTexts }),
    [
      ...['a', 'b a', '🌱', '𐐨', 'a'.repeat(100), 'a'.repeat(101)].map((name) => ({ name })),
      { tag: 'a', name: 'a' },
      { tag: '🌱'.repeat(1000) },
      ...['a', 'aab', 'a'.repeat(100), '🌱'].map((search) => ({ search })),
    ],
  ],
];

function describeModel({ plants, current, reopen }: Subject, numRuns: number): void {
  describe('random writes', () => {
    for (const [about, write, filters] of models)
      it(`of ${about} match a plain Map, many per commit, also after restarts`, { timeout: 280_000 }, async () => {
        const model = new PlantModel(plants());
        const commit = fc.tuple(fc.array(write, { maxLength: 12 }), fc.nat(9));
        const property = fc.asyncProperty(fc.array(commit, { maxLength: 4 }), async (commits) => {
          for (const [writes, dice] of commits) {
            await writeTogether(writes, model, plants());
            await compare(model, plants(), filters);
            if (dice === 0) await reopen();
          }
        });
        // State carries over between runs, so a failure cannot be shrunk.
        await fc.assert(property, { seed, numRuns, endOnFailure: true });
        await reopen();
        await compare(model, plants(), filters);
        assert.deepEqual(await current().findProblems(), []);
      });
  });
}

async function compare(model: PlantModel, plants: PlantStore, filters: readonly ListFilter[]): Promise<void> {
  const stored = [...model.plants.values()].flatMap(({ name, tag }): ListFilter[] => {
    const start = [...name].slice(0, 50).join('');
    return [{ name: start }, ...(tag === undefined ? [] : [{ tag }, { tag, name: start }])];
  });
  for (const filter of [...filters, ...stored]) {
    const found = (await plants.list({ ...filter, limit: 100 })).plants;
    assert.deepEqual(found, model.list(filter), JSON.stringify(filter).slice(0, 200));
  }
  assert.deepEqual((await plants.listTags({ limit: 100 })).tags, model.listTags());
  assert.equal(await plants.count(), model.plants.size);
}

async function drain(plants: PlantStore, filter: ListFilter): Promise<StoredPlant[]> {
  const rows: StoredPlant[] = [];
  for await (const chunk of plants.snapshot(filter)) rows.push(...chunk);
  return rows;
}
