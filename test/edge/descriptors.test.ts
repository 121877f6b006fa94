/** Idle connections of strangers must not use up the file descriptors of the store. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { mainPath } from '../cli/run-cli.ts';
import { exportPlants, ndjson } from '../support/bulk.ts';
import { makeFolder } from '../support/clean-up.ts';
import { assertServes } from '../support/plants.ts';
import { startProcess } from '../support/start-process.ts';
import { live } from './bytes.ts';
import { Connection } from './connection.ts';
import { until } from '../support/until.ts';

const skip = existsSync('/proc/self/limits') ? false : 'this system does not tell its limits in /proc';
/** The least with which the service starts. */
const filesMax = 256;

describe('a limit on open files that is too low', { skip }, () => {
  it('is refused before anything is created', async (context) => {
    const dataDir = join(await makeFolder(context), 'data');
    const command = [process.execPath, mainPath, 'serve', '--port', '0', '--data-dir', dataDir];
    const args = ['-c', `ulimit -n ${filesMax - 1}; exec "$@"`, 'sh', ...command];
    const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8', timeout: 60_000 });
    assert.equal(status, 2);
    assert.match(stderr, /Cannot start with a limit of 255 open files: raise it to 256 or more with "ulimit -n"/);
    assert.equal(existsSync(dataDir), false);
  });
});

describe('idle connections beyond the limit on open files', { skip }, () => {
  it('are closed; writes, exports and a clean stop still work', async (context) => {
    const service = await startProcess(context, { filesMax });
    const known = await Connection.open(service);
    await known.send(live);
    assert.equal((await known.answer('GET', '/livez'))?.status, 200);
    const idle: Connection[] = [];
    for (let number = 0; number < 2 * filesMax; number++) idle.push(await Connection.open(service));
    // The system takes connections before the service does, which takes them in order: after this one, it has them all.
    const last = await Connection.open(service);
    await last.send(live);
    await last.answer('GET', '/livez');
    last.leave();
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
