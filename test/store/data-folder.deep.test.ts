/** The data folder beside other processes: the lock, the log, and a disk that is read-only. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, beforeEach, describe, it, type TestContext } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { discardWalIndex } from '../../src/store/sqlite/data-folder.ts';
import { spawnService } from '../crash/service-process.ts';
import { makeFolder } from '../support/clean-up.ts';
import { refuses } from './open-temporary-store.ts';
import { mountSmallDisk } from './small-disk.ts';

const limits = { writesMax: 100, bytesMax: 1_000_000 };

const folders = await makeFolder({ after });
let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(folders, 'a'));
  folder = join(root, 'data');
});

/** Runs a program in another process until it says that it is ready. What this returns ends it, before the folder is removed. */
async function startOther(program: string, path: string): Promise<() => Promise<void>> {
  const other = spawn(process.execPath, ['--input-type=module', '--eval', program, path]);
  const ended = once(other, 'exit');
  await Promise.race([
    once(other.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('the other process ended early'))),
  ]);
  return async () => {
    other.kill();
    await ended;
  };
}

describe('the files of a store', () => {
  it('include a log that is read anew: what was copied from it may be lost, if a sync failed', async () => {
    const before = await openStore({ folder }, { limits });
    await before.plants.create({ id: 1n, name: 'before' });
    await before.close();
    // Leaves the database as if the kernel had dropped what was copied, and stays: otherwise SQLite would read the log anew by itself.
    const program = `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { DatabaseSync } from 'node:sqlite';
      const [, path] = process.argv;
      const db = new DatabaseSync(path);
      db.exec('PRAGMA journal_mode = WAL');
      const before = readFileSync(path);
      db.exec("UPDATE plants SET name = 'after'");
      db.exec('PRAGMA wal_checkpoint(PASSIVE)');
      writeFileSync(path, before);
      console.log('ready');
      process.stdin.on('end', () => db.close()).resume();`;
    const stopOther = await startOther(program, join(folder, 'plants.db'));
    try {
      const store = await openStore({ folder }, { limits });
      const plant = await store.plants.find(1n);
      await store.close();
      assert.equal(plant?.name, 'after');
    } finally {
      await stopOther();
    }
  });

  it('include an index of the log that another process may remove at any moment', async () => {
    const path = join(root, 'plants.db');
    const program = `
      import { rmSync, writeFileSync } from 'node:fs';
      const [, path] = process.argv;
      for (let round = 0; ; round += 1) {
        writeFileSync(path, '');
        rmSync(path);
        if (round === 0) console.log('ready');
      }`;
    const stopOther = await startOther(program, `${path}-shm`);
    try {
      for (let start = 0; start < 20_000; start += 1) discardWalIndex(path);
    } finally {
      await stopOther();
    }
  });
});

describe('the lock', () => {
  const line = (): { message: string } => ({
    message: `Cannot open the data folder ${folder}: it is in use by another plant-store process; stop it first`,
  });

  it('refuses a second service with one line and exit code 1, and is released by kill -9', async (t) => {
    const first = spawnService({ folder });
    t.after(() => first.kill('SIGKILL'));
    assert.notEqual(await first.ready, undefined, first.output());
    await assert.rejects(openStore({ folder }, { limits }), line());
    const second = spawnService({ folder });
    t.after(() => second.kill('SIGKILL'));
    const { code, output } = await second.exited;
    assert.equal(output.trim(), `plant-store: ${line().message}`);
    assert.equal(code, 1);
    await assert.rejects(openStore({ folder }, { limits }), line(), 'the end of the refused one freed nothing');
    first.kill('SIGKILL');
    await first.exited;
    const store = await openStore({ folder }, { limits });
    await store.close();
  });
});

describe('the lock file deleted while the store is open', () => {
  it('does not refuse the only service after kill -9', async () => {
    const first = spawnService({ folder });
    assert.notEqual(await first.ready, undefined, first.output());
    first.kill('SIGKILL');
    await first.exited;
    await rm(join(folder, 'plants.lock'));
    await (await openStore({ folder }, { limits })).close();
  });
});

describe('a data folder that cannot be used', () => {
  it('is not writable', async (t) => {
    if (process.getuid?.() === 0) {
      await refusesReadOnlyDisk(t);
      return;
    }
    await mkdir(folder);
    await chmod(folder, 0o500);
    await refuses(
      folder,
      /: permission denied; run this as the owner of the folder, or give another folder with --data-dir$/,
    );
    await chmod(folder, 0o700);
  });

  /** Root can write everywhere except on a read-only mount. */
  async function refusesReadOnlyDisk(t: TestContext): Promise<void> {
    const disk = await mountSmallDisk(t, '4m');
    if (disk === undefined) return;
    await disk.remount('ro');
    await refuses(disk.folder, /its file system is read-only/);
    await disk.remount('rw');
    await (await openStore({ folder: disk.folder }, { limits })).close();
    await disk.remount('ro');
    await refuses(disk.folder, /its file system is read-only/);
  }
});
