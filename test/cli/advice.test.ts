/** Messages that give advice: each is provoked, and what it says is done. Advice about disks and databases is followed by deep tests. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfig } from '../../src/config/load-config.ts';
import { makeFolder } from '../support/clean-up.ts';
import { listen } from '../support/listen.ts';
import { startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const root = await makeFolder({ after });
const [dataDir, other, restored] = ['data', 'other', 'restored here'].map((name) => join(root, name)) as [
  string,
  string,
  string,
];
const service = await startService({ after }, { dataDir, store: 'folder', env: { PLANT_STORE_BASE_PATH: '/garden' } });
const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
const withoutToken = { PLANT_STORE_URL: service.url };
const origin = service.url.replace(/\/garden$/, '');
const backup = join(root, 'b.db');
/** Redirects to the service, as a proxy with TLS does. */
const redirecting = createServer(({ url = '' }, response) => {
  response.writeHead(301, { location: `${service.url}${url}` }).end();
});
const redirect = `http://127.0.0.1:${await listen({ after }, redirecting)}`;

/** Requires that it succeeds. */
async function run(args: readonly string[], given: Readonly<Record<string, string>> = env): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, given, root);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout + stderr;
}

for (const id of ['1', '2', '3']) await run(['put', id, '--name', 'Fern']);
for (const name of ['Moss', 'Fern']) await run(['put', '1', '--name', name]);
await run(['backup', backup, '--data-dir', dataDir]);
await startService({ after }, { dataDir: other, store: 'folder' }).then((once) => once.stop());

/** Splits a command that a message shows as a shell does, with the placeholders filled in. */
const toArgs = (command: string): readonly string[] =>
  command
    .replace(/^plant-store /, '')
    .replace('FOLDER', `'${dataDir}'`)
    .replace('NAME', 'advised')
    .match(/'[^']*'|\S+/g)
    ?.map((word) => word.replaceAll("'", '')) ?? [];

interface Case {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly message: RegExp;
  /** Arguments that the message advises, or all that it says to do. */
  readonly follow: (match: readonly string[]) => readonly string[] | Promise<unknown>;
}

