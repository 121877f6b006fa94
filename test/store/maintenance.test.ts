/** Backup, restore and check of a SQLite store, called as the commands do. Their output is tested in test/cli/. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs, {
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  statSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, describe, it } from 'node:test';
import type { NewPlant } from '../../src/domain/schemas.ts';
import type { Store } from '../../src/domain/store.ts';
import { backupStore, checkStore, restoreStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { firstSchema, schemaSteps } from '../../src/store/sqlite/schema.ts';
import { addSteps } from '../support/add-steps.ts';
import { toDelivery, withId } from './behaviour-webhooks.ts';
import { makeFolder } from '../support/clean-up.ts';
import { readAll } from './open-temporary-store.ts';

const limits = { writesMax: 10_000, bytesMax: 64 * 1024 * 1024 };
const forced = { isForced: true, suffix: 'before' };
const careful = { isForced: false, suffix: 'before' };

const plantsOf = (count: number): NewPlant[] =>
  Array.from({ length: count }, (_, index) => ({
    id: BigInt(index) - 10n,
    name: `Plánt ${index}`,
    ...(index % 2 === 0 ? {} : { tag: `t${index % 4}` }),
  }));

/** Each test has its own folders in it. */
const root = await makeFolder({ after });
let lastFolder = 0;
/** The stores of the current test. */
const filled: Store[] = [];

// A store left open by a failed test would keep this process alive.
afterEach(async () => {
  for (const store of filled.splice(0)) await store.close();
});

function newPath(): string {
  return join(root, `data-${++lastFolder}`);
}

/** Creates a store with these plants, open or closed. */
async function fill(folder: string, plants: readonly NewPlant[], isOpen: boolean): Promise<Store> {
  const store = await openStore({ folder }, { limits });
  filled.push(store);
  await store.plants.import(plants, { onConflict: 'replace', dryRun: false });
  if (!isOpen) await store.close();
  return store;
}

function names(folder: string): string[] {
  return readdirSync(folder).sort();
}

/** Reads every non-empty file of a folder, except the log's index, which reading may create. */
function picture(folder: string): Record<string, string> {
  const files = names(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')] as const);
  return Object.fromEntries(files.filter(([name, bytes]) => bytes !== '' && !name.endsWith('-shm')));
}

/** Overwrites bytes in the middle of a file. */
function damage(file: string, at: number, bytes = 64): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(bytes, 0xa5), 0, bytes, at);
  closeSync(descriptor);
}

/** Lists the temporary copies of backups and checks. */
function copiesIn(folder: string): string[] {
  return names(folder).filter((name) => name.startsWith('plants.copy-'));
}

/** Writes a file that was last changed two days ago. */
function writeOld(file: string): void {
  writeFileSync(file, 'content');
  const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
  utimesSync(file, twoDaysAgo, twoDaysAgo);
}

function sql(file: string, text: string): void {
  const db = new DatabaseSync(file);
  db.exec(text);
  db.close();
}

const sound = plantsOf(500);

