/** A restore over the store of a killed service, whose plants are only in its log: the log is kept, whatever fails. */
import assert from 'node:assert/strict';
import fs, {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { backupStore, restoreStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { makeFolder } from '../support/clean-up.ts';
import { mountSmallDisk } from './small-disk.ts';
import { readAll } from './open-temporary-store.ts';

const limits = { writesMax: 10_000, bytesMax: 64 * 1024 * 1024 };
const forced = { isForced: true, suffix: 'before' };
const plants = Array.from({ length: 5_000 }, (_, index) => ({ id: BigInt(index) - 10n, name: `Plánt ${index}` }));
const sound = plants.slice(0, 500);

const root = await makeFolder({ after });
const file = join(root, 'sound.db');
/** The files of a store with all plants in its log, as after `kill -9`. */
const killed = join(root, 'killed');
let lastFolder = 0;

before(async () => {
  const [saved, source] = [newPath(), newPath()];
  const store = await openStore({ folder: saved }, { limits });
  await store.plants.import(sound, { onConflict: 'fail', dryRun: false });
  await store.close();
  await backupStore({ folder: saved }, file);
  const running = await openStore({ folder: source }, { limits });
  await running.plants.import(plants, { onConflict: 'fail', dryRun: false });
  mkdirSync(killed, { mode: 0o700 });
  for (const ending of ['', '-wal'])
    copyFileSync(join(source, `plants.db${ending}`), join(killed, `plants.db${ending}`));
  writeFileSync(join(killed, 'plants.lock'), '');
  await running.close();
  assert.ok(statSync(join(killed, 'plants.db-wal')).size > 200_000, 'the log has the plants');
});

function newPath(): string {
  return join(root, `data-${++lastFolder}`);
}

/** Copies the killed store into this folder. */
function makeKilled(folder: string): void {
  fs.cpSync(killed, folder, { recursive: true });
}

/** Reads the kept store, log included, from its own folder. */
async function readKept(keptAs: string): Promise<readonly NewPlant[]> {
  const folder = newPath();
  mkdirSync(folder, { mode: 0o700 });
  for (const ending of ['', '-wal', '-journal'])
    if (existsSync(keptAs + ending)) copyFileSync(keptAs + ending, join(folder, `plants.db${ending}`));
  return readAll(folder);
}

describe('restoreStore() over a store that was killed', () => {
  it('keeps the log of the old store if the disk is too full to merge it', async (t) => {
    const disk = await mountSmallDisk(t, '8m');
    if (disk === undefined) return;
    makeKilled(disk.folder);
    // Space for the backup's copy, but not for the plants of the log.
    const filler = join(disk.folder, 'plants.filler');
    const { bavail, bsize } = statfsSync(disk.folder);
    writeFileSync(filler, Buffer.alloc(bavail * bsize - statSync(file).size - 32 * 4096));
    const { keptAs = '' } = restoreStore({ folder: disk.folder }, file, forced);
    rmSync(filler);
    assert.ok(existsSync(`${keptAs}-wal`), 'the log could not be folded in');
    assert.deepEqual(await readKept(keptAs), plants);
    assert.deepEqual(await readAll(disk.folder), sound);
  });

  for (const [about, errcode] of [
    ['an I/O error', 10],
    ['an I/O error of fsync', 1034],
    ['a full disk', 13],
    ['a file that cannot be opened', 14],
  ] as const) {
    it(`keeps the log of the old store if ${about} prevents merging it`, async (t) => {
      const folder = newPath();
      makeKilled(folder);
      const exec = (DatabaseSync.prototype as { exec: (this: DatabaseSync, sql: string) => void }).exec;
      const close = (DatabaseSync.prototype as { close: (this: DatabaseSync) => void }).close;
      const path = join(folder, 'plants.db');
      const open: DatabaseSync[] = [];
      t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
        if (this.location() === path && sql.includes('journal_mode'))
          throw Object.assign(new Error('injected'), { errcode });
        exec.call(this, sql);
      });
      // Closing would merge the log, unless it fails too.
      t.mock.method(DatabaseSync.prototype, 'close', function (this: DatabaseSync) {
        if (this.location() === path) open.push(this);
        else close.call(this);
      });
      const { keptAs = '' } = restoreStore({ folder }, file, forced);
      t.mock.restoreAll();
      assert.equal(open.length, 1);
      assert.ok(existsSync(`${keptAs}-wal`));
      t.after(() => open[0]?.close());
      assert.deepEqual(await readKept(keptAs), plants);
      assert.deepEqual(await readAll(folder), sound);
    });
  }

  for (const step of ['linkSync', 'fsyncSync', 'renameSync'] as const) {
    it(`leaves the old store unchanged if ${step} fails`, async (t) => {
      const folder = newPath();
      makeKilled(folder);
      const fail = (): never => {
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      };
      t.mock.method(fs, step, fail);
      if (step === 'linkSync') t.mock.method(fs, 'copyFileSync', failOn('plants.db.before', fs.copyFileSync, fail));
      syncBuiltinESMExports();
      try {
        assert.throws(() => restoreStore({ folder }, file, forced), /EIO/);
      } finally {
        t.mock.restoreAll();
        syncBuiltinESMExports();
      }
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes('part')),
        [],
      );
      assert.deepEqual(await readAll(folder), plants);
    });
  }
});

/** Fails for one target only. */
function failOn(ending: string, copy: typeof fs.copyFileSync, fail: () => never): typeof fs.copyFileSync {
  return (source, target, mode) => {
    if (String(target).endsWith(ending)) fail();
    copy(source, target, mode);
  };
}