const list = ['list', '--json'];
const cases: Readonly<Record<string, Case>> = {
  'a token is missing': {
    args: list,
    env: withoutToken,
    message: /create a token on its machine: (plant-store token create .*)$/m,
    follow: async ([, command = '']) => {
      const [token = ''] = (await runCli(toArgs(command))).stdout.split('\n');
      await run(list, { ...withoutToken, PLANT_STORE_TOKEN: token });
    },
  },
  'a token is not valid': {
    args: list,
    env: { ...withoutToken, PLANT_STORE_TOKEN: 'wrong-token-0123456789' },
    message: /"plant-store (token list)" shows the tokens/,
    follow: ([, command = '']) => [...command.split(' '), '--data-dir', dataDir],
  },
  'the base path is missing': {
    args: [...list, '--url', origin],
    message: /does the address of --url include the base path\?/,
    follow: () => [...list, '--url', service.url],
  },
  'nothing listens': {
    args: [...list, '--url', 'http://127.0.0.1:2'],
    message: /; --url names another address$/m,
    follow: () => [...list, '--url', service.url],
  },
  'the address leads elsewhere': {
    args: [...list, '--url', redirect],
    message: /it is a redirect; use (http:\S+)$/m,
    follow: ([, address = '']) => [...list, '--url', address],
  },
  'a port is one that HTTP clients refuse': {
    args: [...list, '--url', 'http://127.0.0.1:6000'],
    message: /refuse this port: use another one$/m,
    follow: () => [...list, '--url', service.url],
  },
  'the address has a query': {
    args: [...list, '--url', `${service.url}?a=1`],
    message: /it must have no user, no query and no fragment; it comes from (--url)$/m,
    follow: ([, flag = '']) => [...list, flag, service.url],
  },
  'a plant is changed in nothing': {
    args: ['patch', '1'],
    message: /give at least one of --name, --tag and (--no-tag)$/m,
    follow: ([, flag = '']) => ['patch', '1', flag],
  },
  'an entity tag has no quotes': {
    args: ['put', '9', '--name', 'Ivy', '--if-match', 'abc'],
    message: /must be (\*) or an ETag/,
    follow: async ([, any = '']) => {
      await run(['put', '9', '--name', 'Ivy']);
      await run(['put', '9', '--name', 'Ivy 2', '--if-match', any]);
    },
  },
  'the format of a file is not known': {
    args: ['export', join(root, 'plants.txt')],
    message: /give (--format) (ndjson) or csv$/m,
    follow: ([, flag = '', format = '']) => ['export', join(root, 'plants.txt'), flag, format],
  },
  'a byte order mark is for CSV': {
    args: ['export', join(root, 'marked.ndjson'), '--byte-order-mark'],
    message: /it is for (CSV) only$/m,
    follow: ([, format = '']) => [
      'export',
      join(root, 'marked.csv'),
      '--format',
      format.toLowerCase(),
      '--byte-order-mark',
    ],
  },
  'the service has no TLS': {
    args: [...list, '--url', service.url.replace('http:', 'https:')],
    message: /use (http:\/\/) if that is intended/,
    follow: () => [...list, '--url', service.url],
  },
  'there are more plants': {
    args: ['list', '--limit', '2'],
    message: /raise (--limit), or use "plant-store (export)"/,
    follow: async ([, limit = '', command = '']) => {
      assert.doesNotMatch(await run(['list', limit, '9']), /There are more/);
      await run([command]);
    },
  },
  'there are more changes': {
    args: ['history', '1', '--limit', '1'],
    message: /raise (--limit)/,
    follow: async ([, limit = '']) => assert.doesNotMatch(await run(['history', '1', limit, '9']), /There are more/),
  },
  'a plant has changed': {
    args: ['put', '1', '--name', 'Ivy', '--if-match', '"AAAAAAAAAAAAAAAAAAAAAA"'],
    message: /read it again with "plant-store (get 1)"/,
    follow: async ([, command = '']) => {
      const { etag } = JSON.parse(await run([...command.split(' '), '--json'])) as { etag: string };
      await run(['put', '1', '--name', 'Ivy', '--if-match', etag]);
    },
  },
  'an option is misspelt': {
    args: ['list', '--jsn'],
    message: /did you mean (--\w+)\?/,
    follow: ([, flag = '']) => ['list', flag],
  },
  'a position has another form': {
    args: ['watch', '--after', 'yesterday'],
    message: /must be now, (oldest) or a position/,
    follow: async ([, position = '']) => {
      const { code, stdout } = await runCli(['watch', '--json', '--after', position], env, root, { stopAt: '"id":3' });
      assert.ok(stdout.includes('"id":3') && code !== 2, `${code}`);
    },
  },
  'a scope is missing': {
    args: ['token', 'create', '--name', 'a', '--data-dir', dataDir],
    message: /--scope is missing: give one or more of ([\w:]+),/,
    follow: ([, scope = '']) => ['token', 'create', '--name', 'a', '--scope', scope, '--data-dir', dataDir],
  },
  'a duration has another form': {
    args: ['token', 'create', '--name', 'a', '--scope', 'plants:read', '--expires', '1y', '--data-dir', dataDir],
    message: /such as (\w+) or/,
    follow: ([, duration = '']) =>
      toArgs(`token create --name a --scope plants:read --expires ${duration} --data-dir FOLDER`),
  },
  'a token has another id': {
    args: ['token', 'revoke', 'zzzzzzzzzzzz', '--data-dir', dataDir],
    message: /"plant-store (token list)" shows the ids/,
    follow: async ([, command = '']) => {
      await run(toArgs('token create --name revoked --scope plants:read --data-dir FOLDER'));
      const lines = (await run([...command.split(' '), '--data-dir', dataDir])).split('\n');
      const id = lines.find((line) => line.includes('revoked'))?.split(' ')[0] ?? assert.fail('no such token');
      await run(['token', 'revoke', id, '--data-dir', dataDir]);
    },
  },
  'a folder has no store': {
    args: ['token', 'list', '--data-dir', join(root, 'new')],
    message: /give another folder with (--data-dir), or start the service once to create one$/m,
    follow: async ([, flag = '']) => {
      await run(['token', 'list', flag, dataDir]);
      await startService({ after }, { dataDir: join(root, 'new'), store: 'folder' }).then((once) => once.stop());
      await run(['token', 'list', flag, join(root, 'new')]);
    },
  },
  'a copy has no source': {
    args: ['copy', '--from', join(root, 'none'), '--to', join(root, 'copied')],
    message: /give another folder with (--from)$/m,
    follow: ([, flag = '']) => ['copy', flag, other, '--to', join(root, 'copied')],
  },
  'backups are kept in a file': {
    args: ['backup', join(root, 'kept.db'), '--keep', '2', '--data-dir', dataDir],
    message: /give an existing (folder) in place of the file$/m,
    follow: () => {
      mkdirSync(join(root, 'kept'));
      return ['backup', join(root, 'kept'), '--keep', '2', '--data-dir', dataDir];
    },
  },
  'a backup is named as something else': {
    args: ['backup', '/dev/null', '--data-dir', dataDir],
    message: /choose another name$/m,
    follow: () => ['backup', join(root, 'e.db'), '--data-dir', dataDir],
  },
  'a restore is of a folder': {
    args: ['restore', root, '--data-dir', join(root, 'of-folder')],
    message: /it is a folder; name the file of a backup$/m,
    follow: () => ['restore', backup, '--data-dir', join(root, 'of-folder')],
  },
  'a migration has no database': {
    args: ['migrate', '--data-dir', other],
    message: /A data folder is brought up to date by "plant-store (serve)"$/m,
    follow: async ([, command = '']) => {
      assert.equal(command, 'serve');
      await startService({ after }, { dataDir: other, store: 'folder' }).then((once) => once.stop());
    },
  },
  'a store is in use': {
    args: ['restore', backup, '--data-dir', dataDir, '--force'],
    message: /it is in use by another plant-store process; stop it first$/m,
    follow: async () => {
      const used = join(root, 'used');
      const running = await startService({ after }, { dataDir: used, store: 'folder' });
      const { stderr } = await runCli(['restore', backup, '--data-dir', used, '--force'], {}, root);
      assert.match(stderr, /stop it first/);
      await running.stop();
      await run(['restore', backup, '--data-dir', used, '--force']);
    },
  },
  'a backup is named as a file of the store': {
    args: ['backup', join(dataDir, 'plants.db'), '--data-dir', dataDir],
    message: /choose another name$/m,
    follow: () => ['backup', join(root, 'd.db'), '--data-dir', dataDir],
  },
  'an export is named as a database': {
    args: ['export', join(dataDir, 'plants.db'), '--format', 'csv'],
    message: /choose another name$/m,
    follow: () => ['export', join(root, 'plants.csv')],
  },
  'a folder has a store already': {
    args: ['restore', backup, '--data-dir', other],
    message: /; (--force) replaces it and keeps a copy/,
    follow: ([, flag = '']) => ['restore', backup, '--data-dir', other, flag],
  },
};

