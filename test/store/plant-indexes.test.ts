/** Entries that wait for the indexes: merged a few at a time, beside changes, restarts and rollbacks, no index is ever wrong. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { StoredPlant } from '../../src/domain/schemas.ts';
import { toNameKey } from '../../src/store/name-key.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { PlantIndexes } from '../../src/store/sqlite/tables/plant-indexes.ts';

type Step =
  | { readonly kind: 'put'; readonly plant: StoredPlant }
  | { readonly kind: 'delete'; readonly id: bigint }
  /** Merges up to so many entries. */
  | { readonly kind: 'merge'; readonly rows: number }
  /** Another connection takes over: what a run had in memory is gone. */
  | { readonly kind: 'restart' }
  /** The steps since the last commit never were. */
  | { readonly kind: 'commit' | 'rollback' };

const id = fc.bigInt({ min: 1n, max: 6n });
const plant = fc.record(
  { id, name: fc.constantFrom('a', 'b', 'B', 'c'), tag: fc.constantFrom('t', 'u', 'v') },
  { requiredKeys: ['id', 'name'], noNullPrototype: true },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: plant.map((each): Step => ({ kind: 'put', plant: each })) },
  { weight: 2, arbitrary: id.map((each): Step => ({ kind: 'delete', id: each })) },
  { weight: 3, arbitrary: fc.nat(3).map((rows): Step => ({ kind: 'merge', rows })) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: 'restart' }, { kind: 'commit' }, { kind: 'rollback' }) },
);

describe('PlantIndexes', () => {
  it('never have an entry that no plant has, and have all of them once all is merged', () => {
    const property = fc.property(fc.array(step, { maxLength: 40 }), fc.nat(3), fc.nat(4), (steps, ...tuning) => {
      const subject = new Subject(...tuning);
      for (const each of steps) {
        subject.take(each);
        for (const entry of subject.entries()) assert.ok(subject.wanted().includes(entry), `${entry} is no plant's`);
      }
      subject.mergeAll();
      assert.deepEqual(subject.entries(), subject.wanted());
      assert.equal(subject.logRows(), 0);
      subject.close();
    });
    fc.assert(property, { numRuns: 600 });
  });

  it('are merged by the batches themselves once enough entries wait, and what is merged leaves the log', () => {
    const subject = new Subject(0, 10);
    const missing: number[] = [];
    for (let batch = 0n; batch < 12n; batch += 1n) {
      subject.batch([0n, 1n, 2n].map((each) => ({ id: batch * 3n + each, name: 'a', tag: 't' })));
      missing.push((subject.wanted().length - subject.entries().length) / 2);
    }
    assert.deepEqual(missing, [3, 6, 9, 10, 10, 10, 10, 10, 10, 10, 10, 10]);
    assert.ok(subject.logRows() < 30, 'the log is trimmed');
    subject.close();
  });

  for (const [about, hasTag] of [
    ['all', () => true],
    ['few', (index: number) => index % 10 === 0],
    ['none', () => false],
  ] as const) {
    for (const [order, toId] of [
      ['ascending', (index: number) => BigInt(index)],
      ['random', (index: number) => BigInt.asIntN(64, BigInt(index) * 0x9e3779b97f4a7c15n)],
    ] as const) {
      it(`keep the log short when ${about} of the plants have a tag, and ids are ${order}`, () => {
        const subject = new Subject(0, 10);
        for (let index = 0; index < 900; index += 3) {
          subject.batch(
            [index, index + 1, index + 2].map((each) => ({
              id: toId(each),
              name: 'a',
              ...(hasTag(each) ? { tag: 't' } : {}),
            })),
          );
          assert.ok(subject.logRows() <= 60, `${subject.logRows()} rows after ${index} plants`);
        }
        // What has left the log is in the indexes.
        subject.take({ kind: 'restart' });
        subject.mergeAll();
        assert.deepEqual(subject.entries(), subject.wanted());
        subject.close();
      });
    }
  }

  it('are changed at once for long texts, and beyond twice what may wait', () => {
    const subject = new Subject(0, 10);
    subject.batch([{ id: 1n, name: 'a'.repeat(60), tag: 't'.repeat(41) }]);
    assert.deepEqual(subject.entries(), subject.wanted());
    subject.batch(Array.from({ length: 50 }, (_, index) => ({ id: BigInt(index + 2), name: 'a', tag: 't' })));
    assert.ok(subject.logRows() <= 20, `${subject.logRows()} rows`);
    subject.mergeAll();
    assert.deepEqual(subject.entries(), subject.wanted());
    subject.close();
  });

  it('are changed at once while the store is small', () => {
    const subject = new Subject(3, 10);
    subject.batch([{ id: 1n, name: 'a', tag: 't' }]);
    assert.deepEqual(subject.entries(), subject.wanted());
    subject.close();
  });
});

