/** Reads of many followers that are behind, on a thread that has other work. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Turns } from '../../src/store/sqlite/turns.ts';

it('one is done in each turn of the event loop, in order, also after one that failed', async () => {
  const turns = new Turns();
  const done: number[] = [];
  const results = Array.from({ length: 20 }, (_, at) =>
    turns.take(() => {
      if (at === 3) throw new Error('three');
      done.push(at);
    }),
  );
  const settled = Promise.allSettled(results);
  for (let turn = 0; done.length < 19; turn += 1) {
    assert.ok(done.length <= turn + 1, `${done.length} were done in ${turn} turns`);
    await setImmediate();
  }
  assert.deepEqual(
    done,
    Array.from({ length: 20 }, (_, at) => at).filter((at) => at !== 3),
  );
  assert.equal((await settled).filter(({ status }) => status === 'rejected').length, 1);
});

it('none begins after the end', async () => {
  const turns = new Turns();
  const late = turns.take(() => assert.fail('it began'));
  turns.close();
  await assert.rejects(late, { code: 'shutting_down' });
});
