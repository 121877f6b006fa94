/** What the service answers, logs and exits with when its disk is slow, full or broken, or its writer thread dies. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linesAt, TestedService } from './tested-service.ts';

const timeout = 120_000;

describe('a commit that fails for good', () => {
  for (const [what, fault] of [
    ['an I/O error of fsync', { kind: 'fail-commit', errcode: 1034, nth: 3, times: 1000 }],
    ['the death of the writer thread', { kind: 'end-thread', nth: 3 }],
  ] as const) {
    it(`by ${what} is no acknowledgement: the service says so once and exits with 1`, { timeout }, async (t) => {
      // The first commit stores the token.
      const service = await TestedService.start(t, { fault });
      assert.deepEqual(await service.create(1), { 200: 1 });
      const { 200: acknowledged, 50303: unknown = 0, 50304: late = 0, none = 0, ...others } = await service.create(50);
      assert.deepEqual({ acknowledged, others }, { acknowledged: undefined, others: {} });
      assert.ok(unknown > 0, 'the writes of the commit get an answer');
      assert.equal(unknown + late + none, 50);
      const { code, output } = await service.requireEnd();
      assert.equal(code, 1);
      assert.equal(linesAt(output, 'fatal').length, 1, output);
      assert.deepEqual(linesAt(output, 'error'), []);
      assert.equal(linesAt(output, 'info').filter((line) => line.includes('Stopped')).length, 0);
      await service.requireKept(t);
    });
  }
});

describe('a full disk', () => {
  it('is answered with 503 and Retry-After, and is over when there is space: two lines', { timeout }, async (t) => {
    const service = await TestedService.start(t, { fault: { kind: 'fail-commit', errcode: 13, nth: 2, times: 3 } });
    const plant = { method: 'POST', path: '/plants', body: '{"id":-1,"name":"fern"}' };
    for (let failure = 0; failure < 3; failure++) {
      const answer = await service.send(plant);
      assert.equal(answer?.status, 503);
      assert.match(answer.body, /"error":50302,/);
      assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    }
    assert.deepEqual(await service.create(3), { 200: 3 });
    const { code, output } = await service.stop();
    assert.equal(code, 0);
    assert.match(linesAt(output, 'error').join('\n'), /^[^\n]*the disk is full[^\n]*$/);
    assert.match(output, /"seconds":\d+,"times":[34],"msg":"Writes are stored again: the disk has space"/);
    assert.deepEqual(linesAt(output, 'warn'), []);
  });
});

describe('an fsync of 2 seconds', () => {
  it('delays answers and hangs none; SIGTERM still waits for what is accepted', { timeout }, async (t) => {
    const env = { PLANT_STORE_QUEUE_WRITES_MAX: '60' };
    const service = await TestedService.start(t, { fault: { kind: 'slow-commit', ms: 2_000 }, env });
    const { 200: acknowledged = 0, 50301: busy = 0, ...others } = await service.create(100);
    assert.deepEqual(others, {});
    assert.ok(acknowledged >= 50, `${acknowledged} acknowledged`);
    assert.ok(busy > 0, 'the rest was refused, not left waiting');
    const last = service.create(20);
    // The 20 creates are accepted before this one; the drain must wait for each.
    assert.deepEqual(await service.create(1), { 200: 1 });
    service.terminate();
    assert.deepEqual(await last, { 200: 20 });
    assert.equal((await service.requireEnd()).code, 0);
    await service.requireKept(t);
  });
});
