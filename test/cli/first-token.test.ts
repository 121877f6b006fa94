/** The file of the first token: written before its hash is stored, on disk by then, and never through a symbolic link. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hashToken } from '../../src/auth/token.ts';
import { ensureFirstToken } from '../../src/cli/serve/first-token.ts';
import type { TokenRecord } from '../../src/domain/principal.ts';
import type { TokenStore } from '../../src/domain/store.ts';
import { makeFolder } from '../support/clean-up.ts';

const now = Date.UTC(2026, 0, 1);

/** An empty store that decides what `insertFirst` resolves to. */
function emptyTokens(insertFirst: (record: TokenRecord) => Promise<boolean>): TokenStore {
  const unused = (): never => assert.fail('not expected');
  return { list: async () => [], insertFirst, insert: unused, findByHash: unused, revoke: unused, touch: unused };
}

const taking = emptyTokens(async () => true);
const refusing = emptyTokens(async () => false);

const configOf = (dataDir: string) => ({
  dataDir,
  host: '127.0.0.1',
  initialToken: undefined,
  initialTokenFile: undefined,
  oidcIssuer: undefined,
  program: 'npm run -s plant-store --',
});

describe('ensureFirstToken()', () => {
  it('flushes the file and its folder to disk before the hash is stored', async (t) => {
    const folder = await makeFolder(t);
    const path = join(folder, 'initial-token');
    const steps: string[] = [];
    const { fsync } = fs;
    t.mock.method(fs, 'fsync', (fd: number, done: fs.NoParamCallback) => {
      steps.push(fs.readlinkSync(`/proc/self/fd/${fd}`) === folder ? 'sync folder' : 'sync file');
      fsync(fd, done);
    });
    const tokens = emptyTokens(async (record) => {
      steps.push('store hash');
      assert.equal(record.hash, hashToken((await readFile(path, 'utf8')).trim()));
      return true;
    });
    assert.deepEqual(await ensureFirstToken(tokens, configOf(folder), now), { path });
    assert.deepEqual(steps, ['sync file', 'sync folder', 'store hash']);
  });

  it('removes its file when another start stored the first token, and names none', async (t) => {
    const folder = await makeFolder(t);
    assert.equal(await ensureFirstToken(refusing, configOf(folder), now), undefined);
    assert.deepEqual(await readdir(folder), []);
  });

  it('warns when no token that is stored can be used, unless an OpenID provider makes others', async (t) => {
    const config = configOf(await makeFolder(t));
    const record: TokenRecord = { id: 'a', name: 'a', hash: '', scopes: [], createdAt: 0 };
    const warn = async (more: Partial<TokenRecord>[], oidcIssuer?: string) => {
      const tokens = { ...refusing, list: async () => more.map((each) => ({ ...record, ...each })) };
      return (await ensureFirstToken(tokens, { ...config, oidcIssuer }, now))?.warning;
    };
    const lost = [{ revokedAt: 1 }, { expiresAt: now }];
    assert.match(
      (await warn(lost)) ?? '',
      /^Every token of the store is revoked or expired.*: create one with "npm run -s plant-store -- token create"$/,
    );
    assert.equal(await warn([...lost, { expiresAt: now + 1 }]), undefined);
    assert.equal(await warn(lost, 'https://login.example'), undefined);
  });

  it('leaves the file of the start that won', async (t) => {
    const folder = await makeFolder(t);
    const path = join(folder, 'initial-token');
    const tokens = emptyTokens(async () => {
      await rm(path);
      await writeFile(path, 'token-of-the-other-start\n');
      return false;
    });
    assert.equal(await ensureFirstToken(tokens, configOf(folder), now), undefined);
    assert.equal(await readFile(path, 'utf8'), 'token-of-the-other-start\n');
  });

  it('does not claim a given token that another start got ahead of', async (t) => {
    const config = { ...configOf(await makeFolder(t)), initialToken: 'short' };
    assert.equal(await ensureFirstToken(refusing, config, now), undefined);
    assert.match((await ensureFirstToken(taking, config, now))?.warning ?? '', /shorter/);
  });

  it('refuses a token from a file that another machine can guess', async (t) => {
    const initialTokenFile = join(await makeFolder(t), 'token');
    await writeFile(initialTokenFile, 'short\n');
    const config = { ...configOf(''), host: '0.0.0.0', initialTokenFile };
    const tokens = emptyTokens(async () => assert.fail('it is stored'));
    await assert.rejects(
      ensureFirstToken(tokens, config, now),
      /^Error: Cannot use the initial token: .* can be guessed/,
    );
  });

  for (const name of ['initial-token', 'initial-token.part']) {
    it(`does not write through a symbolic link ${name}`, async (t) => {
      const folder = await makeFolder(t);
      const [target, path] = [join(await makeFolder(t), 'precious'), join(folder, 'initial-token')];
      await writeFile(target, 'precious\n');
      await chmod(target, 0o644);
      await symlink(target, join(folder, name));
      assert.deepEqual(await ensureFirstToken(taking, configOf(folder), now), { path });
      assert.equal(await readFile(target, 'utf8'), 'precious\n');
      assert.equal((await stat(target)).mode & 0o777, 0o644);
      assert.match(await readFile(path, 'utf8'), /^plst_/);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.deepEqual(await readdir(folder), ['initial-token']);
    });
  }

  it('replaces the file of a start that was killed', async (t) => {
    const folder = await makeFolder(t);
    for (const name of ['initial-token', 'initial-token.part'])
      await writeFile(join(folder, name), 'old\n', { mode: 0o644 });
    await ensureFirstToken(taking, configOf(folder), now);
    assert.deepEqual(await readdir(folder), ['initial-token']);
    assert.equal((await stat(join(folder, 'initial-token'))).mode & 0o777, 0o600);
  });
});