describe('backupStore() and restoreStore() copy a store', () => {
  it('copy every plant, tag count and token, while the store is open', async () => {
    const [folder, file, target] = [newPath(), join(root, 'full.db'), newPath()];
    const store = await fill(folder, sound, true);
    const token = {
      id: 'token0000001',
      name: 'a',
      hash: 'a'.repeat(64),
      scopes: ['webhooks:manage'] as const,
      createdAt: 1,
    };
    await store.tokens.insert(token);
    const report = await backupStore({ folder }, file);
    await store.plants.create({ id: -999n, name: 'too late' });
    await store.close();
    assert.deepEqual([report.plants, report.tags, report.tokens, report.problems], [500, 2, 1, []]);
    assert.deepEqual(
      names(root).filter((name) => name.startsWith('full')),
      ['full.db'],
      'one file, and nothing next to it',
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);

    const restored = restoreStore({ folder: target }, file, careful);
    assert.deepEqual([restored.keptAs, restored.check.plants], [undefined, 500]);
    assert.equal(statSync(target).mode & 0o777, 0o700);
    assert.equal(statSync(join(target, 'plants.db')).mode & 0o777, 0o600);
    assert.deepEqual(await readAll(target), sound);
    const reopened = await openStore({ folder: target }, { limits });
    assert.deepEqual(await reopened.tokens.list(), [token]);
    assert.deepEqual((await checkStore({ folder: target })).problems, []);
    assert.equal((await checkStore({ folder: target })).journalMode, 'wal');
    await reopened.close();
  });

  it('take a store of an older version, as before an upgrade, which check searches for damage', async (t) => {
    const [folder, target, file] = [newPath(), newPath(), join(root, 'before-upgrade.db')];
    await fill(folder, sound, false);
    sql(join(folder, 'plants.db'), 'UPDATE plant_count SET plants = 1');
    const before = picture(folder);
    addSteps(t, schemaSteps, 'UPDATE plant_count SET plants = 500');
    const { schemaVersion, plants, problems } = await checkStore({ folder });
    assert.deepEqual([schemaVersion, plants, problems], [firstSchema, 500, []]);
    assert.equal((await backupStore({ folder }, file)).plants, 500);
    assert.deepEqual(picture(folder), before, 'it is not brought up to date');
    const bytes = readFileSync(file);
    assert.equal(restoreStore({ folder: target }, file, careful).check.schemaVersion, firstSchema + 1);
    assert.deepEqual((await checkStore({ folder: target })).problems, []);
    assert.deepEqual(readFileSync(file), bytes, 'nor is the backup');
    for (const each of [file, join(folder, 'plants.db')]) damage(each, statSync(each).size - 2_048, 2_048);
    await assert.rejects(backupStore({ folder }, file), /the copy is not sound: The file is damaged/);
    assert.throws(() => restoreStore({ folder: target }, file, forced), /the backup is not sound: The file is damaged/);
  });

  it('end the positions of the change log: what follows them may differ', async () => {
    const [folder, target, file] = [newPath(), newPath(), join(root, 'positions.db')];
    const store = await fill(folder, sound.slice(0, 5), true);
    const position = await store.changes.latest();
    await store.close();
    await backupStore({ folder }, file);
    restoreStore({ folder: target }, file, careful);
    const restored = await openStore({ folder: target }, { limits });
    await assert.rejects(restored.changes.read({ after: position, limit: 1 }), { code: 'position_unknown' });
    assert.equal((await restored.changes.read({ limit: 9 })).changes.length, 5);
    await restored.close();
  });

  it('keep the places of webhooks: what they had not delivered is in the restored log', async () => {
    const [folder, target, file] = [newPath(), newPath(), join(root, 'webhooks.db')];
    const store = await fill(folder, sound.slice(0, 5), true);
    const position = await store.changes.latest();
    const here = withId('here', { position });
    await store.webhooks.insert(here);
    await store.webhooks.insert(withId('elsewhere', { position: '00000000-1' }));
    await store.plants.create({ id: 900n, name: 'delivered in vain' });
    const waiting = toDelivery(1, { position: await store.changes.latest() });
    await store.webhooks.saveProgress('here', { ...here.progress, waiting: waiting.id }, waiting);
    await store.plants.create({ id: 901n, name: 'not delivered' });
    await store.close();
    await backupStore({ folder }, file);
    restoreStore({ folder: target }, file, careful);

    const reopened = await openStore({ folder: target }, { limits });
    filled.push(reopened);
    const { changes, webhooks } = reopened;
    const idsAfter = async (after: string): Promise<bigint[]> =>
      (await changes.read({ after, limit: 9 })).changes.map(({ id }) => id);
    const { settings, progress } = (await webhooks.find('here')) ?? assert.fail();
    assert.deepEqual(await idsAfter(progress.position), [900n, 901n]);
    assert.deepEqual(settings, here.settings);
    assert.deepEqual({ ...progress, position }, { ...here.progress, waiting: waiting.id, step: 2 });
    const delivery = (await webhooks.findDelivery('here', waiting.id)) ?? assert.fail();
    assert.deepEqual(await idsAfter(delivery.position), [901n]);
    assert.deepEqual({ ...delivery, position: waiting.position }, waiting);
    assert.equal((await webhooks.find('elsewhere'))?.progress.position, '00000000-1');
  });
});

