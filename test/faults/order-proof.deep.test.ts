/**
 * Promise: an answer leaves only after the fsync of the log that holds its row. A kill cannot show this, since the kernel keeps what a dead
 * process wrote; the order of the system calls does. Needs strace, and the right to trace.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { canTrace } from './system-calls.ts';
import type { Fault } from '../crash/fault.ts';
import { checkOrder, type OrderReport, straceFlags } from './order-proof.ts';
import { postPlant } from '../crash/send-request.ts';
import { startService } from '../crash/service-process.ts';
import { makeFolder } from '../support/clean-up.ts';

const tracer = 'strace';
const plantCount = 200;
const atOnce = 16;

describe('checkOrder()', () => {
  const write = '11 pwrite64(20</data/plants.db-wal>, "mark-1", 6, 0) = 6';
  const sync = '11 fdatasync(20</data/plants.db-wal>) = 0';
  const answer = '10 write(25<TCP:[1]>, "HTTP/1.1 200 OK mark-1", 22) = 22';
  for (const [what, lines, isInOrder] of [
    ['an answer after the sync', [write, sync, answer], true],
    ['an answer before the sync', [write, answer, sync], false],
    ['an answer without a sync', [write, answer], false],
    ['an answer before the write', [answer, write, sync], false],
    ['a sync before the write', [sync, write, answer], false],
    ['a sync that failed', [write, sync.replace('= 0', '= -1 EIO (Input/output error)'), answer], false],
    ['a sync of another file', [write, sync.replace('-wal', ''), answer], false],
    ['a row that was never written', [sync, answer], false],
    ['no answer', [write, sync], false],
    [
      'an answer during the sync',
      [write, sync.replace(') = 0', ' <unfinished ...>'), answer, '11 <... fdatasync resumed>) = 0'],
      false,
    ],
    [
      'an answer after a sync in two halves',
      [
        write,
        sync.replace(') = 0', ' <unfinished ...>'),
        '10 write(1, "x", 1) = 1',
        '11 <... fdatasync resumed>) = 0',
        answer,
      ],
      true,
    ],
  ] as const) {
    it(`${isInOrder ? 'accepts' : 'refuses'} ${what}`, () => {
      assert.deepEqual(checkOrder(lines.join('\n'), ['mark-1']).inOrder, isInOrder ? ['mark-1'] : []);
      assert.equal(checkOrder(lines.join('\n'), ['mark-1']).tooEarly.length, isInOrder ? 0 : 1);
    });
  }
});

describe('an answer', () => {
  it('leaves after the fsync of its row', { timeout: 300_000 }, async (t) => {
    const report = await traceLoad(t);
    if (report === undefined) return;
    assert.deepEqual(report.tooEarly, []);
    assert.equal(report.inOrder.length, plantCount);
  });

  it('is seen to leave too early when nothing is synced', { timeout: 300_000 }, async (t) => {
    const report = await traceLoad(t, { kind: 'no-sync' });
    if (report === undefined) return;
    assert.equal(report.tooEarly.length, plantCount, 'the proof goes red');
  });
});

/** Runs a small load on a traced service; undefined, and the test skipped, where tracing is impossible. */
async function traceLoad(t: TestContext, fault?: Fault): Promise<OrderReport | undefined> {
  if (!canTrace(t)) return undefined;
  const root = await makeFolder(t);
  const output = join(root, 'trace');
  const service = await startService({
    folder: join(root, 'data'),
    fault,
    wrapper: [tracer, '--daemonize', '--seccomp-bpf', ...straceFlags, `--output=${output}`],
  });
  const marks = Array.from({ length: plantCount }, (_, index) => `mark-${1000 + index}`);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  try {
    const answers = await Promise.all(
      marks.map((name, index) => postPlant(service.port, { id: BigInt(index), name }, agent)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  } finally {
    agent.destroy();
    // A daemonized strace is no parent of the service, and ends after it.
    service.kill('SIGTERM');
    await service.exited;
  }
  return checkOrder(await readFile(output, 'utf8'), marks);
}
