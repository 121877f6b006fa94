/** Ways out of trouble, on disks that are full or read-only: each remedy that a message names is tried. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { runCli } from '../cli/run-cli.ts';
import { makeFolder } from '../support/clean-up.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const limits = { writesMax: 10_000, bytesMax: 67_108_864 };
const plants = Array.from({ length: 200 }, (_, index) => ({ id: BigInt(index), name: 'Fern '.repeat(40) }));

interface FilledDisk extends SmallDisk {
  /** On the disk. */
  readonly dataDir: string;
  /** Elsewhere. */
  readonly outside: string;
  /** Leaves no space on the disk, or so many bytes. */
  fillUp(left?: number): void;
}

/** A disk with a store that was closed. */
async function makeDisk(t: TestContext): Promise<FilledDisk | undefined> {
  const disk = await mountSmallDisk(t, '8m');
  if (disk === undefined) return undefined;
  const dataDir = join(disk.folder, 'data');
  const store = await openStore({ folder: dataDir }, { limits });
  await store.plants.import(plants, { onConflict: 'fail', dryRun: false });
  await store.close();
  const fillUp = (left = 0): void => {
    const { bavail, bsize } = statfsSync(disk.folder);
    writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(bavail * bsize - left));
  };
  return { ...disk, dataDir, outside: await makeFolder(t), fillUp };
}

async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function refuses(message: RegExp, ...args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runCli(args);
  assert.match(stderr, message);
  assert.deepEqual([code, stdout], [1, '']);
}

describe('a full disk', () => {
  it('lets a store that was closed start and serve reads, refuses writes, and takes them once there is space', async (t) => {
    const disk = await makeDisk(t);
    if (disk === undefined) return;
    disk.fillUp();
    const store = await openStore({ folder: disk.dataDir }, { limits });
    try {
      assert.deepEqual(await store.plants.find(7n), plants[7]);
      const many = plants.map((plant) => ({ ...plant, id: plant.id + 1_000n }));
      await assert.rejects(store.plants.import(many, { onConflict: 'fail', dryRun: false }), { code: 'store_full' });
      rmSync(join(disk.folder, 'filler'));
      assert.equal(await store.plants.create({ id: 900n, name: 'enough' }), 'created');
    } finally {
      await store.close();
    }
  });

  it('refuses writes of an open store: reads continue, writes resume when there is space, nothing is lost', async (t) => {
    const disk = await makeDisk(t);
    if (disk === undefined) return;
    // A create writes five to six pages of the log.
    disk.fillUp(1_310_720);
    const store = await openStore({ folder: disk.dataDir }, { limits });
    const name = 'x'.repeat(1_000);
    let id = 1_000n;
    const create = (): Promise<unknown> =>
      store.plants.create({ id: id++, name }).catch((error: unknown) => (error as { code?: unknown }).code);
    let [created, refused] = [0, 0];
    while (refused < 20) {
      const outcome = await create();
      if (outcome === 'created') created += 1;
      else assert.equal(outcome, 'store_full', `create ${++refused}`);
      assert.ok(id < 10_000n, 'the disk becomes full');
    }
    assert.ok(created > 50, `${created} plants fitted`);
    assert.equal((await store.plants.list({ after: 999n, limit: 10_000 })).plants.length, created);
    rmSync(join(disk.folder, 'filler'));
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 100 }, create))), new Set(['created']));
    await store.close();
    const reopened = await openStore({ folder: disk.dataDir }, { limits });
    assert.equal(await reopened.plants.count(), plants.length + created + 100);
    await reopened.close();
  });

  it('makes check and backup say how much space they need and where, and check works with the folder that it names', async (t) => {
    const disk = await makeDisk(t);
    if (disk === undefined) return;
    const left = 49_152;
    disk.fillUp(left);
    const place = ['--data-dir', disk.dataDir];
    const needed = `a copy of the database needs ${(statSync(join(disk.dataDir, 'plants.db')).size / 1024 ** 2).toFixed(1)} MiB in`;
    await refuses(
      new RegExp(`${needed} ${disk.dataDir}, and 0.0 MiB are free; name a folder .* with --temp-dir\n$`),
      'check',
      ...place,
    );
    await refuses(
      new RegExp(`${needed} ${disk.folder}, .*; choose another disk\n$`),
      'backup',
      join(disk.folder, 'b.db'),
      ...place,
    );
    const { bavail, bsize } = statfsSync(disk.folder);
    // The index of the log stays: its reader may not remove it.
    assert.ok(bavail * bsize >= left - 32_768, 'no copy was begun');
    assert.match(await run('check', ...place, '--temp-dir', disk.outside), /Plants +200\n(?:.*\n)*Sound +yes/);
    assert.match(await run('backup', join(disk.outside, 'b.db'), ...place), /^Backed up 200 plants/);
  });
});

