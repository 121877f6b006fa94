/** The write-ahead log stays bounded, even while a reader of another connection blocks checkpoints. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { Store } from '../../src/domain/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';

/** The documented limit, in bytes. */
const logBytesMax = 64 * 1024 * 1024;
/** Long, so that each plant fills its own pages. */
const name = '🌱'.repeat(1000);
const roundPlants = 400;

/** Counts ids, so that each round has new ones. */
class Planter {
  readonly #store: Store;
  next = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Creates a round of plants with scattered ids; returns the codes of refusals. */
  async plant(): Promise<Set<unknown>> {
    const ids = Array.from({ length: roundPlants }, () =>
      BigInt.asIntN(64, BigInt((this.next += 1)) * 0x9e3779b97f4a7c15n),
    );
    const outcomes = await Promise.allSettled(ids.map((id) => this.#store.plants.create({ id, name })));
    return new Set(
      outcomes.flatMap((each) => (each.status === 'rejected' ? [(each.reason as { code?: unknown }).code] : [])),
    );
  }
}

describe('the write-ahead log', () => {
  it('is at most 64 MB: a reader that blocks it makes writes wait until it ends', async (t) => {
    const folder = await makeFolder(t);
    const store = await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: logBytesMax } });
    const reader = new DatabaseSync(join(folder, 'plants.db'), { readOnly: true });
    cleanUp(t, async () => {
      if (reader.isOpen) reader.close();
      await store.close();
    });
    const planter = new Planter(store);
    const logBytes = (): number => statSync(join(folder, 'plants.db-wal')).size;
    await planter.plant();
    reader.exec('BEGIN');
    const seen = reader.prepare('SELECT count(*) AS n FROM plants').get()?.['n'];
    let refused = new Set<unknown>();
    while (refused.size === 0 && planter.next < 100_000) {
      refused = await planter.plant();
      assert.ok(logBytes() <= logBytesMax, `the log has ${logBytes()} bytes`);
    }
    assert.deepEqual(refused, new Set(['store_busy']));
    assert.ok(logBytes() > logBytesMax / 2, 'writes are not refused long before the bound');

    const count = await store.plants.count();
    assert.deepEqual(await planter.plant(), new Set(['store_busy']), 'and again');
    assert.equal(await store.plants.count(), count, 'nothing of a refused round is stored');
    assert.equal(
      reader.prepare('SELECT count(*) AS n FROM plants').get()?.['n'],
      seen,
      'the reader sees its own moment',
    );

    reader.exec('COMMIT');
    const writtenBefore = planter.next;
    while (planter.next < writtenBefore + 4_000) {
      assert.deepEqual(await planter.plant(), new Set(), 'writes resume by themselves');
      assert.ok(logBytes() <= logBytesMax, `the log has ${logBytes()} bytes`);
    }
  });

  it('lets writes wait, and refuses none, when the reader ends in time', async (t) => {
    const folder = await makeFolder(t);
    const store = await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: logBytesMax } });
    const reader = new DatabaseSync(join(folder, 'plants.db'), { readOnly: true });
    cleanUp(t, async () => {
      clearInterval(endOnceFull);
      reader.close();
      await store.close();
    });
    const planter = new Planter(store);
    await planter.plant();
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM plants').get();
    const endOnceFull = setInterval(() => {
      if (!reader.isTransaction || statSync(join(folder, 'plants.db-wal')).size < 48_000_000) return;
      // The token commands are not kept waiting: they write in between. A commit may take long, the wait for readers lasts longer.
      const other = new DatabaseSync(join(folder, 'plants.db'), { timeout: 4_000 });
      other.exec('BEGIN IMMEDIATE; COMMIT');
      other.close();
      reader.exec('COMMIT');
    }, 100);
    // Three times as much as fits into the log.
    while (planter.next < 20_000) assert.deepEqual(await planter.plant(), new Set());
    assert.equal(reader.isTransaction, false, 'the log was full');
  });

  it('stays so if readers overlap, each starting before the previous one ends', async (t) => {
    const folder = await makeFolder(t);
    const store = await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: logBytesMax } });
    const readers = [0, 1].map(() => new DatabaseSync(join(folder, 'plants.db'), { readOnly: true }));
    cleanUp(t, async () => {
      for (const reader of readers) reader.close();
      await store.close();
    });
    const planter = new Planter(store);
    let refusals = 0;
    await planter.plant();
    for (let round = 0; refusals < 3 && planter.next < 200_000; round += 1) {
      const [next, last] = round % 2 === 0 ? readers : readers.toReversed();
      next?.exec('BEGIN');
      next?.prepare('SELECT count(*) FROM plants').get();
      if (last?.isTransaction === true) last.exec('COMMIT');
      const refused = await planter.plant();
      const { size } = statSync(join(folder, 'plants.db-wal'));
      assert.ok(size <= logBytesMax, `the log has ${size} bytes`);
      if (refused.size > 0) refusals += 1;
    }
    assert.equal(refusals, 3, 'writes wait for the readers');
  });
});
