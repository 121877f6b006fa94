/** Copies from folder to folder. Copies to and from a database are in postgres/copy.test.ts. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import type { TokenRecord } from '../../src/domain/principal.ts';
import type { StoredPlant } from '../../src/domain/schemas.ts';
import { copyStore } from '../../src/store/copy-store.ts';
import { checkStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { runCli } from '../cli/run-cli.ts';
import { makeFolder } from '../support/clean-up.ts';

const limits = { writesMax: 10_000, bytesMax: 64_000_000 };
const root = await makeFolder({ after });

const token = {
  id: 'abcdefghijkl',
  name: 'shop',
  hash: 'a'.repeat(64),
  scopes: ['plants:read' as const],
  createdAt: 1,
  expiresAt: 2,
  revokedAt: 3,
};
const plants: StoredPlant[] = [
  { id: -(2n ** 63n), name: '', tag: '' },
  { id: 0n, name: 'line\nbreak "quoted" \u2028', tag: '🌱' },
  ...Array.from({ length: 1_200 }, (_, index) => ({ id: BigInt(index + 1), name: `plant ${index}` })),
  { id: 2n ** 63n - 1n, name: 'é', tag: 'x'.repeat(1000) },
];

async function fill(folder: string, rows: readonly StoredPlant[], access: TokenRecord = token): Promise<void> {
  const store = await openStore({ folder }, { limits });
  await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
  await store.tokens.insert(access);
  await store.close();
}

describe('copyStore()', () => {
  it('copies all plants and tokens, and proves it', async () => {
    const [from, to] = [{ folder: join(root, 'a') }, { folder: join(root, 'b') }];
    await fill(from.folder, plants);
    const seen: number[] = [];
    const result = await copyStore(from, to, { onProgress: (count) => seen.push(count) });
    assert.deepEqual([result.plants, result.copied, result.tokens], [plants.length, plants.length, 1]);
    assert.equal(seen.at(-1), plants.length);
    const copy = await openStore(to, { limits });
    assert.deepEqual((await copy.plants.list({ limit: 5_000 })).plants, plants);
    assert.deepEqual(await copy.tokens.list(), [token]);
    await copy.close();
    assert.deepEqual((await checkStore(to)).problems, []);
    const again = await copyStore(from, to);
    assert.deepEqual(again, { ...result, copied: 0 });
  });

  it('says that something else writes to a store when the two differ afterwards', async () => {
    const [from, to] = [{ folder: join(root, 'served') }, { folder: join(root, 'written') }];
    await fill(from.folder, plants);
    const write = (count: number): void => {
      // Once nothing is being committed any more.
      if (count < plants.length) return;
      const db = new DatabaseSync(join(to.folder, 'plants.db'), { timeout: 10_000 });
      db.exec("UPDATE plants SET name = 'written' WHERE id = 0");
      db.close();
    };
    const stop =
      /^Error: The copy differs from the source: stop the services that write to one of them, and copy again/;
    await assert.rejects(copyStore(from, to, { onProgress: write }), stop);
  });

  it('revokes at the destination what was revoked since a copy that was stopped', async () => {
    const [from, to] = [{ folder: join(root, 'f') }, { folder: join(root, 'g') }];
    const { revokedAt: _, ...active } = token;
    await fill(from.folder, []);
    await fill(to.folder, [], active);
    await copyStore(from, to);
    const copy = await openStore(to, { limits });
    const tokens = await copy.tokens.list();
    await copy.close();
    assert.deepEqual(tokens, [token]);
  });

  it('refuses a destination with other plants, and writes nothing to it', async () => {
    const from = { folder: join(root, 'e') };
    await fill(from.folder, plants.slice(0, 10), { ...token, id: 'zyxwvutsrqpo', hash: 'b'.repeat(64) });
    const unknown = 'a plant that the source does not have, with the id';
    for (const [name, id, found] of [
      ['taken', 0n, 'another plant with the id 0'],
      ['before', -7n, `${unknown} -7`],
      ['after', 7_777n, `${unknown} 7777`],
    ] as const) {
      const to = { folder: join(root, name) };
      const there = [{ id, name: 'another' }];
      await fill(to.folder, there);
      await assert.rejects(copyStore(from, to), {
        message: `The destination has ${found}; nothing was copied. Copy to an empty store`,
      });
      const store = await openStore(to, { limits });
      assert.deepEqual((await store.plants.list({ limit: 10 })).plants, there);
      assert.deepEqual(await store.tokens.list(), [token]);
      await store.close();
    }
  });

  it('creates nothing for a source that is not there, and refuses one in use', async () => {
    const [from, to] = [{ folder: join(root, 'nowhere') }, { folder: join(root, 'h') }];
    await assert.rejects(copyStore(from, to), /nowhere: it contains no store/);
    assert.deepEqual([existsSync(from.folder), existsSync(to.folder)], [false, false]);
    const used = { folder: join(root, 'used') };
    await fill(used.folder, plants.slice(0, 1));
    const store = await openStore(used, { limits });
    await assert.rejects(copyStore(used, to), /used/);
    await store.close();
  });
});

describe('plant-store copy', () => {
  it('that is stopped by Ctrl-C exits with 130, says how to continue, and continues then', async () => {
    const [from, to] = [join(root, 'k'), join(root, 'l')];
    const count = 5_000;
    await fill(
      from,
      Array.from({ length: count }, (_, index) => ({ id: BigInt(index), name: 'fern' })),
    );
    let ms = 0;
    const world = { columns: 80, now: () => (ms += 1_000), stopAt: 'rows' };
    const { code, stdout, stderr } = await runCli(['copy', '--from', from, '--to', to], {}, root, world);
    assert.deepEqual([code, stdout], [130, '']);
    const stopped = /plant-store: Stopped after (\d,\d{3}) plants; run the same command to continue\n$/.exec(
      stderr,
    )?.[1];
    const copied = Number(stopped?.replace(',', ''));
    assert.ok(copied >= 1_000 && copied < count, stderr);
    const result = await copyStore({ folder: from }, { folder: to });
    assert.deepEqual([result.plants, result.copied], [count, count - copied]);
  });

  it('copies, says what it did, and refuses equal places', async () => {
    const [from, to] = [join(root, 'i'), join(root, 'j')];
    await fill(from, plants.slice(0, 3));
    await fill(to, [], { ...token, id: 'zyxwvutsrqpo', hash: 'b'.repeat(64) });
    const done = await runCli(['copy', '--from', from, '--to', to]);
    assert.equal(done.code, 0, done.stderr);
    assert.match(
      done.stdout,
      /^Copied 3 plants; both stores have 3 plants and the 1 token of the source \(SHA-256 [0-9a-f]{16}\)\n$/,
    );
    const again = await runCli(['copy', '--from', from, '--to', to, '--json']);
    const { plants: count, copied } = JSON.parse(again.stdout) as Record<string, number>;
    assert.deepEqual([count, copied], [3, 0]);
    const empty = join(root, 'empty');
    assert.deepEqual(await runCli(['copy', '--from', empty, '--to', to]), {
      code: 1,
      stdout: '',
      stderr: `plant-store: Cannot copy from ${empty}: it contains no store; give another folder with --from\n`,
    });
    const same = await runCli(['copy', '--from', from, '--to', from]);
    assert.deepEqual([same.code, same.stdout], [2, '']);
    assert.match(same.stderr, /name the same store/);
  });
});
