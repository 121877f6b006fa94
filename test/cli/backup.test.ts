/** The commands backup, restore and check: under load and refused. kill.deep.test.ts kills them. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { toShellWord } from '../../src/system/to-shell-word.ts';
import { renderCli } from '../../scripts/render-cli.ts';
import { backupStore, checkStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { makeFolder } from '../support/clean-up.ts';
import { nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { postPlant } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { makeStore, nameInBackup } from './named-stores.ts';
import { runCli, runProcess } from './run-cli.ts';

const root = await makeFolder({ after });
const toPaths = (name: string): [folder: string, file: string] => [join(root, name), join(root, `${name}.db`)];

describe('plant-store backup of a service that takes plants', () => {
  it('holds every plant acknowledged before it began, restored elsewhere', { timeout: 120_000 }, async (t) => {
    const service = await startService(t, { store: 'folder', env: { LOG_LEVEL: 'info' } });
    const env = { PLANT_STORE_DATA_DIR: service.dataDir };
    const [target, file] = toPaths('load');
    const acknowledged = new Set<bigint>();
    let isOver = false;
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const id = nextId();
        const { status } = await postPlant(service, { id, name: `plant ${id}`, tag: 'load' });
        if (status === 200) acknowledged.add(id);
      }
    });
    while (acknowledged.size < 300) await new Promise((resolve) => setImmediate(resolve));
    const before = [...acknowledged];
    // In a process of its own, or the load of this one would stand still.
    const backup = await runProcess(['backup', file], env);
    assert.equal(backup.code, 0, backup.stderr);
    assert.match(backup.stdout, /^Backed up [\d,]+ plants and 1 token to .*load\.db\n$/);
    assert.ok(acknowledged.size > before.length, 'the service went on meanwhile');
    isOver = true;
    await Promise.all(load);
    const restore = await runCli(['restore', file, '--data-dir', target]);
    assert.equal(restore.code, 0, restore.stderr);
    assert.deepEqual((await checkStore({ folder: target })).problems, []);
    const restored = await readPlants(target);
    const lost = before.filter((id) => restored.get(id)?.name !== `plant ${id}`);
    assert.deepEqual([lost, [...restored.keys()].filter((id) => !acknowledged.has(id))], [[], []]);

    const refused = await runCli(['restore', file, '--force'], env);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(
      refused.stderr,
      /^plant-store: Cannot restore .*: it is in use by another plant-store process; stop it first\n$/,
    );
    const check = await runCli(['check', '--json'], env);
    assert.equal(check.code, 0, check.stdout);
    assert.equal((JSON.parse(check.stdout) as { plants: number }).plants, (await readPlants(service.dataDir)).size);
    await service.stop();

    const again = await startService(t, { dataDir: target });
    const [id = 0n] = before;
    const reply = await postPlant(again, { id, name: `plant ${id}`, tag: 'load' });
    assert.equal(reply.headers['idempotent-replayed'], 'true', 'tokens and plants serve there');
  });
});

describe('plant-store restore', () => {
  it('says what it did, and where the store is that was there', async () => {
    const [folder, file] = toPaths('said');
    await makeStore(folder, 'old');
    await backupStore({ folder }, file);
    const refused = await runCli(['restore', 'said.db', '--data-dir', 'said'], {}, root);
    assert.deepEqual(refused, {
      code: 1,
      stdout: '',
      stderr: `plant-store: Cannot restore ${file} to ${folder}: the data folder already holds a store; --force replaces it and keeps a copy\n`,
    });
    const { code, stdout } = await runCli(['restore', 'said.db', '--force', '--data-dir', 'said'], {}, root);
    assert.equal(code, 0);
    const [, lastChange, kept] =
      /^Restored 300 plants and 0 tokens to .+\nIts last change is of (\S+): what was written later is lost\nThe old store is kept as (.+)\nThe tokens of the backup are active again, .*\n$/.exec(
        stdout,
      ) ?? [];
    const db = new DatabaseSync(file, { readOnly: true });
    assert.equal(
      lastChange,
      new Date(Number(db.prepare('SELECT max(at) AS at FROM changes').get()?.['at']))
        .toISOString()
        .replace(/\.\d+/, ''),
    );
    db.close();
    assert.match(kept ?? '', /plants\.db\.before-\d{4}-\d\d-\d\dT[\d-]+Z$/);
    assert.equal(nameInBackup(kept ?? ''), 'old');
  });

  it('says of a plain copy of a plants.db that writes may be missing', async () => {
    const [folder, file] = toPaths('plain');
    const store = await openStore({ folder }, { limits: { writesMax: 10, bytesMax: 1_000_000 } });
    await store.close();
    const reopened = await openStore({ folder }, { limits: { writesMax: 10, bytesMax: 1_000_000 } });
    await reopened.plants.create({ id: 1n, name: 'in the log' });
    copyFileSync(join(folder, 'plants.db'), file);
    await reopened.close();
    const { code, stdout, stderr } = await runCli(['restore', file, '--data-dir', join(root, 'of-plain')]);
    assert.equal(code, 0);
    assert.match(stdout, /^Restored 0 plants /);
    assert.match(
      stderr,
      /^plant-store: The file is a copy of a plants\.db, .* the writes that were in plants\.db-wal are missing\. .*\n$/,
    );
    await backupStore({ folder }, file);
    assert.equal((await runCli(['restore', file, '--force', '--data-dir', join(root, 'of-plain')])).stderr, '');
  });

  it('puts an initial-token aside that does not fit the restored tokens, and leaves one that does', async (t) => {
    const service = await startService(t, { firstToken: 'made' });
    const file = join(root, 'tokens.db');
    await backupStore({ folder: service.dataDir }, file);
    await service.stop();
    const other = join(root, 'other-tokens');
    await makeStore(other, 'other');
    await writeFile(join(other, 'initial-token'), 'another-token-of-another-store\n');
    const active = (folder: string): string =>
      `The tokens of the backup are active again, also those revoked since. If you have none of them, create one with: plant-store token create --data-dir ${toShellWord(folder)} --name NAME --scope plants:read plants:write\n`;
    const aside = await runCli(['restore', file, '--force', '--data-dir', other]);
    assert.equal(aside.code, 0, aside.stderr);
    assert.ok(aside.stdout.startsWith(`Restored 0 plants and 1 token to ${other}\n`), aside.stdout);
    assert.ok(aside.stdout.includes(active(other)), aside.stdout);
    const kept = /\nThe old initial-token is no longer valid; it is kept as (.+)\n$/.exec(aside.stdout)?.[1];
    assert.match(kept ?? '', /initial-token\.before-[\w-]+$/);
    assert.equal(readFileSync(kept ?? '', 'utf8'), 'another-token-of-another-store\n');
    assert.equal(existsSync(join(other, 'initial-token')), false);

    const same = await runCli(['restore', file, '--force', '--data-dir', service.dataDir]);
    assert.equal(same.code, 0, same.stderr);
    assert.ok(same.stdout.endsWith(active(service.dataDir)), same.stdout);
    assert.ok(existsSync(join(service.dataDir, 'initial-token')));
  });

  it('says that webhooks are back, also those that were deleted since', async () => {
    const [folder, file] = toPaths('hooked');
    await makeStore(folder, 'a');
    const db = new DatabaseSync(join(folder, 'plants.db'));
    db.exec(`INSERT INTO webhooks VALUES ('w1', 1, '{"id":"w1","createdAt":1}')`);
    await backupStore({ folder }, file);
    db.exec('DELETE FROM webhooks');
    db.close();
    const { code, stdout } = await runCli(['restore', file, '--force', '--data-dir', folder]);
    assert.equal(code, 0);
    assert.match(stdout, /^The tokens of the backup are active again, .*\nSo are its webhooks \(1\): [^\n]+\n$/m);
  });

  it('says what it did, and that it could not check an initial-token', async () => {
    const [folder, file] = toPaths('unread');
    await makeStore(folder, 'old');
    await backupStore({ folder }, file);
    mkdirSync(join(folder, 'initial-token'));
    const remark =
      /^plant-store: The backup is restored, but initial-token could not be checked: it is a folder\. [^\n]+\n$/;
    const text = await runCli(['restore', file, '--force', '--data-dir', folder]);
    assert.equal(text.code, 0);
    assert.match(
      text.stdout,
      /^Restored 300 plants and 0 tokens to .+\nIts last change .+\nThe old store is kept as .+\n/,
    );
    assert.match(text.stderr, remark);
    const asJson = await runCli(['restore', file, '--force', '--json', '--data-dir', folder]);
    assert.equal(asJson.code, 0);
    assert.ok(existsSync(String((JSON.parse(asJson.stdout) as { keptAs: unknown }).keptAs)));
    assert.match(asJson.stderr, remark);
  });
});

describe('plant-store backup', () => {
  it('replaces an existing file without asking, as the reference says', async () => {
    const [folder, file] = toPaths('nightly');
    await makeStore(folder, 'a');
    await writeFile(file, 'older\n');
    const { code, stderr } = await runCli(['backup', file, '--data-dir', folder]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(nameInBackup(file), 'a');
    const reference = renderCli().replaceAll(/\s+/g, ' ');
    assert.ok(reference.includes('`backup` does not ask: it replaces an existing file'), reference.slice(0, 1_500));
  });

  it('refuses to replace a file that has more than twice as many plants, and both ways out work', async () => {
    const [full, file] = toPaths('same-name');
    const [half, less] = [join(root, 'half'), join(root, 'less')];
    await makeStore(full, 'a');
    await makeStore(half, 'b', 150);
    await makeStore(less, 'c', 149);
    const backUp = (folder: string, name = file): ReturnType<typeof runCli> =>
      runCli(['backup', name, '--data-dir', folder]);
    assert.equal((await backUp(full)).code, 0);
    assert.deepEqual(await backUp(less), {
      code: 1,
      stdout: '',
      stderr: `plant-store: Cannot back up ${less} to ${file}: it has more than twice as many plants as the store, which has 149: plants may be lost. Choose another name, or remove the file if all is well\n`,
    });
    assert.equal(nameInBackup(file), 'a');
    assert.equal((await backUp(less, `${file}.other`)).code, 0);
    assert.equal((await backUp(half)).code, 0, 'half as many are not suspect');
    await backUp(full);
    rmSync(file);
    assert.equal((await backUp(less)).code, 0);
  });

  it('names files in a folder by the time, and keeps the newest of those that it has made', async () => {
    const [store, folder] = [join(root, 'kept-store'), join(root, 'kept')];
    await makeStore(store, 'a');
    mkdirSync(join(folder, 'plants-20200101T000000Z.db'), { recursive: true });
    for (const name of ['plants-2020.db', 'plants-20991231T000000Z.db']) await writeFile(join(folder, name), '');
    const backUpAt = (second: number, ...args: string[]): ReturnType<typeof runCli> =>
      runCli(['backup', 'kept', '--data-dir', store, ...args], {}, root, {
        now: () => Date.UTC(2026, 10, 20, 3, 15, second),
      });
    for (const second of [1, 2]) assert.equal((await backUpAt(second)).code, 0);
    const last = await backUpAt(3, '--keep', '2', '--json');
    assert.deepEqual([last.code, last.stderr], [0, '']);
    const names = [1, 2, 3].map((second) => `plants-20261120T03150${second}Z.db`);
    const [first = '', second = '', third = ''] = names;
    assert.deepEqual(JSON.parse(last.stdout), {
      file: join('kept', third),
      plants: 300,
      tokens: 0,
      removed: [first],
    });
    assert.equal(nameInBackup(join(folder, third)), 'a');
    const others = ['plants-2020.db', 'plants-20200101T000000Z.db', 'plants-20991231T000000Z.db'];
    assert.deepEqual(readdirSync(folder).toSorted(), [...others, second, third].toSorted());
    assert.ok(statSync(join(store, 'plants.last-backup')).mtimeMs >= statSync(join(folder, third)).birthtimeMs - 1);
  });

  it('keeps the newest backup with more than twice as many plants, and says so, however often it runs', async () => {
    const [full, empty, folder] = [join(root, 'full'), join(root, 'emptied'), join(root, 'shrunk')];
    await makeStore(full, 'a');
    await (await openStore({ folder: empty }, { limits: { writesMax: 10, bytesMax: 1_000_000 } })).close();
    mkdirSync(folder);
    const backUp = (store: string, second: number): ReturnType<typeof runCli> =>
      runCli(['backup', folder, '--keep', '1', '--data-dir', store], {}, root, {
        now: () => Date.UTC(2026, 10, 20, 3, 15, second),
      });
    for (const second of [1, 2]) assert.deepEqual((await backUp(full, second)).stderr, '');
    for (const second of [3, 4, 5]) {
      const { code, stderr } = await backUp(empty, second);
      assert.deepEqual(
        [code, stderr],
        [
          0,
          'plant-store: The store has 0 plants, less than half of those in plants-20261120T031502Z.db: plants may be lost. That backup stays, however many to keep; if all is well, remove it\n',
        ],
      );
      assert.deepEqual(readdirSync(folder).toSorted(), [
        'plants-20261120T031502Z.db',
        `plants-20261120T03150${second}Z.db`,
      ]);
    }
    rmSync(join(folder, 'plants-20261120T031502Z.db'));
    assert.deepEqual((await backUp(empty, 6)).stderr, '');
  });

  it('removes nothing when the backup fails, or --keep cannot be used', async () => {
    const [store, folder] = [join(root, 'no-store'), join(root, 'kept-all')];
    mkdirSync(folder);
    await writeFile(join(folder, 'plants-20200101T000000Z.db'), '');
    await writeFile(join(folder, 'plants-20200102T000000Z.db'), '');
    const backUp = (...args: string[]): ReturnType<typeof runCli> =>
      runCli(['backup', ...args, '--data-dir', store], {}, root);
    assert.equal((await backUp('kept-all', '--keep', '1')).code, 1);
    await makeStore(store, 'a');
    for (const [args, problem] of [
      [['kept-all', '--keep', '0'], 'Cannot use --keep "0": must be an integer from 1 to 1000'],
      [['kept-all', '--keep', '1001'], 'Cannot use --keep "1001": must be an integer from 1 to 1000'],
      [['one.db', '--keep', '1'], 'Cannot use --keep: give an existing folder in place of the file'],
    ] as const)
      assert.deepEqual(await backUp(...args).then(({ code, stderr }) => [code, stderr.split('\n')[0]]), [
        2,
        `plant-store: ${problem}`,
      ]);
    assert.equal(readdirSync(folder).length, 2);
    assert.equal(existsSync(join(root, 'one.db')), false);
  });

  it('and restore write one object each with --json', async () => {
    const [folder, file] = toPaths('json');
    await makeStore(folder, 'a');
    const backup = await runCli(['backup', file, '--json', '--data-dir', folder]);
    assert.deepEqual(backup, { code: 0, stdout: `{"file":"${file}","plants":300,"tokens":0}\n`, stderr: '' });
    const restore = await runCli(['restore', file, '--force', '--json', '--data-dir', folder]);
    assert.deepEqual([restore.code, restore.stderr], [0, '']);
    const { keptAs, lastChange, ...rest } = JSON.parse(restore.stdout) as Record<string, unknown>;
    assert.match(String(lastChange), /^20\d\d-.+Z$/);
    assert.deepEqual(rest, { folder, plants: 300, tokens: 0 });
    assert.ok(existsSync(String(keptAs)));
  });
});

describe('plant-store check', () => {
  it('exits with 0 for a sound store and with 1 for one that is not, as text and as JSON', async () => {
    const folder = join(root, 'checked');
    await makeStore(folder, 'a');
    const args = ['check', '--data-dir', folder];
    const soundText = await runCli(args);
    assert.equal(soundText.code, 0);
    assert.match(soundText.stdout, /^Plants +300\nTags +1\nTokens +0\nSize +[1-9]\d* KiB\n(.+\n)+Sound +yes\n$/);
    const db = new DatabaseSync(join(folder, 'plants.db'));
    db.exec('UPDATE tag_counts SET plants = 1');
    db.close();
    const text = await runCli(args);
    assert.equal(text.code, 1);
    assert.match(text.stdout, /\nSound +NO\nThe plants of a tag are counted wrongly\n$/);
    const json = await runCli([...args, '--json']);
    assert.equal(json.code, 1);
    const report = JSON.parse(json.stdout) as { plants: unknown; problems: unknown };
    assert.deepEqual([report.plants, report.problems], [300, ['The plants of a tag are counted wrongly']]);
    await writeFile(join(folder, 'plants.db'), 'no database, but longer than a header of one'.repeat(10));
    const none = await runCli(args);
    assert.deepEqual([none.code, none.stdout], [1, '']);
    assert.match(none.stderr, /^plant-store: Cannot check .*: file is not a database\n$/);
  });

  it('counts the write-ahead log as part of the size', async (t) => {
    const folder = join(root, 'logged');
    const store = await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: 1_000_000 } });
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ id: BigInt(index), name: 'a' }));
    t.after(() => store.close());
    await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
    const { bytes } = await checkStore({ folder });
    const sizes = ['plants.db', 'plants.db-wal'].map((name) => statSync(join(folder, name)).size);
    assert.ok((sizes[1] ?? 0) > 100_000, 'there is a log');
    assert.ok(bytes >= (sizes[0] ?? 0) + (sizes[1] ?? 0), `${bytes} bytes of ${sizes.join(' + ')}`);
  });
});
