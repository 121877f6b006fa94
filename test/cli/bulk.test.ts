/** import and export against the real service: formats, refused rows, Ctrl-C, and files that are whole or not there. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { PlantClient } from '../../src/client/client.ts';
import { startScript } from '../client/scripted-server.ts';
import { makeFolder } from '../support/clean-up.ts';
import { startService } from '../support/start-service.ts';
import { mountSmallDisk } from '../store/small-disk.ts';
import { mainPath, runCli, spawnCli, startCli, type Run, type World } from './run-cli.ts';

const service = await startService({ after });
const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
const plants = new PlantClient({ url: service.url, token: service.token });
const folder = await makeFolder({ after });

const run = (...args: string[]): Promise<Run> => runCli(args, env, folder);
const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const filesOf = async (start: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith(start)).sort();
const rows = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `{"id":${from + index},"name":"Plant ${from + index}"}\n`).join('');

describe('plant-store import', () => {
  it('takes NDJSON and CSV by their endings, exact and to the tag', async () => {
    await write('a.ndjson', '{"id":9007199254740993,"name":"n"}\r\n\n{"id":-9223372036854775808,"name":"","tag":""}');
    await write('a.CSV', 'tag,id,name\n"",9223372036854775807,"a\nb"\n,101,\'=1\n');
    const { stderr, ...done } = await run('import', 'a.ndjson', 'a.CSV');
    assert.match(stderr, /^To undo: plant-store batch undo import-[0-9a-f]{24}\n$/);
    assert.deepEqual(done, {
      code: 0,
      stdout: [
        'a.ndjson: 2 rows read: 2 created, 0 unchanged, 0 replaced, 0 skipped, 0 refused\n',
        'a.CSV: 2 rows read: 2 created, 0 unchanged, 0 replaced, 0 skipped, 0 refused\n',
      ].join(''),
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

  it('says how to undo all its files, and that undoes them', async () => {
    await write('one.ndjson', rows(120, 2));
    await write('two.ndjson', rows(130, 1));
    const { stderr } = await run('import', 'one.ndjson', 'two.ndjson');
    const undo = /^To undo: plant-store (.+)\n$/.exec(stderr)?.[1] ?? '';
    assert.match((await run(...undo.split(' '))).stdout, /^3 plants changed, 0 unchanged, 0 refused\n/);
    assert.equal(await plants.get(130n), undefined);
  });

  it('again changes nothing, and --dry-run stores nothing', async () => {
    await write('b.ndjson', rows(200, 2));
    const counts =
      'b.ndjson: 2 rows read in a dry run: would create 2, 0 unchanged, would replace 0, would skip 0, would refuse 0\n';
    assert.equal((await run('import', 'b.ndjson', '--dry-run')).stdout, counts);
    assert.equal(await plants.get(200n), undefined);
    assert.match((await run('import', 'b.ndjson')).stdout, / 2 created, /);
    const again = await run('import', 'b.ndjson');
    assert.match(again.stdout, / 0 created, 2 unchanged, /);
    assert.equal(again.stderr, '', 'nothing to undo');
  });

  for (const onConflict of ['fail', 'skip', 'replace'])
    for (const [name, inputs] of [
      ['a file', { 'dry.csv': "id,name,tag\n1,a,\n1,'=b,\n1,a,\n2,c,\n2,c,\n3,Stored,t\n3,d,t\n3,Stored,t\n4,e,\n" }],
      ['rows that cannot be read', { 'dry.csv': 'id,name\n1,a\n1,b,c\n1,"x"y\n1,b\n1,\0\nx,c\n1,"d' }],
      [
        'NDJSON',
        { 'dry.ndjson': '{"id":1,"name":"a"}\n{"id":1e0,"name":"b"}\n{"id":3,"name":5}\n{"id":3,"name":"d"}\n' },
      ],
      ['files', { 'dry.csv': 'id,name\n1,a\n3,d\n', 'dry.ndjson': '{"id":1,"name":"b"}\n{"id":3,"name":"e"}\n' }],
      ['standard input', { '-': 'id,name\n1,a\n1,b\n3,d\n3,e\n' }],
    ] as const satisfies readonly (readonly [string, Record<string, string>])[])
      it(`--dry-run says of ${name} what the import does: ${onConflict}`, async () => {
        for (const id of [1n, 2n, 4n]) await plants.delete(id);
        await plants.put(3n, { name: 'Stored', tag: 't' });
        const paths = Object.keys(inputs);
        for (const [path, text] of Object.entries(inputs)) if (path !== '-') await write(path, text);
        const [format, world] = '-' in inputs ? [['--format', 'csv'], { stdin: inputs['-'] }] : [[], {}];
        const importing = async (...flags: string[]) => {
          const args = ['import', ...paths, ...format, '--on-conflict', onConflict, ...flags];
          const { code, stdout, stderr } = await runCli(args, env, folder, world);
          const refused = [...stderr.matchAll(/^(.*:\d+): .*(\(error \d+\))$/gm)].map(
            ([, at, error]) => `${at} ${error}`,
          );
          return { code, counts: stdout.match(/^.*? read|\d+(?= (?!row))|(?<=would \w+ )\d+/gm), refused };
        };
        const dry = await importing('--dry-run');
        assert.deepEqual(dry, await importing());
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
    assert.equal(rest.length, 1);
  });

  it('says once that a file has another encoding, and what to do', async () => {
    const text = `id,name\n310,Aloe\nx,Fern\n${Array.from({ length: 1_001 }, (_, at) => `${311 + at},R\u00FCbe\n`).join('')}`;
    await writeFile(join(folder, 'latin.csv'), text, 'latin1');
    const [bad, foreign, more, ...rest] = (await run('import', 'latin.csv', '--dry-run')).stderr.trimEnd().split('\n');
    assert.match(bad ?? '', /^latin\.csv:3: .+"id" is not a valid id/);
    assert.match(foreign ?? '', /^latin\.csv:4: 999 rows from here on are not UTF-8\..+Windows-1252.+\(error 40004\)$/);
    assert.equal(more, 'latin.csv: 2 more rows were refused');
    assert.deepEqual(rest, []);
  });

  it('--on-conflict skip and replace decide, and --json reports', async () => {
    await plants.create({ id: 400n, name: 'first' });
    await write('d.ndjson', '{"id":400,"name":"second"}\n');
    const counts = (skipped: number, replaced: number): string =>
      `"read":1,"created":0,"unchanged":0,"replaced":${replaced},"skipped":${skipped},"refused":0,"errors":[]`;
    for (const [action, expected, name] of [
      ['skip', counts(1, 0), 'first'],
      ['replace', counts(0, 1), 'second'],
    ] as const) {
      const { stdout, ...done } = await run('import', 'd.ndjson', '--on-conflict', action, '--json');
      const group = /"group":"import-[0-9a-f]{24}"/.exec(stdout)?.[0] ?? '';
      assert.equal(stdout, `{"file":"d.ndjson","dryRun":false,${group},${expected}}\n`);
      assert.deepEqual(done, { code: 0, stderr: '' });
      assert.equal((await plants.get(400n))?.plant.name, name);
    }
  });

  it('reads a named pipe whose writer comes later', async () => {
    const pipe = join(folder, 'late.ndjson');
    execFileSync('mkfifo', [pipe]);
    const cli = startCli(['import', pipe], env);
    // Waits for a reader.
    const writer = await open(pipe, 'w');
    for (const id of [508, 509]) await writer.write(rows(id, 1));
    await writer.close();
    const { code, stdout } = await cli.ended;
    assert.equal(code, 0);
    assert.match(stdout, /late\.ndjson: 2 rows read: 2 created, /);
  });

  it('reads what a shell hands over: standard input, /dev/fd and devices', async () => {
    const input = '{"id":512,"name":"a"}\n{"id":513,"name":"b"}\n';
    const line = `printf '%s' '${input}' | "$0" "$1" import - <(printf '%s' '${rows(511, 1)}') /dev/null --format ndjson`;
    const { stdout } = await promisify(execFile)('bash', ['-c', line, process.execPath, mainPath], {
      env: { ...process.env, ...env },
    });
    assert.match(stdout, /^-: 2 rows read: [^\n]*\n\/dev\/fd\/\d+: 1 row read: [^\n]*\n\/dev\/null: 0 rows read: /);
  });

  it('Ctrl-C ends it while a named pipe has no writer, and while its writer says nothing', async () => {
    const pipe = join(folder, 'silent.ndjson');
    execFileSync('mkfifo', [pipe]);
    const silent = spawnCli(['import', pipe], env);
    const writer = await open(pipe, 'w');
    silent.signal('SIGINT');
    assert.equal((await silent.ended).code, 130);
    await writer.close();

    await write('first.ndjson', rows(514, 1));
    const none = spawnCli(['import', join(folder, 'first.ndjson'), pipe], env);
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

  it('that the service refuses is one line, without a hint to continue', async (t) => {
    const elsewhere = await startScript(t, [{ status: 301, headers: { location: 'https://example.org/' } }]);
    const header = 'Invalid CSV header: .* \\(error 40016\\)';
    for (const [text, line, variables] of [
      ['name\na\n', `Invalid CSV header: .* It has no column "id"; the console can import .* \\(error 40016\\)`, {}],
      ['id|name\n1|a\n', header, {}],
      ['"x;y",z\r1;a\n', header, {}],
      ['id,name\n', '.* \\(error 40102\\)', { PLANT_STORE_TOKEN: 'bad' }],
      ['id,name\n', '.* redirect; use https://example\\.org/', { PLANT_STORE_URL: elsewhere.url }],
    ] as const) {
      await write('f.csv', text);
      const { code, stdout, stderr } = await runCli(['import', 'f.csv'], { ...env, ...variables }, folder);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, new RegExp(`^plant-store: Cannot import f\\.csv: ${line}\\n$`));
    }
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
    assert.ok(cli.stdin.destroyed, 'or the process would wait for it');
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
    const [begun = '', undo = '', end = '', ...rest] = stderr.trimEnd().split('\n');
    assert.match(begun, /^plant-store: Cannot reach the service: .*; retrying$/);
    assert.match(undo, /^To undo: /);
    assert.match(
      end,
      /^plant-store: Cannot finish .* No rows were confirmed, but some may be stored\. To continue, run /,
    );
    assert.deepEqual(rest, []);
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
    await plants.put(-702n, { name: 'Fern' });
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
    assert.deepEqual(await filesOf('all'), ['all.csv', 'all.ndjson']);
  });

  it('begins CSV with a byte order mark if asked to, and refuses to begin NDJSON with one', async () => {
    const { stdout } = await run('export', '--format', 'csv', '--byte-order-mark', '--search', 'none');
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
    const own = ['plants.lock', 'plants.db', 'plants.db-wal', 'plants.address', 'webhook-key', 'initial-token'];
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
    await mkdir(join(folder, 'linking'));
    await write('linking/plants.lock', '');
    await symlink(join('..', 'key.csv'), join(folder, 'linking', 'webhook-key'));
    const { code, stderr } = await run('export', 'linking/webhook-key', '--format', 'csv', '--yes');
    assert.deepEqual([code, stderr.includes('file of a data folder')], [1, true]);
    assert.equal(await readFile(join(folder, 'key.csv'), 'utf8'), 'older\n');
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
    assert.equal((await run('export', 'one.csv', '--tag', 'export')).stderr, 'Exported 1 plant to one.csv\n');
  });

  it('that breaks off, or that a proxy cuts, leaves an older file as it was and says that output is incomplete', async (t) => {
    const cut = { cutAfter: '{"id":1,"name":"a"}\n' };
    const whole = { status: 200, headers: { 'content-type': 'text/csv' }, body: 'id,name,tag\r\n1,a,\r\n2,' };
    const again = 'was not changed: run the same command again';
    await write('kept.ndjson', 'older\n');
    for (const [step, args, line] of [
      [cut, ['kept.ndjson'], `The response was cut short: [^.\n]+\\. kept\\.ndjson ${again}`],
      [cut, ['-'], 'The response was cut short: [^.\n]+\\. The output is incomplete: run the [^\n]+'],
      [
        whole,
        ['kept.ndjson', '--format', 'csv'],
        `Cannot use the response: the export ends in the middle of a row\\. kept\\.ndjson ${again}`,
      ],
    ] as const) {
      const script = await startScript(t, [step]);
      const { code, stderr } = await run('export', ...args, '--yes', '--url', script.url);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`^plant-store: ${line}\n$`));
      assert.equal(await readFile(join(folder, 'kept.ndjson'), 'utf8'), 'older\n');
    }
    assert.deepEqual(await filesOf('kept'), ['kept.ndjson']);
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
    assert.deepEqual(await filesOf('both'), ['both.ndjson', 'both.ndjson.part']);
  });

  it('that is stopped by the end of its terminal does the same, and exits with 130', async (t) => {
    const script = await startScript(t, [{ silentAfter: '{"id":1,"name":"a"}\n' }]);
    const path = join(folder, 'stopped.ndjson');
    const cli = spawnCli(['export', path, '--url', script.url], env);
    while ((await filesOf('stopped')).length === 0);
    cli.signal('SIGHUP');
    const { code, stderr } = await cli.ended;
    assert.deepEqual([code, stderr], [130, `plant-store: Stopped. ${path} was not changed.\n`]);
    assert.deepEqual(await filesOf('stopped'), []);
  });

  it('whose reader leaves is no failure', async () => {
    await plants.put(-701n, { name: 'first' });
    const command = '"$0" "$1" export | head -1; echo "${PIPESTATUS[0]}"';
    const args = ['--norc', '-c', command, process.execPath, mainPath];
    const { stdout, stderr } = await promisify(execFile)('/bin/bash', args, { env: { ...env, PATH: '/usr/bin:/bin' } });
    assert.match(stdout, /^\{"id":-\d+,.*\}\n0\n$/);
    assert.equal(stderr, '');
  });
});
