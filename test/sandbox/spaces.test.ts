/** Spaces in memory: a bounded number, dropped in the end. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { openSeed, type Seed } from '../../src/sandbox/seed.ts';
import { type SpaceLimits, Spaces } from '../../src/sandbox/spaces.ts';

const seed = await openSeed();
after(() => seed.store.close());

function open(limits: Partial<SpaceLimits> = {}, from: Seed = seed) {
  const clock = { now: 0 };
  const lost: unknown[] = [];
  const all = {
    ...{ bytesMax: 1_048_576, changesMax: 1_000, followersMax: 5, idleMs: 3_600_000 },
    ...{ memoryBytesMax: 2 ** 29, ...limits },
  };
  const spaces = new Spaces(from, all, { error: (...line: unknown[]) => void lost.push(line) }, () => clock.now);
  after(() => spaces.close());
  return { spaces, clock, lost };
}

it('a space is dropped after an hour without a request', async () => {
  const { spaces, clock } = open();
  const { store } = spaces.add('a');
  await store.plants.create({ id: 5_000n, name: 'mine' });
  clock.now += 3_599_999;
  spaces.sweep();
  assert.equal((await spaces.find('a')?.store.plants.find(5_000n))?.name, 'mine');
  clock.now += 3_600_000;
  spaces.sweep();
  assert.equal(spaces.find('a'), undefined);
  await assert.rejects(store.plants.create({ id: 5_001n, name: 'late' }), { code: 'shutting_down' });
});

it('as many spaces as may be full at once fit into the memory; beyond, the one idle for longest goes', () => {
  // A full one is its plants and 768 KiB.
  const { spaces } = open({ memoryBytesMax: 2 * (1_048_576 + 786_432) });
  for (const key of ['a', 'b']) spaces.add(key);
  spaces.find('a');
  spaces.add('c');
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => spaces.find(key) !== undefined),
    [true, false, true],
  );
});

it('a reset space is the seed again for those who come, and refuses those who are in the old one', async () => {
  const { spaces } = open();
  const { store } = spaces.add('a');
  await store.plants.create({ id: 5_000n, name: 'mine' });
  const accepted = store.plants.create({ id: 5_001n, name: 'mine, too' });
  spaces.reset('a');
  await accepted;
  await assert.rejects(store.plants.find(5_000n), { code: 'shutting_down' });
  const { plants } = spaces.find('a')?.store ?? {};
  assert.equal(await plants?.find(5_001n), undefined);
  assert.equal((await plants?.find(7n))?.name, 'Monstera');
});

it('a space whose plants cannot be read is reported, and begins again', async () => {
  const image = Buffer.from(seed.image);
  const page = Math.floor(image.indexOf('Monstera') / 2_048) * 2_048;
  const { spaces, lost } = open({}, { ...seed, image: image.fill(0, page, page + 2_048) });
  await assert.rejects(spaces.add('a').store.plants.find(7n), { code: 'store_failed' });
  await new Promise(setImmediate);
  assert.equal(spaces.find('a'), undefined);
  assert.equal(lost.length, 1);
});

it('a space keeps at most 65,536 characters of replies', async () => {
  const { spaces } = open();
  const { cache } = spaces.add('a');
  let made = 0;
  const isKept = async (key: string): Promise<boolean> => {
    const before = made;
    for (let asked = 0; asked < 3; asked += 1)
      await cache.getOrMake(key, () => ({ status: 200, headers: {}, body: `${++made}`.padEnd(40_000) }));
    return made === before + 2;
  };
  assert.ok(await isKept('/plants'));
  assert.ok(await isKept('/tags'));
  await cache.getOrMake('/plants', () => ({ status: 200, headers: {}, body: `${++made}` }));
  assert.equal(made, 5, 'the first one has gone for the second one');
});
