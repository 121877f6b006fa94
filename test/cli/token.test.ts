/** The token commands on a real data folder, beside an open store as a running service holds it. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { hashToken } from '../../src/auth/token.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type Cleanup, cleanUp, makeFolder } from '../support/clean-up.ts';
import { runCli } from './run-cli.ts';

const tokenPattern = /^plst_[0-9A-Za-z]{49}\n$/;
const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
}

async function open(scope: Cleanup) {
  const folder = await makeFolder(scope);
  const dataDir = join(folder, 'data');
  const env = { PLANT_STORE_DATA_DIR: dataDir };
  const store = await openStore({ folder: dataDir }, { limits: { writesMax: 100, bytesMax: 1_000_000 } });
  cleanUp(scope, () => store.close());
  return { folder, env, store, token: (...args: string[]) => runCli(['token', ...args], env) };
}

const { folder, env, store, token } = await open({ after });
const listed = async (): Promise<Shown[]> => JSON.parse((await token('list', '--json')).stdout) as Shown[];

describe('plant-store token', () => {
  it('list of an empty store says so on stderr, and is an empty array as JSON', async (t) => {
    const { token } = await open(t);
    assert.deepEqual(await token('list'), { code: 0, stdout: '', stderr: 'No tokens found.\n' });
    assert.deepEqual(await token('list', '--json'), { code: 0, stdout: '[]\n', stderr: '' });
  });

  it('create prints the token alone on stdout, and stores its hash and scopes', async () => {
    const flags = ['--name', 'ci', '--scope', 'plants:write', 'plants:read', '--scope', 'plants:read'];
    const { code, stdout, stderr } = await token('create', ...flags);
    assert.equal(code, 0, stderr);
    assert.match(stdout, tokenPattern);
    const record = await store.tokens.findByHash(hashToken(stdout.trim()));
    assert.equal(record?.name, 'ci');
    assert.deepEqual(record.scopes, ['plants:read', 'plants:write']);
    assert.equal(record.expiresAt, undefined);
    assert.ok(
      stderr.startsWith(`Created token ${record.id} with plants:read, plants:write. It never expires. `),
      stderr,
    );
    assert.ok(!stderr.includes(stdout.trim()));
  });

  it('create and revoke --json write one object', async () => {
    const created = await token('create', '--name', 'script', '--scope', 'plants:read', '--expires', '1h', '--json');
    assert.deepEqual([created.code, created.stderr], [0, '']);
    const shown = JSON.parse(created.stdout) as Shown & { readonly token: string };
    assert.match(`${shown.token}\n`, tokenPattern);
    assert.deepEqual(Object.keys(shown), ['token', 'id', 'name', 'scopes', 'createdAt', 'expiresAt']);
    assert.equal((await store.tokens.findByHash(hashToken(shown.token)))?.id, shown.id);
    assert.deepEqual(await token('revoke', shown.id, '--json'), {
      code: 0,
      stdout: `{"id":"${shown.id}","revoked":true}\n`,
      stderr: '',
    });
  });

  it('create --expires counts from now', async () => {
    const begun = Date.now();
    const flags = ['--name', 'short', '--scope', 'webhooks:manage', '--expires', '90d'];
    const { stdout, stderr } = await token('create', ...flags);
    const record = await store.tokens.findByHash(hashToken(stdout.trim()));
    const { createdAt = 0, expiresAt = 0 } = record ?? {};
    assert.equal(expiresAt - createdAt, 90 * 86_400_000);
    assert.ok(createdAt >= begun && createdAt <= Date.now());
    assert.match(stderr, new RegExp(`It expires at ${time}\\.`));
  });

  it('takes --data-dir relative to the working directory, before the variable', async () => {
    const elsewhere = { PLANT_STORE_DATA_DIR: join(folder, 'elsewhere') };
    const { code, stderr } = await runCli(['token', 'list', '--data-dir', 'data'], elsewhere, folder);
    assert.equal(code, 0, stderr);
  });

  it('list shows an aligned table with states, and neither tokens nor hashes', async (t) => {
    const { token } = await open(t);
    const create = (name: string, ...flags: string[]) => token('create', '--name', name, '--scope', ...flags);
    await create('ci', 'plants:read', 'plants:write');
    await create('short', 'webhooks:manage', '--expires', '90d');
    const { id } = JSON.parse((await create('script', 'plants:read', '--json')).stdout) as Shown;
    await token('revoke', id);
    const created = await create('gone', 'webhooks:manage', '--expires', '1ms');
    const { stdout, stderr } = await token('list');
    assert.equal(stderr, '');
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    assert.match(head, /^ID +NAME +STATE +SCOPES +CREATED BY +CREATED +EXPIRES +LAST USED$/);
    assert.equal(rows.length, 4);
    for (const row of rows)
      assert.match(
        row,
        new RegExp(`^[0-9A-Za-z]{12}  \\S+ +(active|expired|revoked) +.+ +- +${time} +(${time}|never) +never$`),
      );
    assert.match(rows[3] ?? '', / gone +expired +webhooks:manage /);
    for (const row of rows) assert.equal(/active|expired|revoked/.exec(row)?.index, head.indexOf('STATE'));
    assert.doesNotMatch(stdout, /plst_|[0-9a-f]{64}/);
    assert.ok(!stdout.includes(hashToken(created.stdout.trim())));
  });

  it('list shows every scope on a narrow terminal, on a line of its own', async () => {
    const made = Date.parse('2026-01-31T12:00:30Z');
    const scopes = ['plants:read', 'plants:write', 'webhooks:manage'] as const;
    const record = { scopes, createdAt: made, createdBy: 'token0000001' };
    await store.tokens.insert({ ...record, id: 'wide00000001', name: 'n'.repeat(100), hash: 'b'.repeat(64) });
    const { stdout } = await runCli(['token', 'list'], env, undefined, { columns: 80 });
    for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
    assert.match(stdout, /^ID +NAME +STATE +CREATED +EXPIRES +LAST USED\n {2}SCOPES {2}CREATED BY\n/);
    assert.match(
      stdout,
      /\nwide00000001 {2}n+… +active +2026-01-31 +never +never\n {2}plants:read plants:write webhooks:manage {2}token0000001\n/,
    );
    const wide = await runCli(['token', 'list'], env, undefined, { columns: 300 });
    assert.equal(wide.stdout, (await token('list')).stdout);
    await store.tokens.revoke('wide00000001', made);
  });

  it('list shows the last use to the minute, and as JSON never before the token was made', async () => {
    const made = Date.parse('2026-01-31T12:00:30Z');
    await store.tokens.insert({
      id: 'used00000001',
      name: 'used',
      hash: 'a'.repeat(64),
      scopes: ['webhooks:manage'],
      createdAt: made,
      lastUsedAt: made - 30_000,
      revokedAt: made + 60_000,
    });
    assert.match((await token('list')).stdout, / 2026-01-31T12:00:30Z +never +2026-01-31T12:00Z\n/);
    const shown = (await listed()).find(({ id }) => id === 'used00000001');
    assert.equal(shown?.lastUsedAt, '2026-01-31T12:00:30Z');
  });

  it('revoke marks the token at once for the open store, and again is no fault', async () => {
    const { stdout } = await token('create', '--name', 'leaked', '--scope', 'webhooks:manage');
    const hash = hashToken(stdout.trim());
    const id = (await store.tokens.findByHash(hash))?.id ?? '';
    assert.deepEqual(await token('revoke', id), { code: 0, stdout: `Revoked token ${id}\n`, stderr: '' });
    const revokedAt = (await store.tokens.findByHash(hash))?.revokedAt;
    assert.ok(revokedAt !== undefined);
    assert.equal((await token('revoke', id)).code, 0);
    const shown = (await listed()).find((record) => record.id === id);
    assert.equal(shown?.state, 'revoked');
    assert.equal(Date.parse(shown.revokedAt ?? ''), Math.floor(revokedAt / 1000) * 1000);
    assert.deepEqual(Object.keys(shown), ['id', 'name', 'state', 'scopes', 'createdAt', 'revokedAt']);
  });

  it('fails with one line, and with a stack under LOG_LEVEL=debug only', async () => {
    assert.deepEqual(await token('revoke', 'zzzzzzzzzzzz'), {
      code: 1,
      stdout: '',
      stderr:
        'plant-store: Cannot revoke token: no token has the id zzzzzzzzzzzz; "plant-store token list" shows the ids\n',
    });
    const missing = join(folder, 'missing');
    for (const line of ['list', 'create --name a --scope webhooks:manage', 'revoke zzzzzzzzzzzz']) {
      const { code, stdout, stderr } = await runCli(['token', ...line.split(' '), '--data-dir', missing]);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^plant-store: Cannot .*\n$/);
      assert.ok(stderr.includes(missing), stderr);
    }
    const { stderr } = await runCli(['token', 'list', '--data-dir', missing], { LOG_LEVEL: 'debug' });
    assert.match(stderr, /\n {4}at /);
  });

  it('takes an empty database file for no store', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    await writeFile(join(empty, 'plants.db'), '');
    assert.deepEqual(await runCli(['token', 'list', '--data-dir', empty]), {
      code: 1,
      stdout: '',
      stderr: `plant-store: Cannot open the data folder ${empty}: it contains no store; give another folder with --data-dir, or start the service once to create one\n`,
    });
  });
});