describe('advice of a command', () => {
  for (const [about, { args, message, follow, env: given = env }] of Object.entries(cases))
    it(`helps if ${about}`, async () => {
      const { stderr } = await runCli(args, given, root);
      const followed = follow(message.exec(stderr) ?? assert.fail(stderr));
      if (followed instanceof Promise) await followed;
      else await run(followed);
    });

  it('helps after a restore: the token that it names works', async () => {
    mkdirSync(restored, { mode: 0o700 });
    const said = await run(['restore', backup, '--data-dir', restored], { npm_package_name: 'plant-store' });
    const [, command = ''] =
      /create one with: npm run -s plant-store -- (token create .*)$/m.exec(said) ?? assert.fail(said);
    const [token = ''] = (await runCli(toArgs(command))).stdout.split('\n');
    const { url } = await startService({ after }, { dataDir: restored, store: 'folder' });
    await run(list, { PLANT_STORE_URL: url, PLANT_STORE_TOKEN: token });
  });

  it('helps if the old initial-token cannot be put aside: it is removed', async () => {
    const folder = join(root, 'with-token');
    mkdirSync(join(folder, 'initial-token', 'in'), { recursive: true, mode: 0o700 });
    const said = await run(['restore', backup, '--data-dir', folder]);
    assert.match(said, /initial-token could not be checked: .* remove it$/m);
    rmSync(join(folder, 'initial-token'), { recursive: true });
    assert.doesNotMatch(await run(['restore', backup, '--data-dir', folder, '--force']), /could not be checked/);
  });
});

describe('advice about the configuration', () => {
  for (const [given, message, better] of [
    [{ '--prot': '4000' }, /did you mean (--port)\?/, { '--port': '4000' }],
    [
      { '--database-password-file': '/run/secret' },
      /name one with --database-url/,
      { '--database-url': 'postgres://plants@db.example/plants', '--database-password-file': '/run/secret' },
    ],
    [
      { '--initial-token': 'short', '--host': '0.0.0.0' },
      /use a longer one, or listen on 127\.0\.0\.1/,
      { '--initial-token': 'short', '--host': '127.0.0.1' },
    ],
    [
      { '--initial-token': 'short', '--host': '0.0.0.0' },
      /use a longer one/,
      { '--initial-token': 'x'.repeat(20), '--host': '0.0.0.0' },
    ],
  ] as const)
    it(`helps: ${message.source}`, () => {
      assert.throws(() => loadConfig(given, {}), message);
      loadConfig(better, {});
    });
});
