/** Checkpoints between commits, once enough was written. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { StatementSync, type DatabaseSync } from 'node:sqlite';
import { openForReading, openForWriting } from '../../src/store/sqlite/connection.ts';
import { migrate, requireOurs } from '../../src/store/sqlite/migrations.ts';
import { Checkpointer } from '../../src/store/sqlite/threads/checkpointer.ts';
import { findReaders } from '../../src/store/sqlite/threads/find-readers.ts';
import { makeFolder } from '../support/clean-up.ts';
import { until } from '../support/until.ts';

const root = await makeFolder({ after });

/** A row that fills its own pages. */
const rowBytes = 100_000;

let path: string;
let db: DatabaseSync;
let nextId = 0;
let asked = 0;
let full = 0;
let onBlocked: () => void;
let checkpointer: Checkpointer;

beforeEach(async () => {
  path = join(await mkdtemp(join(root, 'a')), 'plants.db');
  db = openForWriting(path, requireOurs);
  migrate(db);
  nextId = 0;
  asked = 0;
  full = 0;
  onBlocked = () => undefined;
  checkpointer = new Checkpointer(db, path, (notice) => {
    if (notice === 'full') full += 1;
    else {
      asked += 1;
      onBlocked();
    }
  });
});
afterEach(async () => {
  db.close();
  await checkpointer.close();
});

function write(rows: number): void {
  db.exec('BEGIN');
  const insert = db.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  for (let row = 0; row < rows; row += 1) insert.run(++nextId, 'x'.repeat(rowBytes));
  db.exec('COMMIT');
}

const sizeOf = (file: string): number => statSync(file).size;

/** Counts the passive checkpoints from now on. The thread's are not among them: its objects of SQLite are its own. */
function countCopiesOfWriter({ mock }: TestContext): () => number {
  let copies = 0;
  mock.method(StatementSync.prototype, 'get', function countAndGet(this: StatementSync) {
    if (this.sourceSQL.includes('PASSIVE')) copies += 1;
    return this.all()[0];
  });
  return () => copies;
}

/** Lets the writer go on, with few rows, until the database has so many bytes: the thread may be copying just now. */
async function advanceUntil(bytes: number): Promise<void> {
  for (let rows = 0; sizeOf(path) < bytes; rows += 1) {
    assert.ok(rows < 1_000, 'a checkpoint is due');
    checkpointer.advance(1, 0);
    await setTimeout(10);
  }
}

describe('Checkpointer', () => {
  it('checkpoints after enough rows, and after fewer long ones', async () => {
    const before = sizeOf(path);
    write(10);
    checkpointer.advance(10, 1_000);
    assert.equal(sizeOf(path), before, 'a short log is left alone');
    checkpointer.advance(7_000, 1_000);
    await advanceUntil(before + 10 * rowBytes);
    const copied = sizeOf(path);
    write(140);
    checkpointer.advance(140, 140 * rowBytes);
    await advanceUntil(copied + 140 * rowBytes);
    // A complete checkpoint lets SQLite restart the log.
    const log = sizeOf(`${path}-wal`);
    write(1);
    assert.equal(sizeOf(`${path}-wal`), log);
  });

  it('has a thread copy the log while commits continue, then checkpoints the rest, each time', async (t) => {
    const copiesOfWriter = countCopiesOfWriter(t);
    for (let round = 0; round < 2; round += 1) {
      const before = sizeOf(path);
      const copies = copiesOfWriter();
      write(100);
      checkpointer.advance(5_000, 0);
      await until(() => sizeOf(path) >= before + 100 * rowBytes, 'the rows are copied');
      assert.equal(copiesOfWriter(), copies, 'the writer does not copy');
      const copied = sizeOf(path);
      write(10);
      await advanceUntil(copied + 10 * rowBytes);
      const log = sizeOf(`${path}-wal`);
      write(1);
      assert.equal(sizeOf(`${path}-wal`), log, 'the log restarts');
    }
  });

  it('tries again soon what a reader prevented', async (t) => {
    const copiesOfWriter = countCopiesOfWriter(t);
    const reader = openForReading(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM plants').get();
    write(10);
    checkpointer.advance(7_000, 0);
    reader.close();
    const before = sizeOf(path);
    assert.equal(copiesOfWriter(), 1);
    checkpointer.advance(700, 0);
    assert.equal(copiesOfWriter(), 2);
    await advanceUntil(before + 10 * rowBytes);
  });

  it('aborts snapshots that block the log, repeats that only after more writes, and refuses commits when full', () => {
    const reader = openForReading(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM plants').get();
    checkpointer.requireWalSpace();
    assert.equal(asked, 0);
    write(405);
    checkpointer.requireWalSpace();
    checkpointer.requireWalSpace();
    assert.equal(asked, 1);
    write(45);
    checkpointer.requireWalSpace();
    assert.equal(asked, 2);
    write(45);
    const refused = { code: 'store_busy', message: /this service reads the database$/ };
    assert.throws(() => checkpointer.requireWalSpace(), refused);
    // The commit before has waited for some seconds; the next one does not.
    const askedBefore = Number(asked);
    assert.throws(() => checkpointer.requireWalSpace(), refused);
    assert.throws(() => checkpointer.requireWalSpace(), refused);
    assert.ok(asked <= askedBefore + 1, 'a reader that comes later has its time');
    assert.equal(full, 1, 'the operator is told once');
    reader.exec('COMMIT');
    checkpointer.requireWalSpace();
    assert.equal(sizeOf(`${path}-wal`), 0);
    reader.close();
  });

  it('refuses nothing because of snapshots alone, also if another one begins at each abort', () => {
    const begin = (): DatabaseSync => {
      const reader = openForReading(path);
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM plants').get();
      return reader;
    };
    let snapshot = begin();
    // Such as a client that repeats an export that was cut.
    onBlocked = () => {
      snapshot.close();
      snapshot = begin();
    };
    for (let round = 0; round < 20; round += 1) {
      write(45);
      checkpointer.requireWalSpace();
    }
    assert.equal(full, 0);
    assert.ok(asked > 0);
    snapshot.close();
  });
});

describe('findReaders()', () => {
  it('names another process that reads in a transaction, and none that does not', async (t) => {
    const code = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1], { readOnly: true });
      db.exec('BEGIN');
      db.prepare('SELECT count(*) FROM plants').get();
      console.log('reads');
      process.stdin.once('data', () => { db.exec('COMMIT'); console.log("done"); });`;
    const child = spawn(process.execPath, ['--eval', code, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => child.kill());
    await once(child.stdout, 'data');
    assert.match(findReaders(`${path}-shm`) ?? '', new RegExp(`^process ${child.pid} \\(.+\\)$`));
    child.stdin.write('end');
    await once(child.stdout, 'data');
    assert.equal(findReaders(`${path}-shm`), undefined);
  });
});