/** The indexes of one database, driven step by step, beside the plants that they must fit. */
class Subject {
  readonly #db = new DatabaseSync(':memory:', { readBigInts: true });
  readonly #tuning: { waitFrom: number; waitingMax: number };
  #indexes: PlantIndexes;
  #plants = new Map<bigint, StoredPlant>();
  #committed = new Map<bigint, StoredPlant>();

  constructor(waitFrom: number, waitingMax: number) {
    migrate(this.#db);
    this.#tuning = { waitFrom, waitingMax };
    this.#indexes = new PlantIndexes(this.#db, this.#tuning);
    this.#begin();
  }

  take(each: Step): void {
    switch (each.kind) {
      case 'put':
        this.#put(each.plant);
        break;
      case 'delete': {
        const stored = this.#plants.get(each.id);
        if (stored !== undefined) this.#indexes.remove(stored);
        this.#plants.delete(each.id);
        break;
      }
      case 'merge':
        if (this.#indexes.areBehind) this.#indexes.merge(each.rows);
        break;
      case 'commit':
        this.#commit();
        break;
      case 'rollback':
        this.#db.exec('ROLLBACK');
        this.#indexes.forget();
        this.#plants = new Map(this.#committed);
        this.#begin();
        break;
      case 'restart':
        this.#commit();
        this.#db.exec('COMMIT; DROP TABLE temp.waiting_plant_tags; DROP TABLE temp.waiting_plant_names');
        this.#indexes = new PlantIndexes(this.#db, this.#tuning);
        this.#begin();
    }
  }

  batch(plants: readonly StoredPlant[]): void {
    for (const each of plants) this.#put(each);
    this.#commit();
  }

  mergeAll(): void {
    for (let tries = 0; this.#indexes.areBehind; tries += 1) {
      assert.ok(tries < 1000, 'merging comes to an end');
      this.#indexes.merge(2);
    }
  }

  entries(): string[] {
    const rows = this.#db
      .prepare(
        "SELECT 'tag ' || tag || ' ' || id AS e FROM plant_tags UNION ALL SELECT 'name ' || key || ' ' || id FROM plant_names",
      )
      .all();
    return rows.map(({ e }) => String(e)).sort();
  }

  logRows(): number {
    return Number(this.#db.prepare('SELECT count(*) AS n FROM index_log').get()?.['n']);
  }

  wanted(): string[] {
    return [...this.#plants.values()]
      .flatMap((each) => [
        `name ${toNameKey(each.name)} ${each.id}`,
        ...(each.tag === undefined ? [] : [`tag ${each.tag} ${each.id}`]),
      ])
      .sort();
  }

  close(): void {
    this.#db.close();
  }

  #put(each: StoredPlant): void {
    const stored = this.#plants.get(each.id);
    if (stored === undefined) this.#indexes.add(each);
    else this.#indexes.replace(stored, each);
    this.#plants.set(each.id, each);
  }

  #commit(): void {
    this.#indexes.finish();
    this.#db.exec('COMMIT');
    this.#committed = new Map(this.#plants);
    this.#begin();
  }

  #begin(): void {
    this.#db.exec('BEGIN');
    this.#indexes.begin(this.#plants.size);
  }
}
