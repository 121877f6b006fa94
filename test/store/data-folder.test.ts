/** The data folder: permissions, the lock, and unusable folders. What other processes do to it: data-folder.deep.test.ts. */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { backupStore, checkStore } from '../../src/store/maintenance.ts';
import { openStore, openTokenStore } from '../../src/store/open-store.ts';
import { lockDataFolder, makeDatabase, openPresenceCheck } from '../../src/store/sqlite/data-folder.ts';
import { makeDataFolder } from '../../src/store/sqlite/folder-access.ts';
import { makeFolder } from '../support/clean-up.ts';
import { refuses } from './open-temporary-store.ts';

const limits = { writesMax: 100, bytesMax: 1_000_000 };

const folders = await makeFolder({ after });
let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(folders, 'a'));
  folder = join(root, 'data');
});

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('the files of a store', () => {
  it('are accessible to their owner only, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      const store = await openStore({ folder }, { limits });
      await store.plants.create({ id: 1n, name: 'fern' });
      assert.equal(await modeOf(folder), '700');
      for (const file of ['plants.db', 'plants.db-wal', 'plants.db-shm', 'plants.lock']) {
        assert.equal(await modeOf(join(folder, file)), '600', file);
      }
      await store.close();
    } finally {
      process.umask(umask);
    }
  });

  it('are created with all missing parent folders', async () => {
    const deep = join(folder, 'a', 'b');
    await (await openStore({ folder: deep }, { limits })).close();
    assert.equal(await modeOf(join(deep, 'plants.db')), '600');
  });

  it('include no log after a clean close', async () => {
    const store = await openStore({ folder }, { limits });
    await store.plants.create({ id: 1n, name: 'fern' });
    await store.close();
    await assert.rejects(stat(join(folder, 'plants.db-wal')), { code: 'ENOENT' });
  });
});

describe('the lock', () => {
  const line = (): { message: string } => ({
    message: `Cannot open the data folder ${folder}: it is in use by another plant-store process; stop it first`,
  });

  it('refuses a second store in the same process, and is released at close', async () => {
    const store = await openStore({ folder }, { limits });
    await assert.rejects(openStore({ folder }, { limits }), line());
    await store.plants.create({ id: 1n, name: 'the first goes on' });
    await store.close();
    const next = await openStore({ folder }, { limits });
    assert.equal(await next.plants.count(), 1);
    await next.close();
  });
});

describe('the lock file deleted while the store is open', () => {
  it('refuses a second store, however often it tries', async () => {
    const store = await openStore({ folder }, { limits });
    await store.plants.create({ id: 1n, name: 'fern' });
    await rm(join(folder, 'plants.lock'));
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(openStore({ folder }, { limits }), /another plant-store process/);
    }
    await store.plants.create({ id: 2n, name: 'still served' });
    await store.close();
    const next = await openStore({ folder }, { limits });
    assert.equal(await next.plants.count(), 2);
    await next.close();
  });
});

describe('a data folder that is moved while the store is open', () => {
  it('refuses writes and pings, writes nothing, and resumes once the folder is back', async () => {
    const reports: unknown[] = [];
    const [onCommit, onRefused] = [() => undefined, () => undefined];
    const observer = {
      onCommit,
      onRefused,
      onLogFull: onRefused,
      onRead: (each: unknown) => void reports.push(each !== undefined),
    };
    const store = await openStore({ folder }, { limits, observer });
    await store.plants.create({ id: 1n, name: 'fern' });
    await store.ping();
    await rename(folder, `${folder}-moved`);
    await assert.rejects(store.plants.create({ id: 2n, name: 'lost' }), { code: 'store_unavailable' });
    await assert.rejects(store.ping(), { code: 'store_unavailable' });
    // The open file can still be read, which does not bring the folder back.
    await store.plants.find(1n);
    assert.deepEqual(reports, [true]);
    await rename(`${folder}-moved`, folder);
    await store.ping();
    assert.deepEqual(reports, [true, false]);
    await store.plants.create({ id: 3n, name: 'moss' });
    assert.equal(await store.plants.find(2n), undefined);
    await store.close();
  });
});

