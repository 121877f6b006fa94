/** What the service responds, and whether it goes on or ends, when the system refuses or delays calls on its files. Each error is injected by strace. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { isLong } from './extent.ts';
import { attachFault, type CallFault, canTrace, syncCalls } from './system-calls.ts';
import { linesAt, sum, type Tally, TestedService } from './tested-service.ts';

const timeout = 300_000;
/** Long, so that few plants make a long log. */
const longName = '🌱'.repeat(1000);
const writeCalls = ['pwrite64', 'write'];

/** Nothing was written, and the same request may be sent again: busy, full. */
const passing = new Set(['200', '50301', '50302']);

/** An import that takes longer, in milliseconds, has waited for the delayed sync. */
const slowImportMs = 6_000;

/** Writes until the log has been copied to the database, until writes are refused, or until one has waited for a slow disk. */
async function writeMuch(service: TestedService): Promise<Tally> {
  let total: Tally = {};
  for (let part = 0; part < 40 && Object.keys(total).every((kind) => kind === '200'); part += 1) {
    const start = performance.now();
    const tally = await service.import(500, longName);
    total = sum(total, tally);
    if (performance.now() - start > slowImportMs) break;
  }
  return total;
}

describe('a sync that fails', () => {
  for (const file of ['plants.db-wal', 'plants.db']) {
    it(`ends the process, with 1 and within the drain time, and loses nothing: ${file}`, { timeout }, async (t) => {
      if (!canTrace(t)) return;
      const service = await TestedService.start(t);
      assert.deepEqual(await service.create(50), { 200: 50 });
      const paths = [join(service.folder, file)];
      const { detach } = await attachFault(service.pid, { calls: syncCalls, effect: { error: 'EIO' }, paths });
      if (file === 'plants.db') await writeMuch(service);
      // A failure between two commits is noticed by the writes after it.
      const { 200: acknowledged, ...others } = await service.create(50);
      if (file === 'plants.db-wal') assert.equal(acknowledged, undefined, 'no write is acknowledged after the error');
      assert.deepEqual(
        Object.keys(others).filter((kind) => !['50303', '50304', 'none'].includes(kind)),
        [],
      );
      const { code, output } = await service.requireEnd();
      await detach();
      assert.equal(code, 1, output);
      assert.equal(linesAt(output, 'fatal').length, 1, output);
      await service.requireKept(t);
    });
  }
});

describe('a disk that takes no writes', () => {
  const files = ['plants.db-wal', 'plants.db', 'plants.db-shm'];
  const every = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'].flatMap((error) => files.map((file) => [error, file] as const));
  const short = [['ENOSPC', 'plants.db-wal'] as const, ['EDQUOT', 'plants.db-shm'] as const];
  for (const [error, file] of isLong ? every : short) {
    it(`is 503 for writes while it lasts, and passes: ${error} on ${file}`, { timeout }, async (t) => {
      if (!canTrace(t)) return;
      const output = await assertPasses(t, file, {
        calls: [...writeCalls, 'ftruncate', 'fallocate'],
        effect: { error },
      });
      // The alert of a full disk, and its end.
      assert.match(linesAt(output, 'error').join('\n'), /^[^\n]*the disk is full[^\n]*$/, output);
      assert.match(output, /Writes are stored again: the disk has space/);
    });
  }
});

describe('a disk that syncs slowly', () => {
  it('is 503 at most, and passes: 7 seconds for the database while the log grows', { timeout }, async (t) => {
    if (!canTrace(t)) return;
    await assertPasses(t, 'plants.db', { calls: syncCalls, effect: { delayMs: 7_000 } });
  });
});

/** Meets the fault under load: writes are stored or refused with nothing written, reads are served, and after it all is as before. Resolves to the log. */
async function assertPasses(t: TestContext, file: string, fault: Pick<CallFault, 'calls' | 'effect'>): Promise<string> {
  const service = await TestedService.start(t);
  assert.deepEqual(await service.create(50), { 200: 50 });
  const { detach } = await attachFault(service.pid, { ...fault, paths: [join(service.folder, file)] });
  const during = sum(await writeMuch(service), await service.create(50));
  const others = Object.keys(during).filter((kind) => !passing.has(kind));
  assert.deepEqual(others, [], `${JSON.stringify(during)} ${service.output}`);
  const read = await service.send({ method: 'GET', path: '/plants/1' });
  assert.equal(read?.status, 200);
  await detach();
  await service.requireRecovery();
  const { code, output } = await service.stop();
  assert.equal(code, 0, output);
  assert.deepEqual(linesAt(output, 'fatal'), []);
  await service.requireKept(t);
  return output;
}
