/** Which database files are accepted, migrated, or refused unchanged. Kills during a migration are in test/crash/. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, beforeEach, describe, it } from 'node:test';
import { checkStore } from '../../src/store/maintenance.ts';
import { openStore, openTokenStore } from '../../src/store/open-store.ts';
import { openForWriting } from '../../src/store/sqlite/connection.ts';
import { migrate, requireCurrentSchema, requireOurs, schemaSteps } from '../../src/store/sqlite/migrations.ts';
import { refreshSearchIndex } from '../../src/store/sqlite/tables/search-index.ts';
import { checkOldWebhook, oldDocument } from './behaviour-webhooks.ts';
import { makeFolder } from '../support/clean-up.ts';

const limits = { writesMax: 100, bytesMax: 1_000_000 };
const root = await makeFolder({ after });

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'a'));
  path = join(folder, 'plants.db');
});

/** Runs SQL on the file as another program would. */
function runSql(sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** Runs SQL that returns one value. */
function readValue(sql: string): unknown {
  const db = new DatabaseSync(path);
  const [value] = Object.values(db.prepare(sql).get() ?? {});
  db.close();
  return value;
}

function migrateFile(): void {
  const db = openForWriting(path, requireOurs);
  try {
    migrate(db);
    requireCurrentSchema(db);
  } finally {
    db.close();
  }
}

/** Creates the file that the version with so many steps left. */
function createOldFile(version: number): void {
  const steps = schemaSteps.slice(0, version).join('; ');
  runSql(`PRAGMA application_id = 0x506c6e74; PRAGMA user_version = ${version}; ${steps}`);
}

const schemaSql = "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)";

describe('migrate()', () => {
  for (const [kind, prepare] of [
    ['a file that does not exist', async () => undefined],
    ['an empty file', () => writeFile(path, '')],
    ['a file that a start left before its migration', async () => runSql('PRAGMA journal_mode = WAL')],
  ] as const) {
    it(`creates the complete schema in ${kind}`, async () => {
      await prepare();
      migrateFile();
      assert.equal(readValue('PRAGMA application_id'), 0x506c6e74);
      assert.ok(Number(readValue('PRAGMA user_version')) >= 1);
      const tables = "FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' AND type = 'table'";
      assert.equal(readValue(`SELECT group_concat(name) ${tables} AND strict = 0`), null);
      assert.equal(readValue(`SELECT count(*) ${tables} AND name IN ('plants', 'tokens')`), 2);
    });
  }

  it('has nothing to report in a new store', async () => {
    const reports: string[] = [];
    const store = await openStore({ folder }, { limits, report: (message) => reports.push(message) });
    await store.close();
    assert.deepEqual(reports, []);
  });

  it('replaces the indexes of older files by the search index, which the next start fills', async () => {
    runSql(`PRAGMA application_id = 0x506c6e74; PRAGMA user_version = 1;
      CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT;
      CREATE INDEX plants_by_tag ON plants (tag) WHERE tag IS NOT NULL;
      CREATE TABLE plant_names (key TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)) STRICT, WITHOUT ROWID;
      CREATE TABLE tag_counts (tag TEXT PRIMARY KEY, plants INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO tag_counts VALUES ('', 1), ('wet', 2);
      CREATE TABLE plant_count (only_row INTEGER PRIMARY KEY CHECK (only_row = 0), plants INTEGER NOT NULL) STRICT;
      INSERT INTO plant_count VALUES (0, 4);
      CREATE TABLE tokens (id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
        created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, last_used_at INTEGER) STRICT;
      INSERT INTO plant_names VALUES ('wrong', 1);
      INSERT INTO plants VALUES (1, 'fern', 'wet'), (2, 'moss', NULL), (-3, 'aloe', ''), (4, 'reed', 'wet')`);
    migrateFile();
    for (const gone of ['plants_by_tag', 'plant_names', 'plant_tags', 'index_log'])
      assert.equal(readValue(`SELECT count(*) FROM sqlite_schema WHERE name = '${gone}'`), 0, gone);
    const reports: string[] = [];
    const store = await openStore({ folder }, { limits, report: (message) => reports.push(message) });
    assert.deepEqual(reports, ['Rebuilding the search index: 4 plants so far']);
    const { plants } = store;
    assert.deepEqual(
      (await plants.list({ tag: 'wet', limit: 9 })).map(({ id }) => id),
      [1n, 4n],
    );
    assert.deepEqual(await plants.list({ name: 'Al', limit: 9 }), [{ id: -3n, name: 'aloe', tag: '' }]);
    assert.deepEqual(await plants.list({ name: 'wrong', limit: 9 }), []);
    await store.close();
    assert.deepEqual((await checkStore({ folder })).problems, []);
  });

  it('rebuilds a search index of another version, or an unfinished one', async () => {
    let store = await openStore({ folder }, { limits });
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      id: 2n ** 63n - 1n - BigInt(index),
      name: `fern ${index}`,
    }));
    await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
    await store.close();
    for (const [version, left] of [
      ['', "INSERT INTO plant_words (plant_words) VALUES ('delete-all')"],
      ['0, Unicode 1.0', "INSERT INTO plant_words (rowid, tokens) VALUES (9223372036854775807, 'outdated')"],
    ] as const) {
      runSql(`UPDATE search_index SET version = '${version}'; ${left}`);
      const reports: string[] = [];
      store = await openStore({ folder }, { limits, report: (message) => reports.push(message) });
      assert.equal(reports.length, 3);
      assert.equal((await store.plants.list({ name: 'fern', limit: 20_000 })).length, 12_000);
      assert.deepEqual(await store.plants.list({ name: 'outdated', limit: 1 }), []);
      await store.close();
      assert.deepEqual((await checkStore({ folder })).problems, []);
    }
    store = await openStore({ folder }, { limits, report: assert.fail });
    await store.close();
  });

  it('leaves a search index that it did not finish to none of the versions: an older program may start next', () => {
    migrateFile();
    runSql(`INSERT INTO plants (id, name) VALUES (1, 'fern'); UPDATE search_index SET version = '0, Unicode 1.0'`);
    const db = openForWriting(path, requireCurrentSchema);
    const interrupt = (): never => {
      throw new Error('interrupted');
    };
    assert.throws(() => refreshSearchIndex(db, interrupt), /interrupted/);
    db.close();
    assert.equal(readValue('SELECT version FROM search_index'), '');
  });

  it('keeps the webhooks of the version before', async () => {
    createOldFile(6);
    runSql(`INSERT INTO webhooks VALUES ('old', 4, '${oldDocument}')`);
    const store = await openStore({ folder }, { limits });
    await checkOldWebhook(store);
    await store.close();
    assert.deepEqual((await checkStore({ folder })).problems, []);
  });

  it('keeps the change log of the version before, whose changes have no group', async () => {
    createOldFile(8);
    runSql(`INSERT INTO changes (position, at, id, name) VALUES (1, 0, 1, 'fern');
      INSERT INTO changes (position, at, id, name_before, previous) VALUES (2, 0, 1, 'fern', 1);
      INSERT INTO deleted_plants VALUES (1, 2);
      UPDATE change_log SET last = 2`);
    const store = await openStore({ folder }, { limits });
    await store.plants.edit([{ id: 1n, from: null, to: { name: 'fern' } }], 'new');
    const { changes } = await store.changes.read({ limit: 9 });
    assert.deepEqual(
      changes.map(({ kind, group }) => [kind, group]),
      [
        ['created', undefined],
        ['deleted', undefined],
        ['created', 'new'],
      ],
    );
    await store.close();
    assert.deepEqual((await checkStore({ folder })).problems, []);
  });

  it('leaves a file of this version unchanged', () => {
    migrateFile();
    runSql("INSERT INTO plants (id, name) VALUES (1, 'fern')");
    const [schema, version] = [readValue(schemaSql), readValue('PRAGMA user_version')];
    migrateFile();
    assert.equal(readValue(schemaSql), schema);
    assert.equal(readValue('PRAGMA user_version'), version);
    assert.equal(readValue('SELECT name FROM plants'), 'fern');
  });

  it('changes nothing if a step fails', () => {
    runSql('PRAGMA application_id = 0x506c6e74; CREATE TABLE tokens (obstacle TEXT)');
    assert.throws(migrateFile, /table tokens already exists/);
    assert.equal(readValue("SELECT count(*) FROM sqlite_schema WHERE name = 'plants'"), 0);
    assert.equal(readValue('PRAGMA user_version'), 0);
  });
});