describe('a full disk with a store that was killed', () => {
  it('makes check and backup name a way that works', async (t) => {
    const disk = await makeDisk(t);
    if (disk === undefined) return;
    const store = await openStore({ folder: disk.dataDir }, { limits });
    await store.plants.create({ id: 900n, name: 'in the log' });
    const killed = join(disk.folder, 'killed');
    mkdirSync(killed);
    for (const name of ['plants.db', 'plants.db-wal']) copyFileSync(join(disk.dataDir, name), join(killed, name));
    await store.close();
    disk.fillUp();
    const copied = join(disk.outside, 'copied');
    mkdirSync(copied, { mode: 0o700 });
    const remedy =
      /its disk is full, .*: copy plants.db and plants.db-wal to another folder, and name it with --data-dir\n$/;
    await refuses(remedy, 'check', '--data-dir', killed);
    await refuses(remedy, 'backup', join(disk.outside, 'b.db'), '--data-dir', killed);
    for (const name of ['plants.db', 'plants.db-wal']) copyFileSync(join(killed, name), join(copied, name));
    assert.match(await run('check', '--data-dir', copied), /Plants +201\n(?:.*\n)*Sound +yes/);
  });
});

describe('a read-only file system', () => {
  it('lets check, backup and token list read a store that was closed; copy names a way that works', async (t) => {
    const disk = await makeDisk(t);
    if (disk === undefined) return;
    await disk.remount('ro');
    const place = ['--data-dir', disk.dataDir];
    const [backup, restored, copied] = ['b.db', 'restored', 'copied'].map((name) => join(disk.outside, name)) as [
      string,
      string,
      string,
    ];
    assert.match(await run('check', ...place), /Plants +200\n(?:.*\n)*Sound +yes/);
    await run('token', 'list', ...place);
    await refuses(/read-only/, ...['token', 'create', '--name', 'a', '--scope', 'plants:read', ...place]);
    await refuses(
      /its file system is read-only; make a backup with "plant-store backup", restore it to another folder, and copy from there\n$/,
      ...['copy', '--from', disk.dataDir, '--to', copied],
    );
    await run('backup', backup, ...place);
    await run('restore', backup, '--data-dir', restored);
    assert.match(await run('copy', '--from', restored, '--to', copied), /^Copied 200 plants/);
  });

  it('refuses a start in a store, an empty folder and a missing one, and says what to do', async (t) => {
    const disk = await makeDisk(t);
    if (disk === undefined) return;
    mkdirSync(join(disk.folder, 'empty'), { mode: 0o700 });
    await disk.remount('ro');
    const reason = /: its file system is read-only; make it writable, or give another folder with --data-dir\n$/;
    for (const folder of [disk.dataDir, join(disk.folder, 'empty'), join(disk.folder, 'missing')])
      await refuses(reason, 'serve', '--port', '0', '--data-dir', folder);
    await disk.remount('rw');
    await (await openStore({ folder: join(disk.folder, 'empty') }, { limits })).close();
  });

  it('makes them name the reason for a store with a log, and what they name works', async (t) => {
    const disk = await makeDisk(t);
    if (disk === undefined) return;
    const store = await openStore({ folder: disk.dataDir }, { limits });
    await store.plants.create({ id: 900n, name: 'in the log' });
    // Simulates a crash: the WAL is left, and perhaps its index.
    const crashed = join(disk.folder, 'crashed');
    mkdirSync(crashed, { mode: 0o700 });
    for (const name of ['plants.db', 'plants.db-wal']) copyFileSync(join(disk.dataDir, name), join(crashed, name));
    await store.close();
    await disk.remount('ro');
    const reason =
      /its file system is read-only, .* copy plants\.db and plants\.db-wal to another folder, and name it with --data-dir\n$/;
    for (const args of [['check'], ['backup', join(disk.outside, 'b.db')], ['token', 'list']])
      await refuses(reason, ...args, '--data-dir', crashed);
    assert.equal(existsSync(join(disk.outside, 'b.db')), false);
    for (const name of ['plants.db', 'plants.db-wal']) copyFileSync(join(crashed, name), join(disk.outside, name));
    assert.match(await run('check', '--data-dir', disk.outside), /Plants +201/);
  });
});
