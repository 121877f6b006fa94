/** More connections than its own limit or the system's: the service survives and recovers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertServes } from '../support/plants.ts';
import type { Target } from '../support/request.ts';
import type { Service } from '../support/service-run.ts';
import { startProcess } from '../support/start-process.ts';
import { assertQuiet } from './assert-cases.ts';
import { live } from './bytes.ts';
import { Connection } from './connection.ts';

/** Opens connections with a request each; returns those with a response, and counts the others. */
async function openMany(
  target: Target,
  count: number,
): Promise<{ readonly open: readonly Connection[]; readonly refused: number }> {
  const open: Connection[] = [];
  const attempts = Array.from({ length: count }, async () => {
    const connection = await Connection.open(target);
    await connection.send(live);
    if ((await connection.answer('GET', '/livez')) !== undefined) open.push(connection);
  });
  const results = await Promise.allSettled(attempts);
  assert.deepEqual(
    results.filter(({ status }) => status === 'rejected'),
    [],
  );
  return { open, refused: count - open.length };
}

async function assertAnswers(connections: readonly Connection[]): Promise<void> {
  for (const connection of connections) {
    await connection.send(live);
    assert.equal((await connection.answer('GET', '/livez'))?.status, 200);
  }
}

/** Closes them, and waits until the service can create again. */
async function leaveAll(service: Service, connections: readonly Connection[]): Promise<void> {
  for (const connection of connections) connection.leave();
  await Promise.all(connections.map(({ closed }) => closed));
  const giveUpAt = performance.now() + 60_000;
  for (;;) {
    try {
      await assertServes(service);
      return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await delay(50);
    }
  }
}

describe('connections', () => {
  it('beyond PLANT_STORE_CONNECTIONS_MAX are closed at once; the others work', async (context) => {
    const service = await startProcess(context, { env: { PLANT_STORE_CONNECTIONS_MAX: '10' } });
    const { open, refused } = await openMany(service, 50);
    assert.deepEqual([open.length, refused], [10, 40]);
    await assertAnswers(open);
    await leaveAll(service, open);
    assertQuiet(service);
  });

  const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
  it(
    "beyond the process's limit of open files are closed; the others work",
    { skip: hasPrlimit ? false : 'this system has no prlimit' },
    async (context) => {
      const service = await startProcess(context);
      const spare = 20;
      await assertServes(service);
      // The system compares the lowest free descriptor with the limit.
      const limit = readdirSync(`/proc/${service.pid}/fd`).length + spare;
      const { status, stderr } = spawnSync('prlimit', [`--pid=${service.pid}`, `--nofile=${limit}`], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
      const { open, refused } = await openMany(service, 200);
      assert.ok(open.length > 0 && refused >= 200 - 2 * spare, `${open.length} open, ${refused} refused`);
      await assertAnswers(open);
      await leaveAll(service, open);
      assertQuiet(service);
    },
  );
});
