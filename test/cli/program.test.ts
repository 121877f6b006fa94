/** The command line as a user meets it: help, version, and one clear line with exit code 2 for what cannot be used. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { commandGroups } from '../../src/cli/commands/command-groups.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { options } from '../../src/config/options.ts';
import type { Option } from '../../src/config/options.ts';
import { makeFolder } from '../support/clean-up.ts';
import { deadUrl, mainPath, runCli, runProcess } from './run-cli.ts';

const packageJson = new URL('../../package.json', import.meta.url);

describe('plant-store', () => {
  it('--version and -V show the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(packageJson, 'utf8')) as { version: string };
    // The long one needs no program.
    for (const run of [runProcess(['--version']), runCli(['-V'])])
      assert.deepEqual(await run, { code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('says in one line that the current folder was removed', async (test) => {
    const folder = join(await makeFolder(test), 'removed');
    const script = 'mkdir "$1" && cd "$1" && rmdir "$1" && shift && exec "$@"';
    const command = ['sh', folder, process.execPath, mainPath, 'list'];
    const { status, stderr } = spawnSync('sh', ['-c', script, ...command], { encoding: 'utf8', env: {} });
    assert.equal(stderr, 'plant-store: Cannot run in the current folder: it was removed; change to another one\n');
    assert.equal(status, 1);
  });

  const groups = {
    Service: ['serve', 'demo'],
    Plants: ['list', 'get', 'put', 'patch', 'delete', 'tags', 'import', 'export', 'mcp', 'batch'],
    Access: ['token'],
    Maintenance: ['backup', 'restore', 'check', 'migrate', 'copy'],
    Help: ['help', 'completion'],
  };
  const ofGroups: Readonly<Record<string, readonly string[] | undefined>> = {
    token: ['token create', 'token list', 'token revoke'],
    batch: ['batch set-tag', 'batch clear-tag', 'batch delete', 'batch restore', 'batch undo'],
  };
  const commands = Object.values(groups)
    .flat()
    .flatMap((name) => ofGroups[name] ?? [name]);
  it('--help goes to stdout, with examples, as help does, for each command', async () => {
    for (const command of ['', ...commands]) {
      const words = command.split(' ').filter(Boolean);
      const { code, stdout, stderr } = await runCli([...words, '--help']);
      assert.deepEqual([code, stderr], [0, '']);
      assert.ok(stdout.startsWith(`Usage: ${`plant-store ${command}`.trim()} `), stdout);
      assert.match(stdout, /\nExamples:\n {2}(?:plant-store |source )/);
      assert.deepEqual(await runCli(['help', ...words]), { code: 0, stdout, stderr: '' });
    }
  });

  it('says in a clone how its commands are started: in help, and once beside messages that name one', async (test) => {
    const hint = 'Here, plant-store is: npm run -s plant-store --\n';
    const env = { npm_package_name: 'plant-store', PLANT_STORE_TOKEN: 'a', PLANT_STORE_URL: deadUrl };
    for (const args of [['--help'], ['help', 'token', 'create']])
      assert.ok((await runCli(args, env)).stdout.endsWith(hint));
    const { stderr } = await runCli(['list'], env);
    assert.match(stderr, new RegExp(`^plant-store: .*"plant-store serve".*\n${hint}$`));
    const dataDir = await makeFolder(test);
    writeFileSync(join(dataDir, 'webhook-key'), 'of a store');
    for (const args of [['no-command'], ['serve', '--data-dir', dataDir]])
      assert.equal((await runCli(args, env)).stderr.split(hint).length, 2, args.join(' '));
    assert.ok(!(await runCli(['list'], { ...env, npm_package_name: 'other' })).stderr.includes(hint));
  });

  it('--help lists each command on one line of 80 columns, in groups', async () => {
    const { stdout } = await runCli(['--help'], {}, undefined, { columns: 80 });
    for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
    for (const [group, names] of Object.entries(groups)) {
      const [, section = ''] = new RegExp(`\n${group}:\n((?: .*\n)+)`).exec(stdout) ?? [];
      assert.deepEqual(
        section
          .trimEnd()
          .split('\n')
          .map((line) => /^ {2}(\w+) .* {2,}[A-Z]/.exec(line)?.[1]),
        names,
      );
    }
  });

  it('--help lists the kinds of stores that a command takes', async () => {
    for (const [command, takesFolder, takesDatabase] of [
      ['backup', true, false],
      ['restore', true, false],
      ['migrate', false, true],
      ['check', true, true],
      ['token create', true, true],
    ] as const) {
      const { stdout } = await runCli([...command.split(' '), '--help']);
      assert.equal(stdout.includes('--data-dir'), takesFolder, command);
      for (const flag of ['--database-url', '--database-password-file'])
        assert.equal(stdout.includes(flag), takesDatabase, `${command} ${flag}`);
    }
  });

  it('backup and restore say what to use for a database', async () => {
    for (const command of ['backup', 'restore']) {
      const { code, stderr } = await runCli([command, 'a.db', '--database-url', 'postgres://plants@db.example/plants']);
      assert.equal(code, 1);
      assert.match(stderr, /^plant-store: Cannot .* a PostgreSQL database with this command: use pg_/);
    }
  });

  it('put --help says what becomes of a tag that is not given', async () => {
    const help = (await runCli(['put', '--help'])).stdout.replaceAll(/\s+/g, ' ');
    assert.ok(help.includes('It replaces the whole plant: an optional field that is not given is removed.'), help);
  });

  it('without a command shows help on stderr and fails', async () => {
    const { code, stdout, stderr } = await runCli([]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^Usage: plant-store /);
  });

  it('does not read the configuration for help', async () => {
    assert.equal((await runCli(['serve', '--help'], { PORT: 'bad' })).code, 0);
  });
});

describe('output that is lost', () => {
  const shell = (command: string) =>
    spawnSync('/bin/bash', ['-c', command, process.execPath, mainPath], {
      encoding: 'utf8',
      timeout: 120_000,
      // A locale that the machine lacks makes bash print a warning.
      env: { ...process.env, LC_ALL: 'C' },
    });

  it('is no failure when the reader has gone', () => {
    const { stdout, stderr } = shell('"$0" "$1" serve --help | true; echo "${PIPESTATUS[0]}"');
    assert.deepEqual([stdout, stderr], ['0\n', '']);
  });

  const fullDisk = { skip: existsSync('/dev/full') ? false : 'the machine has no /dev/full' };
  it('is a failure, reported in one line, when the disk is full', fullDisk, () => {
    for (const flags of ['--version', 'serve --help', 'completion bash']) {
      const { status, stderr } = shell(`"$0" "$1" ${flags} > /dev/full`);
      assert.match(stderr, /^plant-store: Cannot write output: ENOSPC.*\n$/);
      assert.equal(status, 1);
    }
    assert.equal(shell('"$0" "$1" serve --prot 2> /dev/full').status, 2);
  });
});

describe('plant-store serve', () => {
  it('--help shows every option with its variable and its default', async () => {
    const stdout = (await runCli(['serve', '--help'])).stdout.replaceAll(/\s+/g, ' ');
    for (const option of Object.values<Option>(options)) {
      assert.ok(stdout.includes(` ${option.flag} ${option.type === 'flag' ? '' : '<'}`), option.flag);
      assert.ok(stdout.includes(`(env: ${option.env}`), option.env);
      if (option.default !== undefined && option.default !== '') {
        assert.ok(stdout.includes(`(env: ${option.env}, default: ${option.default}`), option.flag);
      }
    }
  });

  it('reports every error in flags, words and variables at once', async () => {
    const args = ['serve', 'now', '--prot', '80', '--port=x', '--colour=green', '--log-level', 'loud'];
    assert.deepEqual(await runCli(args, { PLANT_STORE_DATADIR: 'a', PLANT_STORE_RATE_LIMIT: 'fast' }), {
      code: 2,
      stdout: '',
      stderr: [
        'plant-store: Cannot use --port "x": must be an integer from 0 to 65535',
        'plant-store: Cannot use PLANT_STORE_RATE_LIMIT "fast": must be off, or a number from 1 to 1000000 and a period of s, m or h, such as 100/s',
        'plant-store: Cannot use --log-level "loud": must be one of trace, debug, info, warn, error, fatal, silent',
        'plant-store: Cannot use --prot: there is no such option; did you mean --port?',
        'plant-store: Cannot use --colour: there is no such option',
        'plant-store: Cannot use PLANT_STORE_DATADIR: there is no such option; did you mean PLANT_STORE_DATA_DIR?',
        'plant-store: Cannot use argument "now": serve takes flags only (with npm, write them after --, as in: npm start -- --port 3001)',
        '',
      ].join('\n'),
    });
  });

  it('never repeats what may be a secret', async () => {
    for (const flags of [
      ['--initial-tokn', 'canary'],
      ['--initial-tokn=canary'],
      ['--initial-token', 'canary with spaces'],
      ['--initial-token=canary with spaces'],
    ]) {
      const { code, stdout, stderr } = await runCli(['serve', ...flags], { PLANT_STORE_INITIAL_TOKN: 'canary' });
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /--initial-tok/);
      assert.doesNotMatch(stderr, /canary/);
    }
  });
});

describe('what a command prints', () => {
  it('never controls the terminal, whatever its arguments and options are', async (t) => {
    const folder = await makeFolder(t);
    const evil = 'e\u001b[31mvil\r\u009b\u202e';
    const runs: (readonly string[])[] = [['help', evil], [evil], ['token', evil], ['completion', evil]];
    const collect = (command: Command, words: readonly string[]): void => {
      for (const each of command.commands) collect(each, [...words, each.name()]);
      if (command.commands.length > 0 || words[0] === 'help' || words[0] === 'completion') return;
      const given = command.registeredArguments.map((each) => (each.name() === 'id' ? '7' : 'a.csv'));
      // Nothing may start.
      const start = words[0] === 'serve' ? [...words, '--port', 'x'] : words;
      if (given.length > 0) runs.push([...start, evil], [...start, `${evil}.csv`]);
      for (const { long, required, optional } of command.options)
        runs.push([...start, ...given, ...(required || optional ? [long ?? '', evil] : [`${long}=${evil}`])]);
      runs.push([...start, ...given, `--${evil}`, `--${evil}=x`]);
    };
    collect(buildProgram({ version: '1' } as CommandContext, commandGroups), []);
    assert.ok(runs.length > 150, 'the commands have been found');
    for (const args of runs) {
      for (const level of args[0] === 'serve' ? ['info'] : ['info', 'debug']) {
        const env = { LOG_LEVEL: level, PLANT_STORE_URL: deadUrl, PLANT_STORE_TOKEN: 'a' };
        const { code, stdout, stderr } = await runCli(args, env, folder, { columns: 80 });
        assert.notEqual(code, 0, args.join(' '));
        assert.doesNotMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/, args.join(' '));
      }
    }
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('a command line that cannot be used', () => {
  const revokeHint =
    'Cannot revoke token: ID must be the one that "plant-store token list" shows, not the token itself';
  const ifMatchHint = `must be * or an ETag as "get" shows it, with its double quotes, such as '"u7yW3P1hYdY3pCBSRzZt1w"'`;
  const exclude = '--tag and --no-tag exclude each other';
  const format = 'give --format ndjson or csv';
  /** By command line: what it is told. */
  const samples: Record<string, string> = {
    sereve: 'Cannot use command "sereve": there is no such command; did you mean serve?',
    foo: `Cannot use command "foo": there is no such command; "plant-store help" lists all`,
    'help nope': `Cannot use command "nope": there is no such command; "plant-store help" lists all`,
    'help token nope': `Cannot use command "token nope": there is no such command; "plant-store help token" lists all`,
    'token make': `Cannot use command "make": there is no such command; "plant-store help token" lists all`,
    'webhook nosuch': `Cannot use command "nosuch": there is no such command; "plant-store help webhook" lists all`,
    '--prot': 'Cannot use --prot: there is no such option',
    'serve --port': 'Cannot use --port: its value is missing',
    'serve --migrate=1': 'Cannot use --migrate: it takes no value',
    'serve now':
      'Cannot use argument "now": serve takes flags only (with npm, write them after --, as in: npm start -- --port 3001)',
    'serve --changes-max-age 500ms':
      'Cannot use --changes-max-age "500ms": must be a duration with its unit (ms, s, m, h or d) from 1m to 10000d',
    "import a.csv --on-conflict f'oo": `Cannot use --on-conflict "f'oo": must be one of fail, skip, replace`,
    'import plants.txt': `Cannot tell the format of plants.txt: ${format}`,
    'import -': `Cannot tell the format of standard input: ${format}`,
    'import - - --format csv': 'Cannot import: - can be given once',
    'backup -': 'Cannot back up to standard output: name a file',
    'export plants': `Cannot tell the format of plants: ${format}`,
    'completion foo': 'Cannot use shell "foo": must be one of bash, zsh, fish',
    'copy --to data': 'Cannot run the command: option --from is missing',
    'copy --from data --to postgres://a@b:0/c': 'Invalid database URL: a port must be from 1 to 65535',
    'check --database-url postgres://a@b/c?sslmode=prefer':
      'Invalid database URL: sslmode must be one of disable, require, verify-ca, verify-full; prefer may send all without encryption: use require, or disable on a network that you trust',
    migrate:
      'Cannot migrate without a database: name one with --database-url or DATABASE_URL. A data folder is brought up to date by "plant-store serve"',
    'migrate --restored --dry-run --database-url postgres://a@b/c':
      'Cannot migrate: --restored and --dry-run exclude each other',
    'token list --scope a': 'Cannot use --scope: there is no such option',
    'token list --jsn': 'Cannot use --jsn: there is no such option; did you mean --json?',
    'token list --secret=canary': 'Cannot use --secret: there is no such option, or it takes no value',
    'token list --json=yes': 'Cannot use --json: there is no such option, or it takes no value',
    'token list --data-dir ': 'Cannot use --data-dir "": must be a path that is not empty',
    'token revoke': 'Cannot run the command: argument <id> is missing',
    'token revoke plst_canary': revokeHint,
    'token revoke ': revokeHint,
    'get 7.0': 'Cannot use ID "7.0": it must consist of digits, after a minus if it is negative',
    'delete 07 8 9223372036854775808': [
      'Cannot use ID "07": it must be written without leading zeros',
      'Cannot use ID "9223372036854775808": it must be from -9223372036854775808 to 9223372036854775807',
    ].join('\nplant-store: '),
    'put 7': 'Cannot put plant: --name is missing',
    'put 7 --no-tag --name a --tag=x': `Cannot put plant: ${exclude}`,
    'put 7 --name a --if-match abc': `Cannot use --if-match "abc": ${ifMatchHint}`,
    'put 7 --name a --create-only --if-match *': 'Cannot put plant: --create-only and --if-match exclude each other',
    'patch 7': 'Cannot patch plant: give at least one of --name, --tag and --no-tag',
    'patch 7 --tag x --no-tag': `Cannot patch plant: ${exclude}`,
    'patch 7 --name a --if-match abc': `Cannot use --if-match "abc": ${ifMatchHint}`,
    'list --limit 0': 'Cannot use --limit "0": must be an integer from 1 to 100000',
    'history 7 --limit 100001': 'Cannot use --limit "100001": must be an integer from 1 to 100000',
    'history 7 --limit x': 'Cannot use --limit "x": must be an integer from 1 to 100000',
  };
  for (const [line, problem] of Object.entries(samples)) {
    it(`${line} is one line for each error and exit code 2`, async () => {
      const stderr = `plant-store: ${problem}\n`;
      assert.deepEqual(await runCli(line.split(' '), { PLANT_STORE_TOKEN: 'a' }), { code: 2, stdout: '', stderr });
    });
  }

  it('token create reports every error at once', async () => {
    const scopeFault =
      'Cannot create token: --scope must be one or more of plants:read, plants:write, webhooks:manage, tokens:manage';
    const nameFault = 'Cannot create token: --name must be 1 to 100 characters without control or invisible characters';
    const expiresFault = 'Cannot create token: --expires must be a duration of at most 3650d, such as 12h or 90d';
    const good = { name: 'a', scope: 'webhooks:manage', expires: '1d' };
    for (const [given, faults] of [
      [{ name: '', scope: 'plants', expires: 'soon' }, [nameFault, scopeFault, expiresFault]],
      [{ ...good, name: 'a'.repeat(101) }, [nameFault]],
      [{ ...good, name: 'a\nb' }, [nameFault]],
      [{ ...good, scope: 'webhooks:manage,plants:read' }, [`${scopeFault}; write --scope plants:read plants:write`]],
      [{ ...good, expires: '0d' }, [expiresFault]],
      [{ ...good, expires: '3651d' }, [expiresFault]],
    ] as const) {
      const flags = ['--name', given.name, '--scope', given.scope, '--expires', given.expires];
      assert.deepEqual(await runCli(['token', 'create', ...flags]), {
        code: 2,
        stdout: '',
        stderr: faults.map((fault) => `plant-store: ${fault}\n`).join(''),
      });
    }
    const { stderr } = await runCli(['token', 'create']);
    const scopeMissing =
      '--scope is missing: give one or more of plants:read, plants:write, webhooks:manage, tokens:manage';
    const problems = ['--name is missing', scopeMissing].map((each) => `plant-store: Cannot create token: ${each}\n`);
    assert.equal(stderr, problems.join(''));
  });
});
