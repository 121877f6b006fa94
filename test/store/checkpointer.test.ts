/** The log is copied while batches go on: by a second thread, whose failure is told. How long the log may become is tested in log-bound.test.ts. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { DatabaseSync } from 'node:sqlite';
import { Checkpointer } from '../../src/store/sqlite/threads/checkpointer.ts';
import { openForReading, openForWriting } from '../../src/store/sqlite/connection.ts';
import { migrate, requireOurs } from '../../src/store/sqlite/migrations.ts';
import { makeTemporaryFolder } from './open-temporary-store.ts';

/** Of a row that fills pages of its own. */
const rowBytes = 100_000;
/** Rows that make the log long enough to be copied, with some to spare. */
const longRows = 400;

let path: string;
let db: DatabaseSync;
let remove: () => Promise<void>;
let nextId = 0;

beforeEach(async () => {
  const made = await makeTemporaryFolder();
  ({ remove } = made);
  path = join(made.folder, 'plants.db');
  db = openForWriting(path, requireOurs);
  migrate(db);
  nextId = 0;
});
afterEach(() => remove());

function write(rows: number): void {
  db.exec('BEGIN');
  const insert = db.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  for (let row = 0; row < rows; row += 1) insert.run(++nextId, 'x'.repeat(rowBytes));
  db.exec('COMMIT');
}

function log(): { frames: number; rest: number } {
  const { log: frames, checkpointed } = db.prepare('PRAGMA wal_checkpoint(NOOP)').get() as Record<string, bigint>;
  return { frames: Number(frames), rest: Number(frames) - Number(checkpointed) };
}

describe('Checkpointer', () => {
  it('has a long log copied beside the writer, and copies the rest itself', async () => {
    const failures: Error[] = [];
    const checkpointer = new Checkpointer(db, path, (error) => failures.push(error));
    write(300);
    assert.ok(checkpointer.advance());
    assert.equal(log().rest, log().frames, 'a short log is left alone');
    write(longRows - 300);
    const { frames } = log();
    assert.ok(checkpointer.advance());
    // Written before the second thread has begun, while it copies, or after.
    for (let rounds = 0; rounds < 20; rounds += 1) {
      write(1);
      await turn();
    }
    while (log().rest >= frames && failures.length === 0) await turn();
    while (log().rest > 0 && failures.length === 0) {
      assert.ok(checkpointer.advance());
      await turn();
    }
    assert.deepEqual(failures, []);
    write(1);
    assert.ok(log().frames < frames / 2, 'the log is written from its start again');
    db.close();
    await checkpointer.close();
    const reader = openForReading(path);
    assert.equal(reader.prepare('SELECT count(*) AS n FROM plants').get()?.['n'], BigInt(nextId));
    reader.close();
  });

  it('waits for the copy when the log has become too long for another batch', () => {
    const checkpointer = new Checkpointer(db, path, assert.fail);
    write(longRows);
    checkpointer.advance();
    write(200);
    checkpointer.requireRoom();
    assert.equal(log().rest, 0);
    db.close();
    return checkpointer.close();
  });

  it('says so when a reader holds the log, and goes on when it lets go', () => {
    const checkpointer = new Checkpointer(db, path, assert.fail);
    const reader = openForReading(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM plants').get();
    write(600);
    assert.equal(checkpointer.advance(), false);
    assert.throws(() => checkpointer.requireRoom(), { name: 'LogHeldError' });
    reader.exec('COMMIT');
    checkpointer.requireRoom();
    assert.equal(log().rest, 0);
    reader.close();
    db.close();
  });

  it('tells that its thread failed', async () => {
    const failed = Promise.withResolvers<Error>();
    const checkpointer = new Checkpointer(db, path, failed.resolve);
    write(longRows);
    rmSync(path);
    mkdirSync(path);
    checkpointer.advance();
    assert.ok((await failed.promise) instanceof Error);
    db.close();
    await checkpointer.close();
  });
});
