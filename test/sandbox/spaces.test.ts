/** Spaces in memory: closed while idle, opened by the next call, dropped in the end. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { openSeed } from '../../src/sandbox/seed.ts';
import { closeMs, Spaces } from '../../src/sandbox/spaces.ts';

const seed = await openSeed();
after(() => seed.store.close());

function open(limits: Partial<ConstructorParameters<typeof Spaces>[1]> = {}, from = seed) {
  const clock = { now: 0 };
  const lost: unknown[] = [];
  const all = {
    ...{ bytesMax: 1_048_576, changesMax: 1_000, followersMax: 5, idleMs: 3_600_000 },
    ...{ spacesMax: 100, imagesBytesMax: 1_048_576, openMax: 4, ...limits },
  };
  const spaces = new Spaces(from, all, { error: (...line: unknown[]) => void lost.push(line) }, () => clock.now);
  after(() => spaces.close());
  return { spaces, clock, lost };
}

/** Resolves once no store is being closed. */
async function untilClosed(spaces: Spaces, open: number): Promise<void> {
  while (spaces.counts.open > open) await new Promise(setImmediate);
}

it('a space is closed when idle, opened by the next call, and dropped after an hour', async () => {
  const { spaces, clock } = open();
  const { store } = spaces.add('a');
  await store.plants.create({ id: 5_000n, name: 'mine' });
  const [before, position] = [store.plants.revision(), await store.changes.latest()];
  clock.now += closeMs - 1;
  spaces.sweep();
  assert.equal(spaces.counts.open, 1);
  clock.now += 1;
  spaces.sweep();
  await untilClosed(spaces, 0);
  assert.ok(spaces.counts.imagesBytes > 0);
  assert.equal(store.plants.revision(), undefined, 'nothing is cached while it is closed');
  assert.equal((await store.plants.find(5_000n))?.name, 'mine');
  assert.equal(await store.changes.latest(), position);
  await store.plants.create({ id: 5_001n, name: 'mine, too' });
  assert.notEqual(store.plants.revision(), before, 'replies of before are not valid any more');
  clock.now += 3_599_000;
  spaces.find('a');
  clock.now += 3_600_000;
  spaces.sweep();
  await untilClosed(spaces, 0);
  assert.deepEqual(spaces.counts, { spaces: 0, open: 0, imagesBytes: 0 });
});

it('of too many spaces or bytes, the one idle for longest goes', async () => {
  const { spaces, clock } = open({ spacesMax: 2 });
  for (const key of ['a', 'b']) await spaces.add(key).store.plants.create({ id: 1_000n, name: key });
  spaces.find('a');
  spaces.add('c');
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => spaces.find(key) !== undefined),
    [true, false, true],
  );
  const full = open({ imagesBytesMax: 1 });
  await full.spaces.add('a').store.plants.create({ id: 1_000n, name: 'a' });
  full.clock.now = clock.now + closeMs;
  full.spaces.sweep();
  await untilClosed(full.spaces, 0);
  full.spaces.sweep();
  assert.equal(full.spaces.counts.spaces, 0);
});

it('more spaces than may be open work at the same time, also while one of them is reset', async () => {
  const { spaces, lost } = open();
  const names = Array.from({ length: 30 }, (_, index) => `space ${index}`);
  const stores = names.map((name) => spaces.add(name).store);
  for (let round = 0n; round < 3n; round++) {
    await Promise.all(stores.map(({ plants }, at) => plants.create({ id: 5_000n + round, name: names[at] ?? '' })));
    assert.ok(spaces.counts.open <= 4);
  }
  const reads = stores.map(({ plants }) => plants.find(5_002n));
  spaces.reset('space 0');
  const found = await Promise.all(reads);
  assert.deepEqual(
    found.slice(1).map((plant) => plant?.name),
    names.slice(1),
  );
  assert.equal(await stores[0]?.plants.find(5_000n), undefined);
  assert.deepEqual(lost, []);
});

it('a space whose image cannot be opened is reported, and begins again', async () => {
  const dictionary = { ...seed };
  const { spaces, clock, lost } = open({}, dictionary);
  const { store } = spaces.add('a');
  await store.plants.create({ id: 5_000n, name: 'mine' });
  clock.now += closeMs;
  spaces.sweep();
  await untilClosed(spaces, 0);
  dictionary.image = new Uint8Array(seed.image.length);
  await assert.rejects(store.plants.find(5_000n), { code: 'store_failed' });
  dictionary.image = seed.image;
  assert.equal(lost.length, 1);
  assert.equal(await store.plants.find(5_000n), undefined);
  assert.equal((await store.plants.find(7n))?.name, 'Monstera');
  assert.equal(spaces.counts.imagesBytes, 0);
});
