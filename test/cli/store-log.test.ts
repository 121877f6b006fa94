/** toStoreObserver(): each state of the store is one line, with its reason. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toStoreObserver } from '../../src/cli/serve/store-log.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { openLog } from '../../src/observe/log.ts';
import type { StoreObserver } from '../../src/store/store-observer.ts';
import { stopClock } from '../support/stop-clock.ts';

const commit = { writes: 2, bytes: 100, waitedMs: 1, committedMs: 1 };
const fail = (observer: StoreObserver, code: ErrorCode): void =>
  observer.onCommit({ ...commit, failure: { code, cause: new Error('database or disk is full') } });

/** The lines that `act` causes, each as level, code and reason. */
async function observe(act: (observer: StoreObserver) => void, reportsAbsence = true): Promise<unknown[]> {
  const lines: unknown[] = [];
  const write = (text: string): void => {
    const { level, code, reason } = JSON.parse(text) as Record<string, unknown>;
    lines.push([level, code, reason]);
  };
  const log = await openLog({ level: 'trace', format: 'json', destination: { write } });
  act(toStoreObserver(log, { reportsAbsence }));
  return lines;
}

describe('toStoreObserver()', () => {
  for (const code of ['store_full', 'store_unavailable'] as const) {
    it(`logs ${code} until a commit succeeds`, async () => {
      const lines = await observe((observer) => {
        for (let times = 0; times < 3; times += 1) fail(observer, code);
        for (let times = 0; times < 3; times += 1) observer.onCommit(commit);
      });
      assert.deepEqual(lines, [
        ['error', code, 'database or disk is full'],
        ['info', undefined, undefined],
      ]);
    });
  }

  it('logs store_busy of the queue and of commits once it has lasted for 10 seconds', async (t) => {
    const pass = stopClock(t);
    const lines = await observe((observer) => {
      observer.onRefused({ code: 'store_busy' });
      pass(9_999);
      fail(observer, 'store_busy');
      pass(1);
      observer.onRefused({ code: 'store_busy' });
    });
    assert.deepEqual(lines, [['error', 'store_busy', undefined]]);
  });

  it('logs a write-ahead log that is full until a commit succeeds, and not also as busy', async (t) => {
    const pass = stopClock(t);
    const lines = await observe((observer) => {
      observer.onLogFull();
      for (let times = 0; times < 3; times += 1) {
        fail(observer, 'store_busy');
        pass(10_000);
      }
      observer.onCommit(commit);
      fail(observer, 'store_busy');
    });
    assert.deepEqual(lines, [
      ['error', 'store_busy', 'database or disk is full'],
      ['info', undefined, undefined],
    ]);
  });

  it('logs reads that fail until one succeeds', async () => {
    const lines = await observe((observer) => {
      for (let times = 0; times < 3; times += 1)
        observer.onRead({ code: 'store_unavailable', reason: 'disk I/O error' });
      observer.onRead(undefined);
    });
    assert.deepEqual(lines, [
      ['error', 'store_unavailable', 'disk I/O error'],
      ['info', undefined, undefined],
    ]);
  });

  it('leaves to others what they report: a failure for good, a database that is away', async () => {
    assert.deepEqual(await observe((observer) => fail(observer, 'store_failed')), []);
    assert.deepEqual(await observe((observer) => fail(observer, 'store_unavailable'), false), []);
  });
});
