/**
 * What a data folder can be when a command opens it: new, a store, or one that has lost its database. A store that is
 * lost stays lost until somebody decides: nothing is created in its place, and nothing is removed.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { toShellWord } from '../../src/system/to-shell-word.ts';
import { makeFolder } from '../support/clean-up.ts';
import { startService } from '../support/start-service.ts';
import { readPlants } from '../support/store-under-test.ts';
import { makeStore } from './named-stores.ts';
import { type Run, runCli } from './run-cli.ts';

const root = await makeFolder({ after });
/** 300 plants, closed; the same, and one more in the log only, as after `kill -9`. */
const [closed, killed] = [join(root, 'closed'), join(root, 'killed')];
const backup = join(root, 'backup.db');
let last = 0;
let folder: string;

before(async () => {
  await makeStore(closed, 'moss');
  assert.equal((await runCli(['backup', backup, '--data-dir', closed])).code, 0);
  const running = new DatabaseSync(join(closed, 'plants.db'));
  running.exec(`INSERT INTO plants (id, name, position) VALUES (999, 'fern', 999)`);
  mkdirSync(killed);
  for (const name of ['plants.db', 'plants.db-wal', 'plants.db-shm', 'plants.lock'])
    cpSync(join(closed, name), join(killed, name));
  running.exec('DELETE FROM plants WHERE id = 999');
  running.close();
});

const at = (name: string): string => join(folder, name);

/** Each of these prepares the folder, and returns what it is about. */
function put(name: string, bytes: string | Uint8Array = 'x'): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(at(name), bytes);
  return name;
}

function copy(source: string): string {
  cpSync(source, folder, { recursive: true });
  return source;
}

function lose(...names: string[]): string {
  for (const name of names) rmSync(at(name));
  return names.join();
}

/** A file that SQLite made, without tables. */
function putWithoutTables(): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(at('plants.db'));
  db.exec('PRAGMA journal_mode = WAL');
  db.close();
  return 'plants.db';
}

/** All files and a hash of their bytes, but for the lock. */
function picture(): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name !== 'plants.lock');
  const toBytes = (name: string): string =>
    statSync(at(name)).isFile() ? hash('sha256', readFileSync(at(name))) : 'folder';
  return Object.fromEntries(names.map((name) => [name, toBytes(name)]));
}

/** What only a store leaves. */
const traces = [
  ...['plants.reserve', 'plants.last-backup', 'plants.address', 'initial-token', 'webhook-key'],
  ...['plants.db.before-2026-11-20T03-15-00-000Z', 'plants.db.part', 'plants.db.old', 'plants-20261120T031500Z.db'],
  ...['plants.copy-2f0c1a52-5b0e-4a63-9c0f-5d1f2c3b4a59', 'initial-token.before-2026-11-20T03-15-00-000Z'],
];
const logs = ['plants.db-wal', 'plants.db-shm'];

type State = readonly [state: string, prepare: () => unknown];

/** Each starts with one command. */
const startable: readonly (readonly [...State, plants: number])[] = [
  ['absent', () => undefined, 0],
  ['empty', () => mkdirSync(folder), 0],
  ['a new disk', () => mkdirSync(at('lost+found'), { recursive: true }), 0],
  ['with files of others', () => [put('plants.csv'), put('plants-2026.db'), put('notes.txt')], 0],
  ['the lock of a killed first start', () => put('plants.lock', ''), 0],
  ['the empty database of a killed first start', () => [put('plants.lock', ''), put('plants.db', '')], 0],
  ['the journal of a killed first start', () => [put('plants.db', ''), put('plants.db-journal', Buffer.alloc(512))], 0],
  ['the database of a killed first start, without tables', putWithoutTables, 0],
  ['the same with an empty log', () => [putWithoutTables(), put('plants.db-wal', ''), put('plants.db-shm', '')], 0],
  ['a store', () => copy(closed), 300],
  ['a store beside every trace', () => [copy(closed), traces.map((name) => put(name))], 300],
  ['a store that was killed', () => copy(killed), 301],
  ['a store whose lock was removed', () => [copy(killed), lose('plants.lock')], 301],
];

const lostStates: readonly (readonly [...State, problem: string, shown: string])[] = [
  ...traces.flatMap((trace) => [
    [`${trace} alone`, () => put(trace), 'is missing', trace] as const,
    [`${trace} beside an empty database`, () => [put(trace), put('plants.db', '')], 'is empty', trace] as const,
    [
      `${trace} beside one without tables`,
      () => [put(trace), putWithoutTables()],
      'has no tables of a store',
      trace,
    ] as const,
  ]),
  ...logs.flatMap((log) => [
    [`${log} alone`, () => put(log), 'is missing', log] as const,
    [`${log} beside an empty database`, () => [put(log), put('plants.db', '')], 'is empty', log] as const,
  ]),
  ['the journal of a store', () => put('plants.db-journal', Buffer.alloc(4_096)), 'is missing', 'plants.db-journal'],
  [
    'a store that was killed, without its database',
    () => [copy(killed), put('webhook-key'), lose('plants.db')],
    'is missing',
    'webhook-key, plants.db-wal, plants.db-shm',
  ],
];

/** Stopped if it starts. */
const serve = (): Promise<Run> =>
  runCli(['serve', '--port', '0', '--data-dir', folder], {}, root, { stopAt: '"Ready"' });
const restore = (...more: string[]): Promise<Run> => runCli(['restore', backup, '--data-dir', folder, ...more]);

function explain(problem: string, shown: string): string {
  return `plants.db ${problem}, but the folder has files of a store (${shown}). Put plants.db back, or restore a backup: plant-store restore FILE --data-dir ${toShellWord(folder)}. For a new store, move these files elsewhere first`;
}

