/** A service whose clock is wrong: libfaketime sets the wall clock, and leaves the monotonic one alone. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../support/clean-up.ts';
import { request } from '../support/request.ts';
import { hasTool } from '../support/has-tool.ts';
import { type ServiceProcess, startProcess } from '../support/start-process.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

it('a clock that jumps years ahead, back, and to 1970 removes no change and disables no webhook', async (t) => {
  if (!hasTool(t, 'faketime')) return;
  assert.ok(library !== undefined, 'the library is where Debian has it');
  const folder = await makeFolder(t);
  const clock = join(folder, 'clock');
  const start = (): Promise<ServiceProcess> =>
    startProcess(t, {
      dataDir: join(folder, 'data'),
      env: {
        PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true',
        ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: clock },
        ...{ FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' },
      },
    });
  const receiver = await startReceiver(t, () => 500);
  await writeFile(clock, '+0');
  let service = await start();
  const call = (method: string, path: string, body?: object): ReturnType<typeof request> =>
    request(service, { method, path, body: body && JSON.stringify(body) });
  const importMany = async (from: number): Promise<void> => {
    const rows = Array.from({ length: 5_000 }, (_, index) => JSON.stringify({ id: from + index, name: 'fern' }));
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = rows.join('\n');
    assert.equal((await request(service, { method: 'POST', path: '/plants/import', body, headers })).status, 200);
  };
  const created = await call('POST', '/webhooks', { url: receiver.url, events: ['plant.created'] });
  const { id, secret } = JSON.parse(created.text) as { id: string; secret: string };
  service.addSecret(secret);
  await call('POST', '/plants', { id: 1, name: 'first' });
  await call('DELETE', '/plants/1');
  await receiver.waitFor(2);
  let from = 10;
  for (const jump of ['+4748d', '+0', '-20000d', '+0']) {
    await writeFile(clock, jump);
    const attempts = receiver.requests.length;
    // Each import makes the service look for changes that are too old.
    for (let round = 0; round < 2; round++) await importMany((from += 10_000));
    // The webhook tries again: after a jump it is due, or soon.
    if (attempts < 4) await receiver.waitFor(attempts + 1);
    await sleep(500);
  }
  // A start in 1970, and one at the right time after it.
  for (const jump of ['-20000d', '+0']) {
    await service.stop();
    await writeFile(clock, jump);
    service = await start();
    await importMany((from += 10_000));
    await importMany((from += 10_000));
  }
  const first = await call('GET', '/plants/changes?limit=2');
  assert.deepEqual(
    (first.json() as { id: bigint; kind: string }[]).map(({ id: plant, kind }) => [plant, kind]),
    [
      [1n, 'created'],
      [1n, 'deleted'],
    ],
  );
  assert.equal(((await call('GET', '/plants/1/history')).json() as unknown[]).length, 2);
  assert.match((await call('GET', `/webhooks/${id}`)).text, /"enabled":true/);
});
