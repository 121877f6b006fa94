/** What grows with the store: the cost of a check, and what check and backup take from a busy service. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { checkDatabase } from '../../src/store/sqlite/maintenance/check.ts';
import { buildLargeStore } from '../crash/large-store.ts';
import { spawnService } from '../crash/service-process.ts';
import { isLong } from './extent.ts';
import { makeDataPath, sum, type Tally, TestedService } from './tested-service.ts';

const timeout = isLong ? 900_000 : 600_000;

describe('check', () => {
  it('does not become quadratic with the number of tags', { timeout }, async (t) => {
    const few = await measureCheck(t, 2_000);
    const many = await measureCheck(t, 20_000);
    t.diagnostic(`CPU time: ${few} us with 2,000 tags, ${many} us with 20,000`);
    // Linear work makes this 10, quadratic work 100.
    assert.ok(many / few < 40, `ten times the tags cost ${many / few} times as much`);
  });
});

/** CPU time in microseconds: other processes do not count, so that a busy machine changes little. */
async function measureCheck(t: TestContext, tags: number): Promise<number> {
  const folder = await makeDataPath(t);
  const store = await openStore({ folder }, { limits: { writesMax: 100, bytesMax: 256 * 1024 * 1024 } });
  const rows = Array.from({ length: tags }, (_, index) => ({ id: BigInt(index), name: 'fern', tag: `tag ${index}` }));
  for (let first = 0; first < tags; first += 1_000) {
    await store.plants.import(rows.slice(first, first + 1_000), { onConflict: 'fail', dryRun: false });
  }
  await store.close();
  const path = join(folder, 'plants.db');
  // Once without counting: code is compiled, and pages are read from the disk.
  checkDatabase(path);
  const before = process.cpuUsage();
  assert.deepEqual(checkDatabase(path).problems, []);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe('a busy service with many plants', () => {
  it('refuses no write while check and backup run beside it', { timeout }, async (t) => {
    const large = await buildLargeStore(isLong ? 1_000_000 : 60_000);
    t.after(() => large.remove());
    const folder = await makeDataPath(t);
    await large.copyTo(folder);
    const service = await TestedService.start(t, { folder, firstId: large.plants });
    for (const command of [['check'], ['backup', join(folder, '..', 'backup.db')]]) {
      const running = spawnService({ folder, command: [...command, '--data-dir', folder] });
      const end = { isOver: false };
      const ended = running.exited.finally(() => (end.isOver = true));
      let during: Tally = {};
      while (!end.isOver) {
        const tally = await service.create(20, '🌱'.repeat(1000));
        during = sum(during, tally);
      }
      const { code, output } = await ended;
      assert.equal(code, 0, output);
      assert.deepEqual(Object.keys(during), ['200'], `${command[0]}: ${JSON.stringify(during)}`);
      t.diagnostic(`${during['200']} writes during ${command[0]}`);
    }
  });
});