function newFolder(): void {
  folder = join(root, `data-${++last}`);
}

async function refuses(run: () => Promise<Run>, begin: string, reason: string): Promise<void> {
  const found = picture();
  assert.deepEqual(await run(), { code: 1, stdout: '', stderr: `plant-store: Cannot ${begin}: ${reason}\n` });
  assert.deepEqual(picture(), found, 'nothing is changed');
}

describe('a data folder', () => {
  for (const [state, prepare, plants] of startable) {
    it(`is served if it is ${state}`, async (t) => {
      newFolder();
      prepare();
      await (await startService(t, { dataDir: folder, store: 'folder' })).stop();
      assert.equal((await readPlants(folder)).size, plants);
    });
  }

  for (const [state, prepare, problem, shown] of lostStates) {
    it(`is not served if it has ${state}`, async () => {
      newFolder();
      prepare();
      for (let start = 0; start < 2; start++)
        await refuses(serve, `open the data folder ${folder}`, explain(problem, shown));
    });
  }

  it('that has lost its database is no store for any other command, and no place for a copy', async () => {
    for (const isEmpty of [false, true]) {
      newFolder();
      copy(closed);
      if (isEmpty) put('plants.db', '');
      else lose('plants.db');
      const reason = explain(isEmpty ? 'is empty' : 'is missing', 'plants.last-backup, plants.reserve');
      const open = `open the data folder ${folder}`;
      const copyTo = ['copy', '--from', closed, '--to', folder];
      for (const [args, begin] of [
        [['token', 'create', '--name', 'a', '--scope', 'plants:read'], open],
        [['token', 'list'], open],
        [['check'], `check ${folder}`],
        [['backup', join(root, 'none.db')], `back up ${folder} to ${join(root, 'none.db')}`],
      ] as const)
        await refuses(() => runCli([...args, '--data-dir', folder]), begin, reason);
      await refuses(() => runCli(copyTo), open, reason);
      await refuses(() => runCli(['copy', '--from', folder, '--to', closed]), `copy from ${folder}`, reason);
    }
  });

  it('that has lost its database is served again once the file is back, with all that its log has', async (t) => {
    newFolder();
    copy(killed);
    renameSync(at('plants.db'), join(root, 'away.db'));
    await refuses(serve, `open the data folder ${folder}`, explain('is missing', logs.join(', ')));
    put('plants.db', '');
    await refuses(serve, `open the data folder ${folder}`, explain('is empty', logs.join(', ')));
    renameSync(join(root, 'away.db'), at('plants.db'));
    await (await startService(t, { dataDir: folder, store: 'folder' })).stop();
    assert.equal((await readPlants(folder)).size, 301);
  });

  for (const isEmpty of [false, true]) {
    it(`that has lost its database takes a backup, and keeps the log${isEmpty ? ' beside an empty file' : ''}`, async (t) => {
      newFolder();
      copy(killed);
      if (isEmpty) put('plants.db', '');
      else lose('plants.db');
      const log = readFileSync(at('plants.db-wal'));
      const { code, stdout, stderr } = await restore();
      assert.equal(code, 0, stderr);
      const [, kept = ''] = /\nThe log of the old store is kept as (.+)\n/.exec(stdout) ?? [];
      assert.deepEqual(readFileSync(kept), log);
      await (await startService(t, { dataDir: folder, store: 'folder' })).stop();
      assert.equal((await readPlants(folder)).size, 300);
      assert.deepEqual(readFileSync(kept), log);
    });
  }

  for (const [what, prepare] of [
    ['that has lost its database', () => [copy(killed), lose('plants.db')]],
    ['that got a token and a key before its first start', () => [put('initial-token'), put('webhook-key')]],
  ] as const)
    it(`${what} gets a new store once its files were moved elsewhere`, async (t) => {
      newFolder();
      prepare();
      for (const name of readdirSync(folder)) renameSync(at(name), join(root, `moved-${name}`));
      await (await startService(t, { dataDir: folder, store: 'folder' })).stop();
      assert.equal((await readPlants(folder)).size, 0);
    });

  it('whose database was replaced beside its log is not opened: the log would be added to the other file', async (t) => {
    newFolder();
    copy(killed);
    cpSync(backup, at('plants.db'));
    const reason = `plants.db is not the file that plants.db-wal belongs to, such as a backup that was copied over it. Put the earlier plants.db back. To use this one, move it elsewhere and restore it: plant-store restore FILE --data-dir ${toShellWord(folder)} (the log is kept)`;
    await refuses(serve, `open the data folder ${folder}`, reason);
    await refuses(() => runCli(['token', 'list', '--data-dir', folder]), `open the data folder ${folder}`, reason);
    await refuses(() => runCli(['check', '--data-dir', folder]), `check ${folder}`, reason);
    await refuses(() => restore('--force'), `restore ${backup} to ${folder}`, reason);
    renameSync(at('plants.db'), join(root, 'other.db'));
    const { code, stdout, stderr } = await runCli(['restore', join(root, 'other.db'), '--data-dir', folder]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\nThe log of the old store is kept as .+-wal\n/);
    await (await startService(t, { dataDir: folder, store: 'folder' })).stop();
    assert.equal((await readPlants(folder)).size, 300);
  });
});

describe('a first start that fails', () => {
  it('leaves nothing of a store, so that the next one starts', async (t) => {
    newFolder();
    mkdirSync(at('plants.db-wal'), { recursive: true });
    const { code } = await serve();
    assert.equal(code, 1);
    assert.equal(readdirSync(folder).includes('plants.reserve'), false);
    rmSync(at('plants.db-wal'), { recursive: true });
    await (await startService(t, { dataDir: folder, store: 'folder' })).stop();
  });
});
