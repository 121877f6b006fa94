/**
 * More concurrent writes than the queue allows: each is stored and confirmed, or refused and not
 * stored. More connections at once than it accepts in a moment: they wait. Measures no time.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { postPlant, request } from '../support/request.ts';
import { startProcess } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { assertQuiet } from './assert-cases.ts';
import { create, live, plant } from './bytes.ts';
import { Connection } from './connection.ts';

const service = await startService({ after }, { env: { PLANT_STORE_QUEUE_WRITES_MAX: '4' } });
/** On a busy machine the flood lasts for longer than writes may be refused without a line. */
const ofFlood = 'Writes have been refused for 10 seconds or longer: the store is busy';
const connectionCount = 40;
const pipelined = 25;

describe('more writes than the queue allows', () => {
  it('are stored or refused, as each response says', async () => {
    const outcomes = new Map<bigint, number>();
    const flood = Array.from({ length: connectionCount }, async () => {
      const ids = Array.from({ length: pipelined }, nextId);
      const connection = await Connection.open(service);
      await connection.send(ids.map((id) => create(service, plant(id))).join(''));
      for (const id of ids) {
        const reply = await connection.answer();
        if (reply?.status !== 200) {
          assertError(reply, 'store_busy');
          assert.match(reply?.headers['retry-after'] ?? '', /^[1-9]\d*$/);
        }
        outcomes.set(id, reply?.status ?? 0);
      }
      connection.leave();
    });
    await Promise.all(flood);
    const counts = [200, 503].map((status) => [...outcomes.values()].filter((each) => each === status).length);
    assert.ok(
      counts.every((count) => count > 0),
      `the flood was none: ${counts.join(' stored, ')} refused`,
    );
    const stored = await readPlants(service.dataDir);
    for (const [id, status] of outcomes) assert.equal(stored.has(id), status === 200, `${id} answered ${status}`);
    assert.deepEqual((await request(service, { path: '/readyz' })).status, 200);
    await assertServes(service);
  });

  it('are stored on retry after a refusal', async () => {
    const ids = Array.from({ length: 200 }, nextId);
    let refused = ids;
    for (let round = 0; round < 200 && refused.length > 0; round++) {
      const replies = await Promise.all(refused.map((id) => postPlant(service, { id, name: 'again' })));
      refused = refused.filter((_id, index) => replies[index]?.status === 503);
    }
    const stored = await readPlants(service.dataDir);
    assert.deepEqual(
      ids.filter((id) => !stored.has(id)),
      [],
    );
  });
});

/** Connections in a burst, as when all clients of a proxy come back. */
const burst = 1_000;
const somaxconn = '/proc/sys/net/core/somaxconn';
const isTooSmall = !existsSync(somaxconn) || Number(readFileSync(somaxconn, 'utf8')) < burst;

describe('a burst of connections', { skip: isTooSmall && 'this system keeps fewer connections waiting' }, () => {
  it('waits while the service is busy, and gets its replies', async (context) => {
    // The last connection waits until all others have been answered.
    const busy = await startProcess(context, {
      env: { PLANT_STORE_HEADERS_TIMEOUT: '120s', PLANT_STORE_REQUEST_TIMEOUT: '120s' },
    });
    process.kill(busy.pid, 'SIGSTOP');
    const opening = Promise.all(Array.from({ length: burst }, () => Connection.open(busy)));
    // Only the system answers them now. What it does not keep, it ignores or resets.
    const areKept = await Promise.race([opening.then(() => true), setTimeout(120_000, false, { ref: false })]);
    process.kill(busy.pid, 'SIGCONT');
    const connections = await opening;
    assert.ok(areKept, 'the system did not keep all of them');
    for (const connection of connections) {
      await connection.send(live);
      assert.equal((await connection.answer('GET', '/livez'))?.status, 200);
      connection.leave();
    }
  });
});

after(() => assertQuiet({ logLines: service.logLines.filter(({ msg }) => msg !== ofFlood) }));
