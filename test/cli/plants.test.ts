/** The commands for single plants, against the real service: exact ids, what goes where, exit codes, and where the token is found. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startScript } from '../client/scripted-server.ts';
import { makeFolder } from '../support/clean-up.ts';
import { listen } from '../support/listen.ts';
import { startService } from '../support/start-service.ts';
import { deadUrl, mainPath, runCli, type Run, type World } from './run-cli.ts';

const service = await startService({ after });
const madeTokenService = await startService({ after }, { firstToken: 'made' });

const etagPattern = /^"[\w-]{22}"$/;

interface Shown {
  readonly name: string;
  readonly tag?: string;
  readonly etag?: string;
  readonly outcome?: string;
}

const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
const run = (...args: string[]): Promise<Run> => runCli(args, env);
const runAt = (columns: number, ...args: string[]): Promise<Run> => runCli(args, env, undefined, { columns });
const onTerminal = async (...args: string[]): Promise<string> => (await runAt(80, ...args)).stdout;
const put = async (...args: string[]): Promise<Shown> => {
  const { code, stdout, stderr } = await run('put', ...args);
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout) as Shown;
};

describe('plant-store put, patch and delete', () => {
  it('put replaces, tells an equal plant, and a tag that is not given is none', async () => {
    assert.equal((await put('1', '--name', 'a', '--tag', 't')).outcome, 'created');
    assert.equal((await put('1', '--name', 'a', '--tag', 't')).outcome, 'unchanged');
    const replaced = await put('1', '--name', 'a', '--no-tag');
    assert.deepEqual([replaced.outcome, replaced.tag], ['replaced', undefined]);
    assert.equal((await put('1', '--name', 'a')).outcome, 'unchanged');
  });

  it('put --if-match and --create-only hold, and say what is wrong', async () => {
    const { etag = '' } = await put('2', '--name', 'a', '--create-only');
    assert.match(etag, etagPattern);
    const refused = (reason: string) => ({
      code: 1,
      stdout: '',
      stderr: `plant-store: Cannot put plant ${reason} (error 41201)\n`,
    });
    assert.deepEqual(await run('put', '2', '--name', 'b', '--create-only'), refused('2: it exists already'));
    assert.equal((await put('2', '--name', 'b', '--if-match', etag)).outcome, 'replaced');
    const stale = 'it was changed or deleted since that version; read it again with "plant-store get';
    assert.deepEqual(await run('put', '2', '--name', 'c', '--if-match', etag), refused(`2: ${stale} 2"`));
    assert.equal((await put('2', '--name', 'c', '--if-match', '*')).outcome, 'replaced');
    assert.deepEqual(await run('put', '99', '--name', 'c', '--if-match', etag), refused(`99: ${stale} 99"`));
    assert.deepEqual(await run('put', '99', '--name', 'c', '--if-match', '*'), refused('99: no plant has this id'));
  });

  it('delete goes on behind an id that no plant has, and fails at its end', async () => {
    await put('41', '--name', 'a');
    await put('42', '--name', 'a');
    assert.deepEqual(await run('delete', '41', '40', '42', '--json', '--yes'), {
      code: 1,
      stdout: '{"id":41,"deleted":true}\n{"id":40,"deleted":false}\n{"id":42,"deleted":true}\n',
      stderr: 'plant-store: Cannot delete plant 40: no plant has this id (error 40402)\n',
    });
  });

  it('delete asks before it deletes, and needs --yes in a script', async () => {
    for (const id of ['43', '44']) await put(id, '--name', 'a');
    const remove = (world: World, ...flags: string[]): Promise<Run> =>
      runCli(['delete', '43', '44', ...flags], env, undefined, world);
    assert.match((await run('delete', '43')).stderr, /not a terminal\. Delete 1 plant\? Add --yes\n$/);
    assert.deepEqual(await remove({}), {
      code: 2,
      stdout: '',
      stderr:
        'plant-store: Cannot ask for confirmation: standard input is not a terminal. Delete 2 plants? Add --yes\n',
    });
    for (const stdin of ['n\n', '\n', '', 'yesterday\n']) {
      assert.deepEqual(await remove({ stdin, columns: 80 }), {
        code: 1,
        stdout: '',
        stderr: 'Delete 2 plants? [y/N] plant-store: Cancelled: nothing was changed\n',
      });
    }
    assert.equal((await run('get', '43')).code, 0);
    assert.deepEqual(await remove({ stdin: 'y\n', columns: 80 }), {
      code: 0,
      stdout: 'Deleted plant 43\nDeleted plant 44\n',
      stderr: 'Delete 2 plants? [y/N] ',
    });
  });

  it('patch changes only what is given', async () => {
    await put('50', '--name', 'a', '--tag', 't');
    const patch = async (...flags: string[]): Promise<Shown> =>
      JSON.parse((await run('patch', '50', ...flags)).stdout) as Shown;
    const named = await patch('--name', 'b');
    assert.deepEqual([named.name, named.tag], ['b', 't']);
    const untagged = await patch('--no-tag', '--if-match', named.etag ?? '');
    assert.deepEqual([untagged.name, untagged.tag], ['b', undefined]);
    assert.equal((await patch('--tag', '')).tag, '');
    const stale = await run('patch', '50', '--name', 'c', '--if-match', named.etag ?? '');
    assert.equal(stale.code, 1);
    assert.match(
      stale.stderr,
      /^plant-store: Cannot patch plant 50: it was changed .* with "plant-store get 50" \(error 41201\)\n$/,
    );
    for (const flags of [[], ['--if-match', '*']]) {
      assert.deepEqual(await run('patch', '51', '--name', 'c', ...flags), {
        code: 1,
        stdout: '',
        stderr: 'plant-store: Cannot patch plant 51: no plant has this id (error 40402)\n',
      });
    }
  });

  it('a refused plant is one line with its error number', async () => {
    const { code, stdout, stderr } = await run('put', '7', '--name', 'a'.repeat(1001));
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^plant-store: Cannot store plant: .* \(error 40010\)\n$/);
  });
});

describe('plant-store list and tags', () => {
  it('list filters, stops at its limit and says that there are more', async () => {
    for (const id of ['-30', '31', '32']) await put(id, '--name', `Écho ${id}`, '--tag', 'many');
    const all = await run('list', '--tag', 'many', '--name', 'echo', '--search', 'cho any');
    assert.deepEqual(all, {
      code: 0,
      stdout: ['-30', '31', '32'].map((id) => `{"id":${id},"name":"Écho ${id}","tag":"many"}\n`).join(''),
      stderr: '',
    });
    const two = await run('list', '--tag', 'many', '--limit', '2', '--json');
    assert.equal(two.stderr, 'There are more plants: raise --limit, or use "plant-store export".\n');
    assert.deepEqual(JSON.parse(two.stdout), [
      { id: -30, name: 'Écho -30', tag: 'many' },
      { id: 31, name: 'Écho 31', tag: 'many' },
    ]);
    const last = await run('list', '--tag', 'many', '--order', 'desc', '--below', '32', '--limit', '1', '--json');
    assert.deepEqual(JSON.parse(last.stdout), [{ id: 31, name: 'Écho 31', tag: 'many' }]);
    assert.deepEqual(await run('list', '--tag', 'many', '--above', '-30', '--below', '32', '--json'), {
      ...last,
      stderr: '',
    });
    assert.equal((await run('list', '--below', 'x')).code, 2);
    assert.deepEqual(await run('list', '--tag', 'none', '--json'), { code: 0, stdout: '[]\n', stderr: '' });
  });

  it('tags writes each page as it comes', async (t) => {
    const link = '</tags?cursor=x>; rel="next"';
    const page = { status: 200, headers: { link }, body: '[{"tag":"zz-a","plants":2}]' };
    const script = await startScript(t, [page, { status: 400, body: '{"error":40013,"message":"No"}' }]);
    const { code, stdout } = await run('tags', '--url', script.url);
    assert.deepEqual([code, stdout], [1, '{"tag":"zz-a","plants":2}\n']);
  });

  it('tags lists each tag with its number of plants', async () => {
    for (const [id, tag] of Object.entries({ 60: 'zz-a', 61: 'zz-a', 62: 'zz-b' }))
      await put(id, '--name', 'a', '--tag', tag);
    const [first, second] = ['{"tag":"zz-a","plants":2}', '{"tag":"zz-b","plants":1}'];
    const tags = ['tags', '--prefix', 'zz-'];
    assert.deepEqual(await run(...tags), { code: 0, stdout: `${first}\n${second}\n`, stderr: '' });
    assert.equal((await run(...tags, '--json')).stdout, `[\n  ${first},\n  ${second}\n]\n`);
    assert.equal(await onTerminal(...tags), 'PLANTS  TAG\n2       zz-a\n1       zz-b\n');
    assert.deepEqual(await runAt(80, 'tags', '--prefix', 'none'), { code: 0, stdout: '', stderr: 'No tags found.\n' });
  });

  it('list fits the terminal, whatever the names', async () => {
    await put('70', '--name', 'x'.repeat(1_000), '--tag', 'wide');
    await put('9223372036854775807', '--name', 'short', '--tag', 'wide');
    for (const columns of [40, 80, 200]) {
      const { stdout } = await runAt(columns, 'list', '--tag', 'wide');
      for (const line of stdout.trimEnd().split('\n')) assert.ok(line.length <= columns, line);
      assert.match(stdout, /\n70 +x+…  wide\n9223372036854775807  short +wide\n$/);
    }
    assert.ok((await run('list', '--tag', 'wide')).stdout.includes('x'.repeat(1_000)), 'not cut in a pipe');
  });
});

describe('plant-store commands', () => {
  it('refuse an argument that is not UTF-8, instead of storing other characters; takes U+FFFD itself', async () => {
    const put = (id: number, name: string): Promise<Run> => {
      const line = `"$0" "$1" put ${id} --name "$(printf '${name}')"`;
      return new Promise((resolve) => {
        execFile(
          'sh',
          ['-c', line, process.execPath, mainPath],
          { env: { ...process.env, ...env } },
          (error, stdout, stderr) => {
            resolve({ code: Number(error?.code ?? 0), stdout, stderr });
          },
        );
      });
    };
    assert.deepEqual(await put(81, String.raw`Ros\351`), {
      code: 2,
      stdout: '',
      stderr:
        'plant-store: Cannot use the command line: an argument is not valid UTF-8; does the terminal or the script use another encoding?\n',
    });
    assert.equal((await run('get', '81')).code, 1);
    assert.deepEqual((await put(82, String.raw`Ros\357\277\275`)).code, 0);
    assert.match((await run('get', '82')).stdout, /"name":"Ros\ufffd"/);
  });

  it('take and show an id to the digit', async () => {
    for (const id of ['9007199254740993', '-9223372036854775808']) {
      assert.equal((await put(id, '--name', 'a b', '--tag', '')).outcome, 'created');
      const { code, stdout } = await run('get', id);
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`{"id":${id},"name":"a b","tag":"","etag":"`), stdout);
      assert.ok((await run('list', '--tag', '')).stdout.includes(`{"id":${id},`));
      assert.deepEqual(await run('delete', id, '--yes'), { code: 0, stdout: `Deleted plant ${id}\n`, stderr: '' });
      const stderr = `plant-store: Cannot find plant ${id}: no plant has this id (error 40402)\n`;
      assert.deepEqual(await run('get', id), { code: 1, stdout: '', stderr });
    }
  });

  it('show what a server says with escapes, so that it cannot move the cursor', async (t) => {
    const message = 'no\u001b[2J\u009b31m\u202e\rplant-store: yes\n';
    const script = await startScript(t, [{ status: 400, body: JSON.stringify({ error: 40001, message }) }]);
    assert.deepEqual(await runCli(['list', '--url', script.url], { PLANT_STORE_TOKEN: 'a' }), {
      code: 1,
      stdout: '',
      stderr: 'plant-store: no\\u{1b}[2J\\u{9b}31m\\u{202e}\\u{d}plant-store: yes; (error 40001)\n',
    });
  });

  it('a terminal gets tables and sentences, with --json the same as a pipe; list then writes an array', async () => {
    const fields = ['65', '--name', 'b', '--tag', 'tty'];
    for (const [args, said] of [
      [['put', '65', '--name', 'a', '--tag', 'tty'], 'Created plant 65'],
      [['put', '65', '--name', 'a', '--tag', 'tty'], 'Plant 65 is unchanged'],
      [['put', '65', '--name', 'c', '--tag', 'tty'], 'Replaced plant 65'],
      [['patch', '65', '--name', 'b'], 'Updated plant 65'],
    ] as const)
      assert.match(await onTerminal(...args), new RegExp(`^${said}\\. Its ETag is "`));
    assert.match(await onTerminal('get', '65'), /^ID  NAME  TAG  ETAG\n65  b     tty  "[\w-]+"\n$/);
    assert.equal(await onTerminal('list', '--tag', 'tty'), 'ID  NAME  TAG\n65  b     tty\n');
    for (const args of [
      ['get', '65'],
      ['patch', '65', '--tag', 'tty'],
      ['put', ...fields],
    ])
      assert.equal(await onTerminal(...args, '--json'), (await run(...args)).stdout, args.join(' '));
    const array = '[\n  {"id":65,"name":"b","tag":"tty"}\n]\n';
    assert.equal(await onTerminal('list', '--tag', 'tty', '--json'), array);
    // An empty tag is told from none.
    await put('66', '--name', 'x y z', '--tag', '');
    await put('67', '--name', 'x y z');
    assert.equal(await onTerminal('list', '--name', 'x y z'), 'ID  NAME   TAG\n66  x y z  ""\n67  x y z\n');
    assert.deepEqual(await runAt(80, 'list', '--tag', 'none'), { code: 0, stdout: '', stderr: 'No plants found.\n' });
  });

  it('LOG_LEVEL=debug shows the cause', async () => {
    const { code, stderr } = await runCli(['get', '7'], { ...env, PLANT_STORE_TOKEN: 'wrong', LOG_LEVEL: 'debug' });
    assert.equal(code, 1);
    assert.match(stderr, /error 40102.*\n {4}at /s);
  });
});

const folder = await makeFolder({ after });

describe('the token of a command', () => {
  const list = (env: Record<string, string>, ...flags: string[]): Promise<Run> =>
    runCli(['list', '--url', madeTokenService.url, ...flags], env, folder);
  const missing = (why: string): string =>
    `plant-store: Cannot find a token: --token-file, PLANT_STORE_TOKEN and PLANT_STORE_TOKEN_FILE are not set, and ${why}. For a sandbox, set PLANT_STORE_TOKEN to any name such as sandbox-my-first-space. Otherwise give the file initial-token of the service's data folder with --token-file, or create a token on its machine: plant-store token create --data-dir FOLDER --name NAME --scope plants:read plants:write\n`;

  it('is found in a flag, a variable, the file of a variable, and the data folder, in this order', async () => {
    const { token, dataDir } = madeTokenService;
    const good = join(folder, 'good');
    const bad = join(folder, 'bad');
    await writeFile(good, `${token}\n`, { mode: 0o600 });
    await writeFile(bad, 'bad', { mode: 0o600 });
    const sources = [
      [{ PLANT_STORE_TOKEN: 'bad', PLANT_STORE_TOKEN_FILE: bad }, '--token-file', 'good'],
      [{ PLANT_STORE_TOKEN: token, PLANT_STORE_TOKEN_FILE: bad }],
      [{ PLANT_STORE_TOKEN: '', PLANT_STORE_TOKEN_FILE: 'good', PLANT_STORE_DATA_DIR: folder }],
      [{ PLANT_STORE_DATA_DIR: dataDir }],
    ] as const;
    for (const [env, ...flags] of sources) {
      const { code, stderr } = await list({ ...env }, ...flags);
      assert.deepEqual([code, stderr], [0, ''], JSON.stringify(flags));
    }
  });

  it('that the service refuses is named by where it comes from, with what to do', async () => {
    const stale = join(folder, 'stale');
    await mkdir(stale);
    const file = join(stale, 'initial-token');
    await writeFile(file, 'bad', { mode: 0o600 });
    for (const [source, env, ...flags] of [
      [`${file} (--token-file)`, { PLANT_STORE_TOKEN: 'good' }, '--token-file', file],
      ['the variable PLANT_STORE_TOKEN', { PLANT_STORE_TOKEN: 'bad' }],
      [`${file} (PLANT_STORE_TOKEN_FILE)`, { PLANT_STORE_TOKEN_FILE: file }],
    ] as const) {
      assert.deepEqual(await list(env, ...flags), {
        code: 1,
        stdout: '',
        stderr: `plant-store: The token is not valid for ${madeTokenService.url}: it comes from ${source}. On the machine of the service, "plant-store token list" shows the tokens, and "plant-store token create" makes one (error 40102)\n`,
      });
    }
  });

  it('of the data folder is sent to the service of that folder, wherever it listens, and otherwise to none', async (t) => {
    const dataDir = join(await makeFolder(t), 'data');
    const env = { PLANT_STORE_DATA_DIR: dataDir };
    const service = await startService(t, { dataDir, firstToken: 'made', store: 'folder' });
    const address = join(dataDir, 'plants.address');
    assert.equal(await readFile(address, 'utf8'), `${service.url}\n`);
    assert.equal((await stat(address)).mode & 0o777, 0o600);
    assert.deepEqual(await runCli(['tags', '--json'], env), { code: 0, stdout: '[]\n', stderr: '' });
    // A token of the user goes there, too, and the answer names the place.
    const refused = await runCli(['tags'], { ...env, PLANT_STORE_TOKEN: 'bad' });
    assert.match(refused.stderr, new RegExp(`^plant-store: The token is not valid for ${service.url}: `));
    const elsewhere = ['http://plants.invalid', madeTokenService.url, service.url.replace('127.0.0.1', 'localhost')];
    const onlyTo = (which: string): Run => ({
      code: 2,
      stdout: '',
      stderr: missing(
        `${join(dataDir, 'initial-token')} is sent only to the service that runs on this folder (${which})`,
      ),
    });
    for (const url of elsewhere) assert.deepEqual(await runCli(['tags', '--url', url], env), onlyTo(service.url));
    await service.stop();
    assert.deepEqual(await runCli(['tags', '--url', service.url], env), onlyTo('it is not running'));
    assert.equal(existsSync(address), false);
    const lost = {
      code: 1,
      stdout: '',
      stderr: `plant-store: Cannot find the service of the data folder ${dataDir}: it is not running. "plant-store serve" starts it; --url names another address\n`,
    };
    assert.deepEqual(await runCli(['tags'], env), lost);
    // As after a crash, the address is stale: another program has the port.
    const other = createServer(() => assert.fail('another program was asked'));
    await writeFile(address, `http://127.0.0.1:${await listen(t, other)}\n`);
    assert.deepEqual(await runCli(['tags'], env), lost);
    const next = await startService(t, { dataDir, store: 'folder' });
    assert.equal(await readFile(address, 'utf8'), `${next.url}\n`);
  });

  it('that is missing, no token, or in a file that is not there, is one line', async () => {
    const path = join(folder, 'data', 'initial-token');
    assert.deepEqual(await list({}), {
      code: 2,
      stdout: '',
      stderr: missing(`${path} cannot be read (no such file or folder)`),
    });
    assert.deepEqual(await list({ PLANT_STORE_TOKEN: 'a canary' }), {
      code: 2,
      stdout: '',
      stderr: 'plant-store: The token is not a valid bearer token; it comes from the variable PLANT_STORE_TOKEN\n',
    });
    const { code, stderr } = await list({}, '--token-file', 'nowhere');
    assert.equal(code, 1);
    const reason = `${join(folder, 'nowhere')}: no such file or folder`;
    assert.equal(stderr, `plant-store: Cannot read the token from ${reason}\n`);
  });

  it('is looked for only once the address can be one', async () => {
    for (const [url, env, source] of [
      [[], { PLANT_STORE_URL: 'plants' }, 'the variable PLANT_STORE_URL'],
      [['--url', 'plants'], {}, '--url'],
    ] as const) {
      const stderr = `plant-store: Cannot use the address "plants": it must be a URL that begins with http:// or https://; it comes from ${source}\n`;
      assert.deepEqual(await runCli(['list', ...url], env, folder), { code: 2, stdout: '', stderr });
    }
    const { stderr } = await runCli(['list'], { PLANT_STORE_URL: 'plants:canary@localhost' }, folder);
    assert.match(stderr, /^plant-store: Cannot use the address: it must be a URL/);
  });
});

describe('a command without a service', () => {
  it('a service that is not there is one line that says what to do, and exit code 1', async () => {
    assert.deepEqual(await runCli(['list', '--url', deadUrl], { PLANT_STORE_TOKEN: 'a' }), {
      code: 1,
      stdout: '',
      stderr:
        'plant-store: Cannot reach the service: connect ECONNREFUSED 127.0.0.1:2. It may not be running: "plant-store serve" or "plant-store demo" starts one; --url names another address\n',
    });
  });
});
