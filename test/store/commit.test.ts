/** Transactions on one connection to a file: what is left when a write, the COMMIT or the ROLLBACK fails, and what one step of a trim removes. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { checkStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { prepareCommit, prepareTrim } from '../../src/store/sqlite/commit.ts';
import { openForWriting } from '../../src/store/sqlite/connection.ts';
import { databasePath } from '../../src/store/sqlite/data-folder.ts';
import { requireCurrentSchema } from '../../src/store/sqlite/migrations.ts';
import { trimmedMax } from '../../src/store/change-trimmer.ts';
import type { Write } from '../../src/store/write.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { stopClock } from '../support/stop-clock.ts';

/** Older than any change here. */
const ageMsMax = 3_600_000;

interface Opened {
  readonly folder: string;
  readonly db: DatabaseSync;
  readonly commit: ReturnType<typeof prepareCommit>;
}

/** @param onCommit runs in the place of each COMMIT. */
async function open(t: TestContext, onCommit?: () => never): Promise<Opened> {
  const folder = await makeFolder(t);
  await (await openStore({ folder }, { limits: { writesMax: 1, bytesMax: 1 } })).close();
  const db = openForWriting(databasePath(folder), requireCurrentSchema);
  cleanUp(t, async () => {
    if (db.isOpen) db.close();
  });
  // Stand for bugs of ours: one while a write is applied, one while what is derived from it is written.
  db.exec(`CREATE TEMP TRIGGER fail_write BEFORE INSERT ON main.plants WHEN new.name = 'bug'
    BEGIN SELECT RAISE(ABORT, 'made by a test'); END`);
  db.exec(`CREATE TEMP TRIGGER fail_finish BEFORE INSERT ON main.tag_counts WHEN new.tag = 'bug'
    BEGIN SELECT RAISE(ABORT, 'made by a test'); END`);
  if (onCommit !== undefined) {
    const prepare = db.prepare.bind(db);
    t.mock.method(db, 'prepare', (sql: string) => {
      const statement = prepare(sql);
      if (sql === 'COMMIT') t.mock.method(statement, 'run', onCommit);
      return statement;
    });
  }
  return { folder, db, commit: prepareCommit(db) };
}

function create(id: bigint, plant: Omit<NewPlant, 'id'>): Write {
  return { kind: 'create', plant: { id, ...plant } };
}

const failed = { refused: 'internal', reason: 'made by a test' };

describe('prepareCommit()', () => {
  it('keeps nothing in memory of writes that were rolled back: what is stored later is whole', async (t) => {
    const { folder, db, commit } = await open(t);
    commit([create(1n, { name: 'fern', tag: 'green' })]);
    const outcomes = commit([
      create(2n, { name: 'moss', tag: 'green' }),
      { kind: 'delete', id: 1n, condition: {} },
      create(3n, { name: 'fails late', tag: 'bug' }),
      create(4n, { name: 'bug', tag: 'green' }),
      create(5n, { name: 'ivy', tag: 'green' }),
    ]);
    assert.deepEqual(outcomes, ['created', 'deleted', failed, failed, 'created']);
    assert.deepEqual(commit([create(6n, { name: 'rose' })]), ['created']);
    db.close();
    assert.deepEqual((await checkStore({ folder })).problems, []);
  });

  it('notes the time of each commit', async (t) => {
    const { db, commit } = await open(t);
    const pass = stopClock(t, { apis: ['Date'] });
    pass(1_000);
    commit([create(1n, { name: 'fern' })]);
    pass(5_000);
    commit([create(2n, { name: 'moss' })]);
    const times = db.prepare('SELECT at FROM changes ORDER BY position').all();
    assert.deepEqual(
      times.map(({ at }) => at),
      [1_000n, 6_000n],
    );
  });

  it('lets no other process write between what it reads and what it writes', async (t) => {
    const { folder, commit } = await open(t);
    const other = new DatabaseSync(databasePath(folder), { timeout: 0 });
    t.after(() => other.close());
    const first: Write = {
      kind: 'insert-token',
      onlyFirst: true,
      // Read after the look for another token.
      get token() {
        assert.throws(() => other.exec('BEGIN IMMEDIATE'), { errcode: 5 });
        return { id: 'token0000001', name: 'first', hash: 'a', scopes: [], createdAt: 0 };
      },
    };
    assert.deepEqual(commit([first]), [true]);
  });

  it('stops at a commit that leaves the state on disk unknown, also when it commits one write at a time', async (t) => {
    const codes = [19, 1034];
    const left = [...codes];
    const { commit } = await open(t, () => {
      throw Object.assign(new Error('made by a test'), { errcode: left.shift() });
    });
    assert.throws(() => commit([1n, 2n, 3n].map((id) => create(id, { name: 'fern' }))), { errcode: codes[1] });
    assert.deepEqual(left, []);
  });

  it('fails the store when a transaction cannot be ended', async (t) => {
    const { db, commit } = await open(t);
    t.mock.method(db, 'exec', () => {
      throw new Error('made by a test');
    });
    assert.throws(() => commit([create(1n, { name: 'bug' })]), { code: 'store_failed' });
  });
});

describe('prepareTrim()', () => {
  const elapsedMs = 0;
  const positionsOf = (db: DatabaseSync, table: 'changes' | 'deleted_plants'): unknown[] =>
    db
      .prepare(`SELECT position FROM ${table} ORDER BY position`)
      .all()
      .map(({ position }) => position);

  it('keeps exactly the newest changes', async (t) => {
    const { db, commit } = await open(t);
    for (let id = 1n; id <= 6n; id += 1n) commit([create(id, { name: 'fern' })]);
    assert.equal(prepareTrim(db)({ recordsMax: 4, ageMsMax, elapsedMs }), false);
    assert.deepEqual(positionsOf(db, 'changes'), [3n, 4n, 5n, 6n]);
  });

  it('forgets a deleted plant with its deletion, not before', async (t) => {
    const { folder, db, commit } = await open(t);
    for (let round = 0; round < 2; round += 1)
      commit([create(1n, { name: 'fern' }), { kind: 'delete', id: 1n, condition: {} }]);
    const trim = prepareTrim(db);
    trim({ recordsMax: 1, ageMsMax, elapsedMs });
    assert.deepEqual(positionsOf(db, 'deleted_plants'), [4n]);
    trim({ recordsMax: 0, ageMsMax, elapsedMs });
    assert.deepEqual(positionsOf(db, 'deleted_plants'), []);
    db.close();
    assert.deepEqual((await checkStore({ folder })).problems, []);
  });

  it('removes a bounded number of changes in one step, and says that there are more', async (t) => {
    const { db, commit } = await open(t);
    const rows = Array.from({ length: trimmedMax + 1 }, (_, id) => ({ id: BigInt(id), name: 'fern' }));
    commit([{ kind: 'import', rows, rules: { onConflict: 'fail', dryRun: false } }]);
    const trim = prepareTrim(db);
    assert.equal(trim({ recordsMax: 0, ageMsMax, elapsedMs }), true);
    assert.deepEqual(positionsOf(db, 'changes'), [BigInt(trimmedMax) + 1n]);
    assert.equal(trim({ recordsMax: 0, ageMsMax, elapsedMs }), false);
  });
});
