/** Idle connections of strangers must not use up the file descriptors of the store. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { exportPlants, ndjson } from '../support/bulk.ts';
import { assertServes } from '../support/plants.ts';
import { startProcess } from '../support/start-process.ts';
import { live } from './bytes.ts';
import { Connection } from './connection.ts';
import { until } from '../support/until.ts';

const skip = existsSync('/proc/self/limits') ? false : 'this system does not tell its limits in /proc';
const filesMax = 160;

describe('idle connections beyond the limit on open files', { skip }, () => {
  it('are closed; writes, exports and a clean stop still work', async (context) => {
    const service = await startProcess(context, { filesMax });
    const known = await Connection.open(service);
    await known.send(live);
    assert.equal((await known.answer('GET', '/livez'))?.status, 200);
    const idle: Connection[] = [];
    for (let number = 0; number < 2 * filesMax; number++) idle.push(await Connection.open(service));
    await known.send(live);
    assert.equal((await known.answer('GET', '/livez'))?.status, 200);
    const countOpen = (): number => readdirSync(`/proc/${service.pid}/fd`).length;
    const open = countOpen();
    assert.ok(open < filesMax - 20, `${open} files are open`);
    for (const connection of idle.slice(0, filesMax)) connection.leave();
    // Until the service has noticed, it drops new connections.
    await until(() => countOpen() <= open - 20, 'the connections are closed');
    await assertServes(service);
    await exportPlants(service, ndjson);
    for (const connection of idle) connection.leave();
    known.leave();
  });
});
