/** What the service answers, logs and exits with when its disk is slow, full or broken, or its writer thread dies. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Fault } from '../crash/fault.ts';
import { postPlant, type PlantAnswer } from '../crash/post-plant.ts';
import { readStored } from '../crash/read-stored.ts';
import { startService, type ServiceProcess } from '../crash/service-process.ts';

interface Running {
  readonly service: ServiceProcess;
  readonly folder: string;
  /** Creates plants with these ids at once; an answer each, or undefined where the connection ended without one. */
  readonly create: (ids: readonly number[]) => Promise<(PlantAnswer | undefined)[]>;
}

async function startWith(t: TestContext, fault: Fault, env: Record<string, string> = {}): Promise<Running> {
  const root = await mkdtemp(join(tmpdir(), 'plant-store-fault-'));
  const folder = join(root, 'data');
  const service = await startService({ folder, fault, env });
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  t.after(async () => {
    agent.destroy();
    service.kill('SIGKILL');
    await service.exited;
    await rm(root, { recursive: true, force: true });
  });
  const create: Running['create'] = (ids) =>
    Promise.all(
      ids.map((id) => postPlant(service.port, { id: BigInt(id), name: 'fern' }, agent).catch(() => undefined)),
    );
  return { service, folder, create };
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

/** The number of answers of each kind: `200`, the error number, or `none`. */
function tally(answers: readonly (PlantAnswer | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const kind = answer === undefined ? 'none' : (/"error":(\d+)/.exec(answer.body)?.[1] ?? String(answer.status));
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** The lines of the log at this level. */
function linesAt(output: string, level: string): string[] {
  return output.split('\n').filter((line) => line.includes(`"level":"${level}"`));
}

describe('a commit that fails for good', () => {
  for (const [what, fault] of [
    ['an I/O error of fsync', { kind: 'fail-commit', errcode: 1034, nth: 3, times: 1000 }],
    ['the death of the writer thread', { kind: 'end-thread', nth: 3 }],
  ] as const) {
    it(
      `by ${what} is no acknowledgement: the service says so once and exits with 1`,
      { timeout: 120_000 },
      async (t) => {
        // The first commit stores the token.
        const { service, folder, create } = await startWith(t, fault);
        assert.deepEqual(tally(await create([1])), { 200: 1 });
        const answers = await create(range(2, 50));
        const { 200: acknowledged, 50303: unknown = 0, 50304: late = 0, none = 0, ...others } = tally(answers);
        assert.deepEqual({ acknowledged, others }, { acknowledged: undefined, others: {} });
        assert.ok(unknown > 0, 'the writes of the batch get an answer');
        assert.equal(unknown + late + none, 50);
        const { code, output } = await service.exited;
        assert.equal(code, 1);
        assert.equal(linesAt(output, 'fatal').length, 1, output);
        assert.deepEqual(linesAt(output, 'error'), []);
        assert.equal(linesAt(output, 'info').filter((line) => line.includes('Stopped')).length, 0);
        const { rows, faults } = readStored(folder);
        assert.deepEqual([faults, rows.has(1n)], [[], true]);
        const next = await startService({ folder });
        next.kill('SIGKILL');
        await next.exited;
      },
    );
  }
});

describe('a full disk', () => {
  it('is answered with 503 and Retry-After, and is over when there is space', { timeout: 120_000 }, async (t) => {
    const { service, create } = await startWith(t, { kind: 'fail-commit', errcode: 13, nth: 2, times: 3 });
    for (const id of [1, 2, 3]) {
      const [answer] = await create([id]);
      assert.equal(answer?.status, 503);
      assert.match(answer.body, /"error":50302,/);
      assert.match(answer.retryAfter ?? '', /^[1-9]\d*$/);
    }
    assert.deepEqual(tally(await create([1, 2, 3])), { 200: 3 });
    service.kill('SIGTERM');
    assert.equal((await service.exited).code, 0);
  });
});

describe('an fsync of 2 seconds', () => {
  it('delays answers and hangs none; SIGTERM still waits for what is accepted', { timeout: 120_000 }, async (t) => {
    const env = { PLANT_STORE_QUEUE_WRITES_MAX: '60' };
    const { service, folder, create } = await startWith(t, { kind: 'slow-commit', ms: 2_000 }, env);
    const begin = performance.now();
    const answers = await create(range(1, 100));
    const { 200: acknowledged = 0, 50301: busy = 0, ...others } = tally(answers);
    assert.deepEqual(others, {});
    assert.ok(acknowledged >= 50, `${acknowledged} acknowledged`);
    assert.ok(busy > 0, 'the rest was refused, not left waiting');
    const refused = answers.filter((answer) => answer?.status === 503);
    assert.deepEqual(new Set(refused.map((answer) => answer?.retryAfter)).has(undefined), false);
    assert.ok(performance.now() - begin < 15_000);

    const last = create(range(1_000, 20));
    // They are accepted once one more is refused for lack of room, or soon after; the drain must wait for each accepted one.
    await create([2_000]);
    service.kill('SIGTERM');
    const { 200: stored = 0 } = tally(await last);
    assert.equal((await service.exited).code, 0);
    assert.equal(stored, 20);
    assert.equal(readStored(folder).rows.size, acknowledged + stored + 1);
  });
});
