/** Commits of a divided database: the buckets of ids, the parts of a commit, and what its parts come to together. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int64Max, int64Min } from '../../../src/json/int64.ts';
import { bucketOf, divide } from '../../../src/store/postgres/citus/divide-writes.ts';
import { undivided } from '../../../src/store/postgres/division.ts';
import { refuse, type Refusal, type Result, type Write } from '../../../src/store/write.ts';

const buckets = 16;

describe('bucketOf()', () => {
  it('never changes: the buckets are stored', () => {
    const ids = [0n, 1n, 2n, 3n, 7n, -1n, 9_007_199_254_740_993n, int64Min, int64Max];
    assert.deepEqual(
      ids.map((id) => bucketOf(id, buckets)),
      [0, 9, 3, 13, 5, 6, 2, 8, 14],
    );
    assert.deepEqual(new Set(ids.map(undivided.bucketOf)), new Set([0]));
  });

  it('spreads ids that count up, also in large steps', () => {
    for (const step of [1n, 2n, 10n, 1000n, 1n << 32n, 1n << 50n]) {
      const counts = new Array<number>(buckets).fill(0);
      for (let index = 0n; index < 1600n; index += 1n) {
        const bucket = bucketOf(BigInt.asIntN(64, index * step), buckets);
        counts[bucket] = (counts[bucket] ?? 0) + 1;
      }
      assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 200, `steps of ${step}: ${counts.join(' ')}`);
    }
  });
});

describe('divide()', () => {
  const create = (id: bigint): Write => ({ kind: 'create', plant: { id, name: 'fern' } });
  const rows = (...ids: bigint[]): Write => ({
    kind: 'import',
    rows: ids.map((id) => ({ id, name: 'fern' })),
    rules: { onConflict: 'skip', dryRun: false },
  });
  const revoke: Write = { kind: 'revoke-token', id: 't', revokedAt: 1 };

  it('leaves a commit as it is where there is one bucket', () => {
    const writes = [create(1n), revoke, rows(2n, 3n)];
    const { parts, join } = undivided.divide(writes);
    assert.deepEqual(parts, [{ bucket: 0, writes }]);
    const results: (Result | Refusal)[] = ['created', true, ['created', 'created']];
    assert.equal(join([results]), results);
  });

  it('keeps the order of writes of one plant, and brings each outcome back to its write', () => {
    const writes = [create(1n), create(2n), revoke, create(1n), rows(3n, 1n, 2n, 1n), rows()];
    const { parts, join } = divide(writes, buckets);
    const keys = parts.map(({ bucket }) => bucket);
    assert.deepEqual(keys, [bucketOf(1n, buckets), bucketOf(2n, buckets), undefined, bucketOf(3n, buckets)]);
    assert.deepEqual(parts[0]?.writes, [create(1n), create(1n), rows(1n, 1n)]);
    const results = join([
      ['created', 'replayed', ['unchanged', 'skipped']],
      ['created', ['taken']],
      [true],
      [['created']],
    ]);
    assert.deepEqual(results, [
      'created',
      'created',
      true,
      'replayed',
      ['created', 'unchanged', 'taken', 'skipped'],
      [],
    ]);
  });

  it('says of an import that nothing was written only if that is true of every part', () => {
    const { join } = divide([rows(1n, 2n)], buckets);
    const full = refuse('store_full');
    assert.deepEqual(join([[full], [full]]), [full]);
    assert.deepEqual(join([[['created']], [full]]), [refuse('store_failed')]);
    assert.deepEqual(join([[full], [refuse('store_busy')]]), [refuse('store_failed')]);
  });
});