describe('a data folder with a foreign file', () => {
  const newer = (version: number): string => `was written by a newer version .*${version}.*install that version`;
  for (const [kind, sql, message] of [
    [
      "another program's database",
      "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')",
      'of another program',
    ],
    ["another program's empty database with its mark", 'PRAGMA application_id = 252006674', 'of another program'],
    ["another program's empty database with its version", 'PRAGMA user_version = 3', 'of another program'],
    ['a database of a newer version', 'PRAGMA application_id = 0x506c6e74; PRAGMA user_version = 99', newer(99)],
  ] as const) {
    it(`is refused with one line if it has ${kind}, and stays unchanged`, async () => {
      runSql(sql);
      const before = await readFile(path);
      const line = new RegExp(
        `^Cannot open the data folder ${folder}: it (is a database|was) ?${message.replace(/^was/, '')}[^\n]*$`,
      );
      await assert.rejects(openStore({ folder }, { limits }), { message: line });
      await assert.rejects(openTokenStore({ folder }), { message: line });
      assert.deepEqual(await readFile(path), before);
    });
  }

  it('is refused with one line if it has no database, and stays unchanged', async () => {
    const text = 'This is a shopping list, and longer than the header of a database. '.repeat(20);
    await writeFile(path, text);
    const line = new RegExp(`^Cannot open the data folder ${folder}: file is not a database$`);
    await assert.rejects(openStore({ folder }, { limits }), { message: line });
    await assert.rejects(openTokenStore({ folder }), { message: line });
    assert.equal(await readFile(path, 'utf8'), text);
  });

  it('opens once the file is moved away: a refusal releases the lock', async () => {
    runSql('CREATE TABLE notes (text)');
    await assert.rejects(openStore({ folder }, { limits }));
    runSql('DROP TABLE notes');
    const store = await openStore({ folder }, { limits });
    await store.close();
  });
});

describe('openTokenStore()', () => {
  it('refuses a folder without a store, and creates none', async () => {
    await assert.rejects(openTokenStore({ folder }), {
      message: /: it contains no store; give another folder with --data-dir, or start the service once to create one$/,
    });
    await assert.rejects(readFile(path), { code: 'ENOENT' });
  });

  it('refuses an outdated store, and leaves the migration to the service', async () => {
    await writeFile(path, '');
    await assert.rejects(openTokenStore({ folder }), { message: /start the service once/ });
    assert.equal(readValue('SELECT count(*) FROM sqlite_schema'), 0);
  });
});