describe('backupStore() and restoreStore() and the file of the backup', () => {
  it('replace an earlier backup completely, and keep it if the new one fails', async () => {
    const [folder, file] = [newPath(), join(root, 'again.db')];
    await fill(folder, sound.slice(0, 5), false);
    await backupStore({ folder }, file);
    await fill(folder, sound, false);
    assert.equal((await backupStore({ folder }, file)).plants, 500);
    const kept = readFileSync(file);
    sql(join(folder, 'plants.db'), 'UPDATE plant_count SET plants = 1');
    await assert.rejects(
      backupStore({ folder }, file),
      /^Error: Cannot back up .*: the copy is not sound: The number of plants/,
    );
    await assert.rejects(backupStore({ folder: newPath() }, file), /it contains no store/);
    assert.ok(readFileSync(file).equals(kept));
    assert.deepEqual(copiesIn(root), []);
  });

  it('write the same file at the same time, each a complete copy', async () => {
    const [folder, file] = [newPath(), join(root, 'shared.db')];
    const store = await fill(folder, sound, true);
    const reports = await Promise.all(Array.from({ length: 4 }, () => backupStore({ folder }, file)));
    assert.deepEqual(
      reports.map(({ plants, problems }) => [plants, problems]),
      reports.map(() => [500, []]),
    );
    assert.deepEqual(
      names(root).filter((name) => name.startsWith('shared')),
      ['shared.db'],
    );
    assert.deepEqual(copiesIn(root), []);
    await store.close();
    const target = newPath();
    restoreStore({ folder: target }, file, careful);
    assert.deepEqual(await readAll(target), sound);
  });

  it('leave files of others next to the backup unchanged', async () => {
    const [folder, target] = [newPath(), newPath()];
    await fill(folder, sound, false);
    mkdirSync(target);
    const others = ['a.db.part', 'a.db.part-journal', 'plants.copy-mine'];
    for (const name of others) writeOld(join(target, name));
    await backupStore({ folder }, join(target, 'a.db'));
    assert.deepEqual(names(target), ['a.db', ...others]);
    for (const name of others) assert.equal(readFileSync(join(target, name), 'utf8'), 'content');
  });

  it('never replace what is not a regular file', async () => {
    const folder = newPath();
    await (await fill(folder, sound, false)).close();
    const pipe = newPath();
    execFileSync('mkfifo', [pipe]);
    await assert.rejects(backupStore({ folder }, pipe), /it is not a regular file/);
    assert.ok(statSync(pipe).isFIFO());
  });

  it('never overwrite the store itself', async () => {
    const folder = newPath();
    const store = await fill(folder, sound, true);
    for (const name of [
      'plants.db',
      'plants.lock',
      'plants.db-wal',
      'plants.db-shm',
      'plants.db.part',
      `plants.copy-${randomUUID()}`,
      'webhook-key',
      'initial-token',
      '../x/../plants.db',
    ]) {
      const file = name.startsWith('..') ? join(folder, 'x', '..', 'plants.db') : join(folder, name);
      await assert.rejects(backupStore({ folder }, file), /this is a file of the store itself/, name);
    }
    const link = newPath();
    symlinkSync(folder, link);
    await assert.rejects(backupStore({ folder }, join(link, 'plants.db')), /this is a file of the store itself/);
    const other = newPath();
    const otherStore = await fill(other, [], false);
    await otherStore.close();
    await assert.rejects(
      backupStore({ folder: other }, join(folder, 'plants.db')),
      /this is a store that is open in another process/,
    );
    await store.plants.create({ id: -999n, name: 'still the same file' });
    await backupStore({ folder }, join(folder, 'plants-2026.db'));
    await store.close();
    assert.equal((await readAll(folder)).length, 501);
  });

  it('never overwrite a file of another store, also through a link to its folder, and do so with an ordinary backup', async () => {
    const [folder, other, link, backups] = [newPath(), newPath(), newPath(), newPath()];
    await fill(folder, sound, false);
    await fill(other, sound.slice(0, 5), false);
    writeFileSync(join(other, 'webhook-key'), 'key');
    symlinkSync(other, link);
    const before = picture(other);
    for (const target of [other, link]) {
      for (const name of ['plants.db', 'plants.db-wal', 'webhook-key', 'initial-token'])
        await assert.rejects(
          backupStore({ folder }, join(target, name)),
          /^Error: Cannot back up .*: this is a file of another store; choose another name$/,
          name,
        );
    }
    assert.deepEqual(picture(other), before);
    // Not every folder with a plants.db is a data folder.
    mkdirSync(backups);
    for (let night = 0; night < 2; night++) await backupStore({ folder }, join(backups, 'plants.db'));
    assert.deepEqual(names(backups), ['plants.db']);
  });

  it("fail if the target's folder does not exist, and report it", async () => {
    const folder = newPath();
    await fill(folder, [], false);
    await assert.rejects(
      backupStore({ folder }, join(root, 'nowhere', 'a.db')),
      /^Error: Cannot back up .*: there is no folder .*nowhere$/,
    );
    const before = await readdir(root);
    await assert.rejects(backupStore({ folder }, root), /: it is a folder; name a file in it$/);
    assert.deepEqual(await readdir(root), before);
  });
});

