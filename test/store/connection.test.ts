/** The settings that durability depends on: applied to each connection and verified. Reads of one transaction. */
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, beforeEach, describe, it } from 'node:test';
import { openForReading, openForWriting, readPragma, readTogether } from '../../src/store/sqlite/connection.ts';
import { makeFolder } from '../support/clean-up.ts';

const noCheck = (): void => undefined;

const root = await makeFolder({ after });
let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(root, 'a')), 'plants.db');
});

describe('openForWriting()', () => {
  it('syncs every commit to a write-ahead log that only the writer checkpoints', () => {
    const db = openForWriting(path, noCheck);
    assert.equal(readPragma(db, 'journal_mode'), 'wal');
    assert.equal(readPragma(db, 'synchronous'), 2n);
    assert.equal(readPragma(db, 'wal_autocheckpoint'), 0n);
    assert.equal(readPragma(db, 'trusted_schema'), 0n);
    db.close();
  });

  for (const [setting, sql, value] of [
    ['journal_mode', 'PRAGMA journal_mode = WAL', { journal_mode: 'memory' }],
    ['synchronous', 'PRAGMA synchronous', { synchronous: 1n }],
    ['wal_autocheckpoint', 'PRAGMA wal_autocheckpoint = 0', { wal_autocheckpoint: 1000n }],
    ['trusted_schema', 'PRAGMA trusted_schema', { trusted_schema: 1n }],
  ] as const) {
    it(`fails if ${setting} cannot be applied`, (t) => {
      const { prepare } = Object.getOwnPropertyDescriptors(DatabaseSync.prototype);
      const prepareReally = prepare.value as (this: DatabaseSync, text: string) => unknown;
      t.mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, text: string) {
        const statement = prepareReally.call(this, text);
        return text === sql ? { get: () => value } : statement;
      });
      assert.throws(() => openForWriting(path, noCheck), new RegExp(`^Error: ${setting} is not `));
    });
  }
});

describe('openForReading()', () => {
  it('cannot write and creates no file', () => {
    assert.throws(() => openForReading(path), /unable to open database file/);
    openForWriting(path, noCheck).close();
    const db = openForReading(path);
    assert.throws(() => db.exec('CREATE TABLE t (a)'), /readonly/);
    assert.equal(readPragma(db, 'synchronous'), 2n);
    db.close();
  });
});

describe('readTogether()', () => {
  for (const [when, end] of [
    ['leaves the transaction open', ''],
    // SQLite does so after SQLITE_IOERR and SQLITE_NOMEM (sqlite.org/lang_transaction.html).
    ['ends the transaction', 'ROLLBACK'],
  ] as const) {
    it(`throws the error of the read, whose transaction is over, if SQLite ${when}`, () => {
      openForWriting(path, noCheck).close();
      const db = openForReading(path);
      const error = new Error('made by a test: disk I/O error');
      const fail = (): never => {
        db.exec(end);
        throw error;
      };
      assert.throws(() => readTogether(db, fail), error);
      assert.equal(db.isTransaction, false);
      assert.equal(
        readTogether(db, () => 1),
        1,
      );
      db.close();
    });
  }
});