describe('openPresenceCheck()', () => {
  const message = /^StoreError: The data folder .* was moved, removed or replaced while the service runs$/;
  const withStore = async (use: (check: () => void) => Promise<void>): Promise<void> => {
    makeDataFolder(folder);
    const unlock = lockDataFolder(folder);
    makeDatabase(folder);
    try {
      const check = openPresenceCheck(folder);
      check();
      await use(check);
    } finally {
      unlock();
    }
  };

  it('throws after the folder is moved, until it is back', () =>
    withStore(async (check) => {
      await rename(folder, `${folder}-away`);
      assert.throws(check, message);
      await rename(`${folder}-away`, folder);
      check();
    }));

  it('throws after the folder or the database is removed', () =>
    withStore(async (check) => {
      await rm(join(folder, 'plants.db'));
      assert.throws(check, message);
      await rm(folder, { recursive: true });
      assert.throws(check, message);
    }));

  it('throws after another file replaces the database or the lock', () =>
    withStore(async (check) => {
      for (const name of ['plants.lock', 'plants.db']) {
        await rename(join(folder, name), join(folder, 'aside'));
        await writeFile(join(folder, name), '');
        assert.throws(check, message);
        await rename(join(folder, 'aside'), join(folder, name));
        check();
      }
    }));

  it('ignores a missing lock file: the database itself excludes a second service', () =>
    withStore(async (check) => {
      await rm(join(folder, 'plants.lock'));
      check();
    }));
});

const noUsers = process.platform === 'win32';

describe('a data folder that other users can access', { skip: noUsers }, () => {
  for (const [about, prepare] of [
    ['is empty', async () => undefined],
    ['holds a store', async () => (await openStore({ folder }, { limits })).close()],
  ] as const) {
    it(`becomes accessible to its owner only if it ${about}`, async () => {
      await mkdir(folder, { recursive: true });
      await prepare();
      for (const mode of [0o777, 0o755, 0o710, 0o1777]) {
        await chmod(folder, mode);
        await (await openStore({ folder }, { limits })).close();
        assert.equal(await modeOf(folder), '700');
      }
    });
  }

  it('is refused unchanged if it has files of another program', async () => {
    const folder = join(root, "of another's program");
    await mkdir(folder);
    await writeFile(join(folder, 'letter.txt'), '');
    await chmod(folder, 0o777);
    await assert.rejects(openStore({ folder }, { limits }), {
      message: `Cannot open the data folder ${folder}: other users can access it (mode 0777), and it holds other files; use a folder of its own, or run: chmod 700 '${folder.replace("'", String.raw`'\''`)}'`,
    });
    assert.equal(await modeOf(folder), '777');
    await chmod(folder, 0o700);
    await (await openStore({ folder }, { limits })).close();
  });

  it('is checked after following a link', async () => {
    const target = join(root, 'target');
    await mkdir(target);
    await chmod(target, 0o777);
    await symlink(target, folder);
    await (await openStore({ folder }, { limits })).close();
    assert.equal(await modeOf(target), '700');
  });
});

describe('a data folder that cannot be used', () => {
  it('links to a database elsewhere, which would have its log there and no lock', async () => {
    await (await openStore({ folder: join(root, 'elsewhere') }, { limits })).close();
    await mkdir(folder);
    for (const target of ['../elsewhere/plants.db', 'missing.db']) {
      await symlink(target, join(folder, 'plants.db'));
      await refuses(folder, /plants\.db is a symbolic link; link the whole folder instead$/);
      await rm(join(folder, 'plants.db'));
    }
    await (await openStore({ folder }, { limits })).close();
  });

  it('is of another user: what to do is said once, by a start and by commands', { skip: noUsers }, async () => {
    await (await openStore({ folder }, { limits })).close();
    const reason = 'permission denied; run this as the owner of the folder, or give another folder with --data-dir';
    await chmod(folder, 0o000);
    // Root may do everything.
    const uid = process.getuid?.() ?? 0;
    if (uid === 0) process.seteuid?.(65_534);
    try {
      const message = `Cannot open the data folder ${folder}: ${reason}`;
      await assert.rejects(openStore({ folder }, { limits }), { message });
      await assert.rejects(openTokenStore({ folder }), { message });
      await assert.rejects(checkStore({ folder }), { message: `Cannot check ${folder}: ${reason}` });
      const file = join(`${folder}-backups`, 'b.db');
      await assert.rejects(backupStore({ folder }, file), {
        message: `Cannot back up ${folder} to ${file}: ${reason}`,
      });
    } finally {
      process.seteuid?.(uid);
      await chmod(folder, 0o700);
    }
  });

  it('is a file', async () => {
    await writeFile(folder, 'a file');
    await refuses(folder, /it is not a folder$/);
  });

  it('lies below a file', async () => {
    await writeFile(folder, 'a file');
    await refuses(join(folder, 'data'), /it is not a folder$/);
  });

  it('has a folder at the path of the database', async () => {
    await mkdir(join(folder, 'plants.db'), { recursive: true });
    await refuses(folder, /unable to open database file$/);
  });
});
