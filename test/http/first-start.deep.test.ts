/** Effects and output of a start: the first token, file modes, warnings, refusal of a second server. test/config tests the flags. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { runProcess } from '../cli/run-cli.ts';
import { assertError } from '../support/assert-reply.ts';
import { makeFolder } from '../support/clean-up.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { postPlant } from '../support/request.ts';
import { canaryToken } from '../support/service-run.ts';
import { startProcess } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import type { Service, ServiceOptions } from '../support/service-run.ts';

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/** Starts it with a umask that lets everybody read. */
async function startOpen(t: TestContext, options: ServiceOptions): Promise<Service> {
  const before = process.umask(0);
  try {
    return await startService(t, { store: 'folder', ...options });
  } finally {
    process.umask(before);
  }
}

describe('the first start', () => {
  it('creates a token and prints its file, but not the token', async (t) => {
    const service = await startService(t, { firstToken: 'made' });
    assert.match(service.token, /^plst_[0-9A-Za-z]{49}$/);
    await assertServes(service);
    const ready = await service.findLog(({ msg }) => msg === 'Ready');
    assert.equal(ready['firstToken'], join(service.dataDir, 'initial-token'));
    assert.equal(await readFile(join(service.dataDir, 'initial-token'), 'utf8'), `${service.token}\n`);
  });

  it('creates a folder and files that only their owner can access, whatever the umask', async (t) => {
    const service = await startOpen(t, { firstToken: 'made' });
    await assertServes(service);
    assert.equal(await modeOf(service.dataDir), '700');
    const names = await readdir(service.dataDir);
    assert.ok(names.includes('plants.db') && names.includes('plants.db-wal'), names.join());
    for (const name of names) assert.equal(await modeOf(join(service.dataDir, name)), '600', name);
  });

  it('uses the given token, and writes no file for it', async (t) => {
    const service = await startService(t, { store: 'folder' });
    await assertServes(service);
    const ready = await service.findLog(({ msg }) => msg === 'Ready');
    assert.equal(ready['firstToken'], undefined);
    assert.ok(!(await readdir(service.dataDir)).includes('initial-token'));
    assert.ok(!service.logLines.some(({ level }) => level === 'warn'), service.output());
  });

  it('reads the token from a file, without the line end', async (t) => {
    const path = join(await makeFolder(t), 'secret');
    await writeFile(path, `${canaryToken}\n`);
    const env = { PLANT_STORE_INITIAL_TOKEN: undefined, PLANT_STORE_INITIAL_TOKEN_FILE: path };
    await assertServes(await startService(t, { env }));
  });

  it('warns of a guessable token, without showing it', async (t) => {
    const short = 'tiny-Token.of~19/ch';
    const service = await startService(t, { env: { PLANT_STORE_INITIAL_TOKEN: short } });
    service.addSecret(short);
    const warning = await service.findLog(({ level }) => level === 'warn');
    assert.match(warning.msg, /shorter than 20 characters/);
    assert.equal((await postPlant(service, { id: nextId(), name: 'a' }, { token: short })).status, 200);
  });
});

describe('a later start', () => {
  it('keeps plants and tokens, and accepts no other first token', async (t) => {
    const dataDir = join(await makeFolder(t), 'data');
    const first = await startService(t, { dataDir, firstToken: 'made' });
    const plant = { id: nextId(), name: 'kept' };
    await postPlant(first, plant);
    await first.stop();
    const second = await startProcess(t, { dataDir });
    assert.equal((await second.findLog(({ msg }) => msg === 'Ready'))['firstToken'], undefined);
    const again = await postPlant(second, plant, { token: first.token });
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assertError(await postPlant(second, plant, { token: canaryToken }), 'token_invalid');
    second.addSecret(first.token);
  });
});

describe('a start that fails', () => {
  const serve = (dataDir: string, env: Record<string, string> = {}): ReturnType<typeof runProcess> =>
    runProcess(['serve'], { PORT: '0', PLANT_STORE_DATA_DIR: dataDir, PLANT_STORE_INITIAL_TOKEN: canaryToken, ...env });

  it('is refused with one line if the port is in use, releases the folder, and creates none', async (t) => {
    const service = await startService(t, { store: 'folder' });
    const folder = await makeFolder(t);
    const [existing, missing] = [join(folder, 'existing'), join(folder, 'missing')];
    await mkdir(existing);
    for (const dataDir of [existing, missing]) {
      const { code, stdout, stderr } = await serve(dataDir, { PORT: String(service.port) });
      assert.deepEqual([code, stdout], [1, '']);
      const remedy = 'address already in use; choose another with --port or PORT (with npm, write flags after --)';
      assert.equal(stderr, `plant-store: Cannot listen on 127.0.0.1:${service.port}: ${remedy}\n`);
    }
    assert.deepEqual(await readdir(folder), ['existing'], 'no new folder is left');
    for (const dataDir of [existing, missing]) await assertServes(await startService(t, { dataDir }));
  });

  it('is refused with one line if the host is none of this machine', async (t) => {
    const folder = await makeFolder(t);
    // The second one needs a zone.
    for (const host of ['192.0.2.1', 'fe80::1']) {
      const { code, stdout, stderr } = await serve(join(folder, 'missing'), { PLANT_STORE_HOST: host });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        /^plant-store: Cannot listen on [^\n]+; choose another with --host or PLANT_STORE_HOST \(with npm, [^\n]*\n$/,
      );
    }
  });

  it('is refused with one line if the file of the first token cannot be read', async (t) => {
    const folder = await makeFolder(t);
    const env = { PLANT_STORE_INITIAL_TOKEN: '', PLANT_STORE_INITIAL_TOKEN_FILE: folder };
    const { code, stderr } = await serve(join(folder, 'data'), env);
    assert.equal(stderr, `plant-store: Cannot read the initial token from ${folder}: it is a folder\n`);
    assert.equal(code, 1);
  });
});