describe('restoreStore()', () => {
  let file = '';
  before(async () => {
    const folder = newPath();
    file = join(root, 'sound.db');
    await fill(folder, sound, false);
    await backupStore({ folder }, file);
  });
  const old = [{ id: 1n, name: 'the old one', tag: 'old' }];

  it('refuses to replace an existing store unless forced; then keeps it under another name', async () => {
    const folder = newPath();
    await fill(folder, old, false);
    const before = picture(folder);
    assert.throws(
      () => restoreStore({ folder }, file, careful),
      /the data folder already holds a store; --force replaces it and keeps a copy/,
    );
    assert.deepEqual(picture(folder), before);
    const { keptAs } = restoreStore({ folder }, file, forced);
    assert.equal(keptAs, join(folder, 'plants.db.before'));
    assert.deepEqual(await readAll(folder), sound);
    const elsewhere = newPath();
    restoreStore({ folder: elsewhere }, keptAs, careful);
    assert.deepEqual(await readAll(elsewhere), old);
    assert.throws(() => restoreStore({ folder }, file, forced), /EEXIST/, 'what is kept is never written over');
    assert.deepEqual(await readAll(elsewhere), old);
  });

  it('includes the log of a killed service', async () => {
    const [folder, copy] = [newPath(), newPath()];
    const store = await fill(folder, old, true);
    mkdirSync(copy);
    for (const name of ['plants.db', 'plants.db-wal'])
      writeFileSync(join(copy, name), readFileSync(join(folder, name)), { mode: 0o600 });
    await store.close();
    assert.ok(statSync(join(copy, 'plants.db-wal')).size > 0, 'the log is not empty');
    const { keptAs } = restoreStore({ folder: copy }, file, forced);
    assert.equal(existsSync(join(copy, 'plants.db-wal')), false);
    assert.deepEqual(await readAll(copy), sound);
    const elsewhere = newPath();
    restoreStore({ folder: elsewhere }, keptAs ?? '', careful);
    assert.deepEqual(await readAll(elsewhere), old);
  });

  it('leaves no log beside the restored one that another process began while the copy went to disk', (t) => {
    const folder = newPath();
    const target = join(folder, 'plants.db');
    mkdirSync(folder, { mode: 0o700 });
    restoreStore({ folder }, file, careful);
    const open = fs.openSync;
    // The copy is opened with `fs` only to be synced.
    t.mock.method(fs, 'openSync', (path: string, ...rest: [string]) => {
      if (path === `${target}.part` && !existsSync(`${target}-wal`)) writeFileSync(`${target}-wal`, 'a log');
      return open(path, ...rest);
    });
    syncBuiltinESMExports();
    try {
      restoreStore({ folder }, file, forced);
    } finally {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    }
    assert.deepEqual(names(folder), ['plants.db', 'plants.db.before', 'plants.lock']);
  });

  it('does not replay the log of another store into the restored one', async () => {
    const [folder, copy] = [newPath(), newPath()];
    const store = await fill(folder, old, true);
    mkdirSync(copy);
    writeFileSync(join(copy, 'plants.db-wal'), readFileSync(join(folder, 'plants.db-wal')), { mode: 0o600 });
    await store.close();
    restoreStore({ folder: copy }, file, careful);
    assert.deepEqual(await readAll(copy), sound);
    assert.deepEqual((await checkStore({ folder: copy })).problems, []);
  });

  it('refuses a folder that is served or read', async () => {
    const folder = newPath();
    const store = await fill(folder, old, true);
    for (const options of [careful, forced])
      assert.throws(
        () => restoreStore({ folder }, file, options),
        /^Error: Cannot restore .*: (it is in use by another plant-store process|the data folder already holds)/,
      );
    assert.throws(
      () => restoreStore({ folder }, file, forced),
      /it is in use by another plant-store process; stop it first$/,
    );
    assert.deepEqual((await store.plants.list({ limit: 5 })).plants, old);
    await store.close();

    const reader = new DatabaseSync(join(folder, 'plants.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM plants').get();
    assert.throws(() => restoreStore({ folder }, file, forced), /the existing store is open in another process/);
    reader.close();
    assert.deepEqual(await readAll(folder), old);
  });

  it('replaces a damaged store, and keeps it too', async () => {
    for (const at of [0, 4096]) {
      const folder = newPath();
      await fill(folder, old, false);
      damage(join(folder, 'plants.db'), at, 4096);
      const broken = readFileSync(join(folder, 'plants.db'));
      const { keptAs = '' } = restoreStore({ folder }, file, forced);
      assert.deepEqual(await readAll(folder), sound);
      // If it can be opened, its log mode is turned off: a few bytes of the first page change.
      const kept = readFileSync(keptAs);
      assert.ok(kept.subarray(4096).equals(broken.subarray(4096)));
      if (at === 0) assert.ok(kept.equals(broken));
    }
  });

  const bad: readonly (readonly [about: string, make: (copy: string) => void, message: RegExp])[] = [
    ['a damaged header', (copy) => damage(copy, 0), /file is not a database/],
    [
      'a damaged page',
      (copy) => damage(copy, statSync(copy).size - 4096, 4096),
      /the backup is not sound: The file is damaged/,
    ],
    [
      'half a file',
      (copy) => writeFileSync(copy, readFileSync(copy).subarray(0, 40_960)),
      /not sound|malformed|damaged/,
    ],
    ['an empty file', (copy) => writeFileSync(copy, ''), /: the file is empty$/],
    ['a text', (copy) => writeFileSync(copy, 'id,name,tag\r\n'.repeat(100)), /file is not a database/],
    [
      'a database of another program',
      (copy) => sql(copy, 'PRAGMA application_id = 7'),
      /a database of another program/,
    ],
    ['a newer version', (copy) => sql(copy, 'PRAGMA user_version = 99'), /a newer version/],
    [
      'a wrong count',
      (copy) => sql(copy, 'UPDATE plant_count SET plants = plants + 1'),
      /The number of plants is counted wrongly/,
    ],
    ['a store with its log', (copy) => writeFileSync(`${copy}-wal`, 'frames'), /a log beside it/],
    [
      'a link to a store with its log',
      (copy) => {
        writeFileSync(`${copy}.linked-wal`, 'frames');
        renameSync(copy, `${copy}.linked`);
        symlinkSync(`${copy}.linked`, copy);
      },
      /a log beside it/,
    ],
  ];
  for (const [index, [about, make, message]] of bad.entries()) {
    it(`refuses ${about}, and leaves the folder unchanged`, async () => {
      const [folder, copy] = [newPath(), join(root, `bad-${index}.db`)];
      await fill(folder, old, false);
      const before = picture(folder);
      writeFileSync(copy, readFileSync(file));
      make(copy);
      assert.throws(() => restoreStore({ folder }, copy, forced), message);
      assert.deepEqual(picture(folder), before);
      const empty = newPath();
      assert.throws(() => restoreStore({ folder: empty }, copy, careful), message);
      assert.equal(existsSync(empty), false, 'and creates no folder');
      mkdirSync(empty);
      assert.throws(() => restoreStore({ folder: empty }, copy, careful), message);
      assert.deepEqual(names(empty), [], 'nor anything in an empty one');
    });
  }

  it('needs a file', () => {
    const folder = newPath();
    assert.throws(() => restoreStore({ folder }, join(root, 'none.db'), careful), /there is no such file/);
    assert.throws(() => restoreStore({ folder }, root, careful), /it is a folder; name the file of a backup/);
    assert.equal(existsSync(folder), false);
  });

  it('accepts a copy of a closed store, and creates no files next to it', async () => {
    const [folder, target] = [newPath(), newPath()];
    await fill(folder, sound, false);
    const before = names(folder);
    restoreStore({ folder: target }, join(folder, 'plants.db'), careful);
    assert.deepEqual(names(folder), before);
    assert.deepEqual(await readAll(target), sound);
  });
});

describe('checkStore()', () => {
  it('reports the contents of a store, served or not, and changes nothing', async () => {
    const folder = newPath();
    const store = await fill(folder, sound, true);
    const report = await checkStore({ folder });
    assert.deepEqual([report.plants, report.tags, report.tokens, report.problems], [500, 2, 0, []]);
    assert.ok(report.bytes > 4096 && report.schemaVersion > 0 && report.sqliteVersion?.startsWith('3.') === true);
    await store.close();
    const before = picture(folder);
    await checkStore({ folder });
    assert.deepEqual(picture(folder), before);
  });

  it('reports the same to two at the same time', async () => {
    const folder = newPath();
    const store = await fill(folder, sound, true);
    const reports = await Promise.all(Array.from({ length: 4 }, () => checkStore({ folder })));
    for (const report of reports) assert.deepEqual(report, reports[0]);
    assert.deepEqual([reports[0]?.plants, reports[0]?.problems], [500, []]);
    assert.deepEqual(copiesIn(folder), []);
    await store.close();
  });

  it('removes copies that a killed command left more than a day ago, as a backup does', async () => {
    const [folder, target] = [newPath(), newPath()];
    await fill(folder, sound, false);
    mkdirSync(target);
    const recent = `plants.copy-${randomUUID()}`;
    for (const place of [folder, target]) {
      const left = join(place, `plants.copy-${randomUUID()}`);
      for (const ending of ['', '-journal']) writeOld(left + ending);
      writeFileSync(join(place, recent), 'of a command that may still run');
    }
    await checkStore({ folder });
    await backupStore({ folder }, join(target, 'a.db'));
    for (const place of [folder, target]) assert.deepEqual(copiesIn(place), [recent]);
  });

  it('reports no problem while a service writes', async () => {
    const folder = newPath();
    const store = await fill(folder, sound, true);
    const end = new AbortController();
    const writing = (async () => {
      for (let id = 1000n; !end.signal.aborted; id++) {
        await store.plants.create({ id, name: `new ${id}`, tag: `t${id % 5n}` });
        await store.plants.delete(id, {});
      }
    })();
    for (let round = 0; round < 10; round++) {
      assert.deepEqual((await checkStore({ folder })).problems, []);
      await new Promise((resolve) => setImmediate(resolve));
    }
    end.abort();
    await writing;
    await store.close();
  });

  const drifts: readonly (readonly [about: string, sql: string, fault: string])[] = [
    [
      'a wrong number of plants',
      'UPDATE plant_count SET plants = plants - 1',
      'The number of plants is counted wrongly',
    ],
    [
      'a wrong number of a tag',
      "UPDATE tag_counts SET plants = 7 WHERE tag = 't1'",
      'The plants of a tag are counted wrongly',
    ],
    ['a tag that is not counted', "DELETE FROM tag_counts WHERE tag = 't3'", 'The plants of a tag are counted wrongly'],
    ['a tag without plants', "INSERT INTO tag_counts VALUES ('ghost', 0)", 'A tag is counted that no plant has'],
    [
      'a name that is not in the index',
      "INSERT INTO plant_words (plant_words, rowid, tokens) VALUES ('delete', -5, 'plant 5')",
      'The search index does not agree with the plants',
    ],
    [
      'a word of no plant',
      "INSERT INTO plant_words (rowid, tokens) VALUES (99999, 'x')",
      'The search index does not agree with the plants',
    ],
    [
      'a tag of another plant',
      "INSERT INTO plant_words (rowid, tokens) VALUES (-5, '__t3')",
      'The search index does not agree with the plants',
    ],
    [
      'a name that has changed without the index',
      "UPDATE plants SET name = 'y' WHERE id = 5; UPDATE changes SET name = 'y' WHERE id = 5",
      'The search index does not agree with the plants',
    ],
    [
      'a plant that is not what its last change says',
      "UPDATE changes SET name = 'y' WHERE id = 5",
      'The last change of a plant is not the plant as it is stored',
    ],
    [
      'a change that its plant does not show',
      'UPDATE plants SET position = NULL WHERE id = 5',
      'The change log has a change that its plant does not show',
    ],
    ['a lost change', 'UPDATE change_log SET last = last + 1', 'The change log has a gap'],
    [
      'a group that is missing',
      'UPDATE changes SET change_group = 7 WHERE id = 5',
      'The groups of changes are not those of the change log',
    ],
    [
      'a group without changes',
      "INSERT INTO change_groups (name) VALUES ('x')",
      'The groups of changes are not those of the change log',
    ],
    [
      'a deletion without a record',
      'INSERT INTO deleted_plants VALUES (123456, 1)',
      'A deleted plant has no record of its deletion, or is stored',
    ],
    [
      'a change that does not follow from the one before',
      'UPDATE changes SET previous = (SELECT min(position) FROM changes) WHERE id = 5',
      'Two successive changes of a plant do not agree',
    ],
    ...['{"id":"w1"', 'null', '{"id":"w1"}', '{"id":"w2","createdAt":1}'].flatMap((document) => [
      [
        `the document ${document} of a webhook`,
        `INSERT INTO webhooks VALUES ('w1', 1, '${document}')`,
        'A webhook cannot be read: w1',
      ] as const,
      [
        `the document ${document} of a delivery`,
        `INSERT INTO webhook_deliveries VALUES ('w0', 1, 'w1', 1, '${document}')`,
        'A delivery of the webhook w0 cannot be read: w1',
      ] as const,
    ]),
  ];
  for (const [about, statement, fault] of drifts) {
    it(`reports ${about}, and nothing else`, async () => {
      const folder = newPath();
      await fill(folder, sound, false);
      sql(join(folder, 'plants.db'), statement);
      assert.deepEqual((await checkStore({ folder })).problems, [fault]);
    });
  }

  it('reports damage', async () => {
    const folder = newPath();
    await fill(folder, plantsOf(3000), false);
    const file = join(folder, 'plants.db');
    damage(file, statSync(file).size - 3 * 4096, 4096);
    const { problems } = await checkStore({ folder });
    assert.ok(problems.length > 0);
    assert.match(problems[0] ?? '', /^The file is damaged: /);
  });

  it('reports a missing or unreadable store', async () => {
    const folder = newPath();
    await assert.rejects(checkStore({ folder }), /^Error: Cannot check .*: it contains no store/);
    await fill(folder, sound, false);
    damage(join(folder, 'plants.db'), 0);
    await assert.rejects(checkStore({ folder }), /^Error: Cannot check .*: file is not a database/);
  });
});
