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

/** Their messages, with the number of connections that they name. */
function errorsOf({ logLines }: Service): readonly unknown[] {
  return logLines.filter(({ level }) => level === 'error').map(({ msg, connectionsMax }) => [msg, connectionsMax]);
}

describe('connections', () => {
  it('beyond PLANT_STORE_CONNECTIONS_MAX are closed at once; the others work', async (context) => {
    const env = { PLANT_STORE_CONNECTIONS_MAX: '10', PLANT_STORE_METRICS_PORT: '0' };
    const service = await startProcess(context, { env });
    const { port } = await service.findLog(({ msg }) => msg === 'Serving metrics');
    const { open, refused } = await openMany(service, 50);
    assert.deepEqual([open.length, refused], [10, 40]);
    const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
    assert.deepEqual(
      [...text.matchAll(/^plant_store_connections(\w*) (\d+)$/gm)].map(([, name, value]) => [name, value]),
      [
        ['', '10'],
        ['_max', '10'],
        ['_refused_total', '40'],
      ],
    );
    await assertAnswers(open);
    await leaveAll(service, open);
    assert.deepEqual(errorsOf(service), [['Cannot accept connections', 10]]);
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
      await service.findLog(({ msg }) => msg.startsWith('Cannot open files'));
      await leaveAll(service, open);
      await service.findLog(({ msg }) => msg === 'Files can be opened again');
      assert.equal(errorsOf(service).length, 1);
    },
  );
});
