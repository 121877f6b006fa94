/** Which database files are accepted, migrated, or refused unchanged. Kills during a migration are in test/crash/. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, beforeEach, describe, it } from 'node:test';
import { checkStore } from '../../src/store/maintenance.ts';
import { openStore, openTokenStore } from '../../src/store/open-store.ts';
import { openForWriting } from '../../src/store/sqlite/connection.ts';
import { migrate, requireCurrentSchema, requireOurs } from '../../src/store/sqlite/migrations.ts';
import { firstSchema, schemaSteps } from '../../src/store/sqlite/schema.ts';
import { refreshSearchIndex } from '../../src/store/sqlite/tables/search-index.ts';
import { addSteps } from '../support/add-steps.ts';
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
    const notices: string[] = [];
    const store = await openStore({ folder }, { limits, onNotice: (message) => notices.push(message) });
    await store.close();
    assert.deepEqual(notices, []);
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
      const notices: string[] = [];
      store = await openStore({ folder }, { limits, onNotice: (message) => notices.push(message) });
      assert.equal(notices.length, 3);
      assert.equal((await store.plants.list({ name: 'fern', limit: 20_000 })).plants.length, 12_000);
      assert.deepEqual((await store.plants.list({ name: 'outdated', limit: 1 })).plants, []);
      await store.close();
      assert.deepEqual((await checkStore({ folder })).problems, []);
    }
    store = await openStore({ folder }, { limits, onNotice: assert.fail });
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

  it('takes the steps that a file lacks, in order, and those of the next version later', (t) => {
    migrateFile();
    runSql("INSERT INTO plants (id, name) VALUES (1, 'fern')");
    addSteps(t, schemaSteps, 'ALTER TABLE plants ADD COLUMN girth INTEGER', 'UPDATE plants SET girth = 7');
    migrateFile();
    assert.deepEqual([readValue('SELECT girth FROM plants'), readValue('PRAGMA user_version')], [7, firstSchema + 2]);
    addSteps(t, schemaSteps, 'UPDATE plants SET girth = girth + 1');
    migrateFile();
    assert.deepEqual([readValue('SELECT girth FROM plants'), readValue('PRAGMA user_version')], [8, firstSchema + 3]);
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

  it('changes nothing if a step fails', (t) => {
    migrateFile();
    const schema = readValue(schemaSql);
    addSteps(t, schemaSteps, 'DROP TABLE tokens', 'CREATE TABLE plants (obstacle TEXT)');
    assert.throws(migrateFile, /table plants already exists/);
    assert.deepEqual([readValue(schemaSql), readValue('PRAGMA user_version')], [schema, firstSchema]);
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
    [
      'a database of a build before 1.0.0',
      'PRAGMA application_id = 0x506c6e74; PRAGMA user_version = 12; CREATE TABLE plants (id INTEGER PRIMARY KEY)',
      'was made by a build before 1\\.0\\.0 .*12;.* export the plants with that build, and import them with this one',
    ],
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
