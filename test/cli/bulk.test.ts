/** import and export against the real service: formats, refused rows, Ctrl-C, and files that are whole or not there. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { PlantClient } from '../../src/client/client.ts';
import { startScript } from '../client/scripted-server.ts';
import { startService } from '../support/start-service.ts';
import { mountSmallDisk } from '../store/small-disk.ts';
import { deadUrl, mainPath, runCli, type Run, type World } from './run-cli.ts';
import { startCli } from './start-cli.ts';

const service = await startService({ after });
const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
const plants = new PlantClient({ url: service.url, token: service.token });
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-store-bulk-'));
});
after(() => rm(folder, { recursive: true }));

const run = (...args: string[]): Promise<Run> => runCli(args, env, folder);
const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const rows = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `{"id":${from + index},"name":"Plant ${from + index}"}\n`).join('');

describe('plant-store import', () => {
  it('takes NDJSON and CSV by their endings, exact and to the tag', async () => {
    await write('a.ndjson', '{"id":9007199254740993,"name":"n"}\r\n\n{"id":-9223372036854775808,"name":"","tag":""}');
    await write('a.CSV', 'tag,id,name\n"",9223372036854775807,"a\nb"\n,101,\'=1\n');
    assert.deepEqual(await run('import', 'a.ndjson', 'a.CSV'), {
      code: 0,
      stdout: [
        'a.ndjson: 2 rows read: 2 created, 0 unchanged, 0 replaced, 0 skipped, 0 refused\n',
        'a.CSV: 2 rows read: 2 created, 0 unchanged, 0 replaced, 0 skipped, 0 refused\n',
      ].join(''),
      stderr: '',
    });
    const found = await Promise.all(
      [9007199254740993n, -(2n ** 63n), 2n ** 63n - 1n, 101n].map((id) => plants.get(id)),
    );
    assert.deepEqual(
      found.map((version) => version?.plant),
      [
        { id: 9007199254740993n, name: 'n' },
        { id: -(2n ** 63n), name: '', tag: '' },
        { id: 2n ** 63n - 1n, name: 'a\nb', tag: '' },
        { id: 101n, name: '=1' },
      ],
    );
  });

  it('again changes nothing, and --dry-run stores nothing', async () => {
    await write('b.ndjson', rows(200, 2));
    const counts =
      'b.ndjson: 2 rows read in a dry run: would create 2, 0 unchanged, would replace 0, would skip 0, would refuse 0\n';
    assert.equal((await run('import', 'b.ndjson', '--dry-run')).stdout, counts);
    assert.equal(await plants.get(200n), undefined);
    assert.match((await run('import', 'b.ndjson')).stdout, / 2 created, /);
    assert.match((await run('import', 'b.ndjson')).stdout, / 0 created, 2 unchanged, /);
  });

  it('names refused rows by line and number, stores the others, and exits with 3', async () => {
    await plants.create({ id: 300n, name: 'first' });
    await write('c.csv', 'id,name\n"301","ok"\n300,other\nx,bad\n');
    const { code, stdout, stderr } = await run('import', 'c.csv');
    assert.equal(code, 3);
    assert.equal(stdout, 'c.csv: 3 rows read: 1 created, 0 unchanged, 0 replaced, 0 skipped, 2 refused\n');
    const [taken = '', bad = '', ...rest] = stderr.trimEnd().split('\n');
    assert.equal(
      taken,
      'c.csv:3: Cannot store plant: this id already exists with a different name or tag (error 40901)',
    );
    assert.match(bad, /^c\.csv:4: Cannot store plant: "id" is not a valid id\. It must .+ \(error 40011\)$/);
    assert.deepEqual(rest, []);
  });

  it('--on-conflict skip and replace decide, and --json reports', async () => {
    await plants.create({ id: 400n, name: 'first' });
    await write('d.ndjson', '{"id":400,"name":"second"}\n');
    const none = {
      file: 'd.ndjson',
      dryRun: false,
      read: 1,
      created: 0,
      unchanged: 0,
      replaced: 0,
      skipped: 0,
      refused: 0,
      errors: [],
    };
    for (const [action, counts, name] of [
      ['skip', { skipped: 1 }, 'first'],
      ['replace', { replaced: 1 }, 'second'],
    ] as const) {
      const { code, stdout, stderr } = await run('import', 'd.ndjson', '--on-conflict', action, '--json');
      assert.deepEqual([code, stderr], [0, '']);
      assert.deepEqual(JSON.parse(stdout), { ...none, ...counts });
      assert.equal((await plants.get(400n))?.plant.name, name);
    }
  });

  it('reads standard input', async () => {
    const cli = startCli(['import', '-', '--format', 'ndjson'], env);
    cli.stdin.end('{"id":500,"name":"piped"}\n');
    const { code, stdout } = await cli.ended;
    assert.equal(code, 0);
    assert.match(stdout, /^-: 1 row read: 1 created, /);
  });

  it('reads a named pipe whose writer comes later', async () => {
    const pipe = join(folder, 'late.ndjson');
    execFileSync('mkfifo', [pipe]);
    const cli = startCli(['import', pipe], env);
    // Waits for a reader.
    const writer = await open(pipe, 'w');
    for (const id of [510, 511]) await writer.write(rows(id, 1));
    await writer.close();
    const { code, stdout, stderr } = await cli.ended;
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /late\.ndjson: 2 rows read: 2 created, /);
  });

  it('reads what a shell hands over: /dev/stdin, /dev/fd and devices', async () => {
    const command = `${process.execPath} ${mainPath} import --format ndjson`;
    for (const [line, read] of [
      [`printf '%s\n' '{"id":512,"name":"a"}' | ${command} /dev/stdin`, 1],
      [`${command} <(printf '%s\n' '{"id":512,"name":"a"}' '{"id":513,"name":"b"}')`, 2],
      [`${command} /dev/null`, 0],
    ] as const) {
      const { stdout } = await promisify(execFile)('bash', ['-c', line], { env: { ...process.env, ...env } });
      assert.match(stdout, new RegExp(`^/dev/\\S+: ${read} rows? read: `));
    }
  });

  it('Ctrl-C ends it while a named pipe has no writer, and while its writer says nothing', async () => {
    const pipe = join(folder, 'silent.ndjson');
    execFileSync('mkfifo', [pipe]);
    const silent = startCli(['import', pipe], env);
    const writer = await open(pipe, 'w');
    silent.signal('SIGINT');
    assert.equal((await silent.ended).code, 130);
    await writer.close();

    await write('first.ndjson', rows(514, 1));
    const none = startCli(['import', join(folder, 'first.ndjson'), pipe], env);
    await none.printed('1 row read');
    none.signal('SIGINT');
    assert.equal((await none.ended).code, 130);
  });

  it('looks at every file before it sends one', async () => {
    await write('e.ndjson', '{"id":600,"name":"a"}\n');
    const { code, stderr } = await run('import', 'e.ndjson', 'missing.ndjson');
    assert.equal(code, 1);
    assert.equal(stderr, 'plant-store: Cannot import missing.ndjson: no such file or folder\n');
    assert.equal(await plants.get(600n), undefined);
  });

  it('a body that the service refuses is one line, without a hint to continue', async () => {
    for (const text of ['name\na\n', 'id|name\n1|a\n', '"x;y",z\r1;a\n']) {
      await write('f.csv', text);
      const { code, stdout, stderr } = await run('import', 'f.csv');
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^plant-store: Cannot import f\.csv: Invalid CSV header: [^\n]* \(error 40016\)\n$/);
    }
  });

  it('takes the semicolons of a spreadsheet, in parts too', async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `${690_000 + index};"Fern, ${index}";wet\n`);
    await write('semicolons.csv', `Id;Name;Tag\n${lines.join('')}`);
    assert.match((await run('import', 'semicolons.csv')).stdout, /: 2,000 rows read: 2,000 created, /);
    assert.deepEqual((await plants.get(691_999n))?.plant, { id: 691_999n, name: 'Fern, 1999', tag: 'wet' });
  });

  it('a token that the service refuses is one line too', async () => {
    await write('g.ndjson', rows(650, 1));
    const { code, stdout, stderr } = await runCli(['import', 'g.ndjson'], { ...env, PLANT_STORE_TOKEN: 'bad' }, folder);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^plant-store: Cannot import g\.ndjson: [^\n]* \(error 40102\)\n$/);
    assert.doesNotMatch(stderr, /To continue/);
  });

  it('of which the response is none of a plant store gives no hint to continue', async (t) => {
    await write('j.ndjson', rows(690, 1));
    const script = await startScript(t, [{ status: 301, headers: { location: 'https://example.org/' } }]);
    const { code, stdout, stderr } = await run('import', 'j.ndjson', '--url', script.url);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^plant-store: Cannot import j\.ndjson: [^\n]* redirect; use the address it leads to\n$/);
  });

  it('that cannot read a file says why', async () => {
    await write('gone.ndjson', rows(680, 1));
    const cli = startCli(['import', '-', join(folder, 'gone.ndjson'), '--format', 'ndjson'], env);
    // More than one part: once one is stored, the command has looked at both.
    cli.stdin.write(rows(860_000, 40_000));
    while ((await plants.get(860_000n)) === undefined);
    await rm(join(folder, 'gone.ndjson'));
    cli.stdin.end();
    const { code, stderr } = await cli.ended;
    assert.equal(code, 1);
    assert.match(stderr, /^plant-store: Cannot import .*gone\.ndjson: no such file or folder$/m);
  });

  it('that fails ends while its input stays open', async () => {
    const cli = startCli(['import', '-', '--format', 'ndjson'], { ...env, PLANT_STORE_TOKEN: 'bad' });
    // More than one part, and then a pipe that stays open.
    cli.stdin.write(rows(1_000_000, 40_000));
    const { code, stderr } = await cli.ended;
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^plant-store: Cannot import -: [^\n]* \(error 40102\)\n$/);
  });

  it('fails at once, with one line, when no service is there', async () => {
    await write('h.ndjson', rows(660, 1));
    const { code, stdout, stderr } = await run('import', 'h.ndjson', '--url', deadUrl);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^plant-store: Cannot import h\.ndjson: Cannot reach the service: [^\n]*; --url names [^\n]*\n$/,
    );
    assert.doesNotMatch(stderr, /retrying|stored/);
  });

  it('says once that it retries, and of a part without an answer that it may be stored', async (t) => {
    await write('i.ndjson', rows(670, 1));
    // The first request reaches a service; behind the last cut one it is refused for good.
    const again = { status: 503, headers: { 'retry-after': '0' }, body: '{"error":50301,"message":"Busy"}' };
    const script = await startScript(t, ['cut', again, again, { status: 503, headers: { 'retry-after': '61' } }]);
    const { code, stdout, stderr } = await run('import', 'i.ndjson', '--url', script.url);
    assert.equal(code, 1);
    // Not "0 rows read" beside rows that may be stored.
    assert.equal(stdout, '');
    const [begun = '', end = '', ...rest] = stderr.trimEnd().split('\n');
    assert.match(begun, /^plant-store: Cannot reach the service: .*; retrying$/);
    assert.match(
      end,
      /^plant-store: Cannot finish .* No rows were confirmed, but some may be stored\. To continue, run /,
    );
    assert.deepEqual(rest, []);
  });

  it('shows what a server says as text, also when it retries', async (t) => {
    await write('k.ndjson', rows(695, 1));
    const busy = { status: 503, body: '{"error":50301,"message":"Busy\\u001b[2J"}' };
    const script = await startScript(t, [busy]);
    const { stderr } = await run('import', 'k.ndjson', '--url', script.url);
    assert.ok(stderr.startsWith('plant-store: Busy\\u{1b}[2J; retrying\n'), JSON.stringify(stderr));
  });

  it('Ctrl-C stops it with 130, says what is stored and how to continue', async (t) => {
    const { url, token } = await startService(t);
    const client = new PlantClient({ url, token });
    const cli = startCli(['import', '-', '--format', 'ndjson'], { PLANT_STORE_URL: url, PLANT_STORE_TOKEN: token });
    // More than one part, and then a pipe that stays open.
    cli.stdin.write(rows(1_000_000, 40_000));
    while ((await client.get(1_000_000n)) === undefined);
    cli.signal('SIGINT');
    const { code, stdout, stderr } = await cli.ended;
    assert.equal(code, 130, stderr);
    assert.match(stderr, /plant-store: Stopped\. .*To continue, give the same input to the same command again/);
    const done = Number(/^-: ([\d,]+) rows read/.exec(stdout)?.[1]?.replaceAll(',', ''));
    for (let row = 0; row < done; row += 1_000) assert.ok((await client.get(BigInt(1_000_000 + row))) !== undefined);
  });
});

describe('plant-store export', () => {
  it('writes a file that imports as unchanged, and the same to standard output', async () => {
    await plants.put(-700n, { name: '=SUM(A1)', tag: '' });
    for (const name of ['all.csv', 'all.ndjson']) {
      const { code, stdout, stderr } = await run('export', name);
      assert.deepEqual([code, stdout], [0, '']);
      const total = /Exported ([\d,]+) plants? to /.exec(stderr)?.[1] ?? '';
      const text = await readFile(join(folder, name), 'utf8');
      assert.equal((await run('export', '--format', name.slice(4), '--tag', '')).code, 0);
      const again = await run('import', name);
      assert.deepEqual(
        [again.code, again.stdout],
        [0, `${name}: ${total} rows read: 0 created, ${total} unchanged, 0 replaced, 0 skipped, 0 refused\n`],
      );
      assert.ok(text.includes('-700'));
    }
    assert.deepEqual((await readdir(folder)).filter((name) => name.startsWith('all')).sort(), [
      'all.csv',
      'all.ndjson',
    ]);
  });

  it('begins CSV with a byte order mark if asked to, and refuses to begin NDJSON with one', async () => {
    const { stdout } = await run('export', '--format', 'csv', '--byte-order-mark', '--tag', 'none');
    assert.equal(stdout, '\uFEFFid,name,tag\r\n');
    const { code, stderr } = await run('export', '--byte-order-mark');
    assert.deepEqual([code, stderr.includes('--byte-order-mark: it is for CSV only')], [2, true]);
  });

  it('that cannot write its file says why', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const [name, reason] of [
      ['nowhere/x.csv', 'no such file or folder'],
      ['.', 'it is a folder'],
      ['pipe', 'it is not a regular file'],
    ] as const) {
      assert.deepEqual(await run('export', name, '--format', 'csv'), {
        code: 1,
        stdout: '',
        stderr: `plant-store: Cannot write ${name}: ${reason}\n`,
      });
    }
  });

  it('that fills the disk says so, and leaves nothing behind', async (t) => {
    const disk = await mountSmallDisk(t, '64k');
    if (disk === undefined) return;
    await plants.import(rows(850_000, 2_000), { mediaType: 'application/x-ndjson' });
    const path = join(disk.folder, 'full.ndjson');
    assert.deepEqual(await run('export', path), {
      code: 1,
      stdout: '',
      stderr: `plant-store: Cannot write ${path}: the disk is full\n`,
    });
    assert.deepEqual(await readdir(disk.folder), []);
  });

  it('never replaces a database or what a data folder needs, even with --yes', async () => {
    const own = ['plants.lock', 'plants.db', 'plants.db-wal', 'webhook-key', 'initial-token'];
    const names = [...own, 'backup-2026.csv'];
    await mkdir(join(folder, 'data'));
    for (const name of own) await write(join('data', name), '');
    await write('data/backup-2026.csv', 'SQLite format 3\0');
    await symlink(join('data', 'backup-2026.csv'), join(folder, 'linked.csv'));
    const files = [...names, 'plants.db-journal'].map((name) => join('data', name));
    for (const file of [...files, 'linked.csv'])
      assert.deepEqual(await run('export', file, '--format', 'csv', '--yes'), {
        code: 1,
        stdout: '',
        stderr: `plant-store: Cannot write ${file}: it is a database, or a file of a data folder; choose another name\n`,
      });
    assert.deepEqual((await readdir(join(folder, 'data'))).sort(), names.sort());
    for (const file of ['data/plants.csv', 'data/plants.db.csv', 'webhook-key'])
      assert.equal((await run('export', file, '--format', 'csv')).code, 0, file);
  });

  it('asks before it overwrites a file, and needs --yes in a script', async () => {
    const write = (world: World, ...flags: string[]): Promise<Run> =>
      runCli(['export', 'asked.csv', '--tag', 'none', ...flags], env, folder, world);
    assert.equal((await write({})).code, 0, 'a new file needs no confirmation');
    await writeFile(join(folder, 'asked.csv'), 'older\n');
    const refused = await write({});
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /Overwrite asked\.csv\? Add --yes\n$/);
    assert.equal((await write({ stdin: 'no\n', columns: 80 })).code, 1);
    assert.equal(await readFile(join(folder, 'asked.csv'), 'utf8'), 'older\n');
    assert.equal((await write({ stdin: 'y\n', columns: 80 })).code, 0);
    await writeFile(join(folder, 'asked.csv'), 'older\n');
    const { stderr } = await write({}, '--yes', '--json');
    assert.equal(stderr, '{"file":"asked.csv","plants":0,"bytes":13}\n');
    assert.equal(await readFile(join(folder, 'asked.csv'), 'utf8'), 'id,name,tag\r\n');
  });

  it('keeps the permissions of the file that it replaces, and a symbolic link to it', async () => {
    await mkdir(join(folder, 'elsewhere'));
    await write('elsewhere/private.csv', 'older\n');
    for (const mode of [0o600, 0o664]) {
      await chmod(join(folder, 'elsewhere', 'private.csv'), mode);
      await symlink(join('elsewhere', 'private.csv'), join(folder, `link-${mode}.csv`));
      for (const file of ['elsewhere/private.csv', `link-${mode}.csv`]) {
        assert.equal((await run('export', file, '--yes', '--tag', 'none')).code, 0);
        assert.equal((await stat(join(folder, file))).mode & 0o777, mode, file);
      }
      assert.ok((await lstat(join(folder, `link-${mode}.csv`))).isSymbolicLink());
    }
    assert.equal(await readFile(join(folder, 'elsewhere', 'private.csv'), 'utf8'), 'id,name,tag\r\n');
    assert.deepEqual(await readdir(join(folder, 'elsewhere')), ['private.csv']);
  });

  it('refuses a symbolic link whose file is missing, and one in a data folder', async () => {
    await symlink('missing.csv', join(folder, 'dangling.csv'));
    assert.deepEqual(await run('export', 'dangling.csv', '--yes'), {
      code: 1,
      stdout: '',
      stderr: 'plant-store: Cannot write dangling.csv: it is a symbolic link, and its file cannot be found\n',
    });
    await write('key.csv', 'older\n');
    await rm(join(folder, 'data', 'webhook-key'));
    await symlink(join('..', 'key.csv'), join(folder, 'data', 'webhook-key'));
    const { code, stderr } = await run('export', 'data/webhook-key', '--format', 'csv', '--yes');
    assert.deepEqual([code, stderr.includes('file of a data folder')], [1, true]);
    assert.equal(await readFile(join(folder, 'key.csv'), 'utf8'), 'older\n');
  });

  it('of one plant says so', async () => {
    await plants.put(750n, { name: 'only', tag: 'alone' });
    assert.equal((await run('export', 'one.csv', '--tag', 'alone')).stderr, 'Exported 1 plant to one.csv\n');
  });

  it('filters, and standard output is NDJSON unless told otherwise', async () => {
    await plants.put(800n, { name: 'Écho', tag: 'export' });
    assert.deepEqual(await run('export', '--tag', 'export', '--name', 'echo'), {
      code: 0,
      stdout: '{"id":800,"name":"Écho","tag":"export"}\n',
      stderr: '',
    });
    const { stdout } = await run('export', '-', '--format', 'csv', '--tag', 'export');
    assert.equal(stdout, 'id,name,tag\r\n800,Écho,export\r\n');
  });

  it('that breaks off leaves an older file as it was, and no part of a new one', async (t) => {
    const script = await startScript(t, [{ cutAfter: '{"id":1,"name":"a"}\n' }]);
    await write('kept.ndjson', 'older\n');
    const { code, stderr } = await runCli(['export', 'kept.ndjson', '--yes', '--url', script.url], env, folder);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^plant-store: The response was cut short: [^.\n]+\. kept\.ndjson was not changed: run the same command again\n$/,
    );
    assert.equal(await readFile(join(folder, 'kept.ndjson'), 'utf8'), 'older\n');
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('kept')),
      ['kept.ndjson'],
    );
  });

  it('to standard output that breaks off says that the output is incomplete', async (t) => {
    const script = await startScript(t, [{ cutAfter: '{"id":1,"name":"a"}\n' }]);
    const { code, stderr } = await run('export', '--url', script.url);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^plant-store: The response was cut short: [^.\n]+\. The output is incomplete: run the [^\n]+\n$/,
    );
  });

  it('that a proxy cuts and ends like a whole one leaves an older file as it was', async (t) => {
    const cut = { status: 200, headers: { 'content-type': 'text/csv' }, body: 'id,name,tag\r\n1,a,\r\n2,' };
    const script = await startScript(t, [cut]);
    await write('whole.csv', 'older\n');
    const { code, stderr } = await runCli(['export', 'whole.csv', '--yes', '--url', script.url], env, folder);
    assert.equal(code, 1);
    assert.match(stderr, /^plant-store: Cannot use the response: the export ends in the middle of a row[^\n]*\n$/);
    assert.equal(await readFile(join(folder, 'whole.csv'), 'utf8'), 'older\n');
  });

  it('to one file at the same time as another leaves a complete one, and files of others unchanged', async () => {
    const tags = ['left', 'right'];
    for (const [at, tag] of tags.entries()) await plants.put(BigInt(810 + at), { name: tag.repeat(200), tag });
    await write('both.ndjson.part', 'mine');
    const ends = await Promise.all(tags.map((tag) => run('export', 'both.ndjson', '--yes', '--tag', tag)));
    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0],
    );
    const { name, tag } = JSON.parse(await readFile(join(folder, 'both.ndjson'), 'utf8')) as Record<string, string>;
    assert.equal(name, tag?.repeat(200));
    assert.equal(await readFile(join(folder, 'both.ndjson.part'), 'utf8'), 'mine');
    assert.deepEqual((await readdir(folder)).filter((each) => each.startsWith('both')).sort(), [
      'both.ndjson',
      'both.ndjson.part',
    ]);
  });

  for (const signal of ['SIGINT', 'SIGHUP'] as const)
    it(`that is stopped by ${signal} does the same, and exits with 130`, async (t) => {
      const script = await startScript(t, [{ silentAfter: '{"id":1,"name":"a"}\n' }]);
      const path = join(folder, 'stopped.ndjson');
      const cli = startCli(['export', path, '--url', script.url], env);
      while (!(await readdir(folder)).some((name) => name.startsWith('stopped')));
      cli.signal(signal);
      const { code, stderr } = await cli.ended;
      assert.deepEqual([code, stderr], [130, `plant-store: Stopped. ${path} was not changed.\n`]);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.startsWith('stopped')),
        [],
      );
    });

  it('whose reader leaves is no failure', async () => {
    const command = '"$0" "$1" export | head -1; echo "${PIPESTATUS[0]}"';
    const { stdout, stderr } = await promisify(execFile)(
      '/bin/bash',
      ['--norc', '-c', command, process.execPath, mainPath],
      {
        env: { ...env, PATH: '/usr/bin:/bin' },
      },
    );
    assert.match(stdout, /^\{"id":-9223372036854775808,.*\}\n0\n$/);
    assert.equal(stderr, '');
  });
});
