/**
 * The search index against a plain Map: few ids, names and tags with boundary lengths, and restarts
 * in between.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { PlantFilter, PlantStore } from '../../src/domain/store.ts';
import { openTemporaryStore } from './open-temporary-store.ts';
import { PlantModel, toRandomWrite } from './plant-model.ts';
import { writeTogether } from './write-together.ts';

/** Set SEED to reproduce a failure. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

/** In code points: the limits of texts and of compared words. */
const lengths = [0, 1, 99, 100, 101, 999, 1000];

/** For each length: words of one letter, of several, of astral characters, and many words. */
const texts = lengths.flatMap((length) => {
  const short = Math.max(0, length - 1);
  const many = Array.from({ length: 500 }, (_, word) => (word % 2 === 0 ? 'Á' : 'ab'));
  return [
    'a'.repeat(length),
    'a'.repeat(short) + 'b'.repeat(length - short),
    '🌱'.repeat(length),
    '𐐀'.repeat(short) + '🌱'.repeat(length - short),
    [...many.join(' ')].slice(0, length).join(''),
  ];
});

const write = toRandomWrite({ ids: [-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n], names: texts, tags: texts });

const filters: readonly PlantFilter[] = [
  {},
  { tag: '' },
  { name: 'a' },
  { name: 'b a' },
  { name: '🌱' },
  { name: '𐐨' },
  { name: 'a'.repeat(100) },
  { name: 'a'.repeat(101) },
  { tag: 'a', name: 'a' },
  { tag: '🌱'.repeat(1000) },
];

describe(`the search index (SEED=${seed})`, () => {
  it('matches a plain Map by tag, by words and by both, also after a restart', { timeout: 240_000 }, async () => {
    const opened = await openTemporaryStore();
    let { plants } = opened.store;
    const model = new PlantModel(plants);
    try {
      const groups = fc.array(fc.tuple(fc.array(write, { maxLength: 10 }), fc.integer({ min: 0, max: 9 })), {
        maxLength: 5,
      });
      const property = fc.asyncProperty(groups, async (chosen) => {
        for (const [writes, dice] of chosen) {
          await writeTogether(writes, model, plants);
          await compare(model, plants);
          if (dice === 0) ({ plants } = await opened.reopen());
        }
      });
      // State carries over between runs, so a failure cannot be shrunk.
      await fc.assert(property, { seed, numRuns: 60, endOnFailure: true });
      assert.deepEqual(await opened.findProblems(), []);
    } finally {
      await opened.close();
    }
  });
});

async function compare(model: PlantModel, plants: PlantStore): Promise<void> {
  const stored = [...model.plants.values()].flatMap(({ name, tag }): PlantFilter[] => {
    const start = [...name].slice(0, 50).join('');
    return [{ name: start }, ...(tag === undefined ? [] : [{ tag }, { tag, name: start }])];
  });
  for (const filter of [...filters, ...stored]) {
    const found = await plants.list({ ...filter, limit: 100 });
    assert.deepEqual(found, model.list(filter), JSON.stringify(filter).slice(0, 200));
  }
  assert.deepEqual((await plants.listTags({ limit: 100 })).tags, model.listTags());
  assert.equal(await plants.count(), model.plants.size);
}
