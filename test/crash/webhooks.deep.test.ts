/** Kills the service while it delivers: every acknowledged plant arrives, and at most what was under way comes again. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { postPlant, request } from '../support/request.ts';

import { makeFolder } from '../support/clean-up.ts';
import { type ServiceProcess, startProcess } from '../support/start-process.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { until } from '../support/until.ts';

/** Set KILLS to run longer. */
const kills = Number(process.env['KILLS'] ?? 4);
const writers = 8;

describe('a service that is killed while it delivers', () => {
  it(`skips nothing, and repeats at most one request a kill (KILLS=${kills})`, { timeout: 300_000 }, async (test) => {
    const folder = await makeFolder(test);
    const receiver = await startReceiver(test);
    const start = (): Promise<ServiceProcess> =>
      startProcess(test, { dataDir: join(folder, 'data'), env: { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
    let service = await start();
    const body = JSON.stringify({ url: receiver.url, events: ['plant.created'] });
    const created = await request(service, {
      path: '/webhooks',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const { id, secret } = JSON.parse(created.text) as { id: string; secret: string };
    service.addSecret(secret);
    const acknowledged = new Set<bigint>();
    let next = 1n;
    const write = async (until: () => boolean): Promise<void> => {
      while (!until()) {
        const plant = { id: next++, name: 'a' };
        const reply = await postPlant(service, plant).catch(() => undefined);
        if (reply?.status === 200) acknowledged.add(plant.id);
      }
    };
    for (let round = 0; round < kills; round++) {
      let isKilled = false;
      const writing = Array.from({ length: writers }, () => write(() => isKilled));
      const goal = acknowledged.size + 20 + Math.random() * 100;
      await until(() => acknowledged.size >= goal, 'so many are acknowledged');
      isKilled = true;
      await service.kill();
      await Promise.all(writing);
      service = await start();
    }
    // Write one more change alone: once it has arrived, all have.
    const all = acknowledged.size + 1;
    await write(() => acknowledged.size >= all);
    const arrived = (): bigint[] => receiver.requests.map((each) => BigInt(/"id":(\d+)/.exec(each.body)?.[1] ?? 0));
    const last = [...acknowledged].at(-1) ?? 0n;
    await until(() => arrived().includes(last), 'the last one arrives');
    const ids = arrived();
    const found = new Set(ids);
    assert.deepEqual(
      [...acknowledged].filter((each) => !found.has(each)),
      [],
    );
    const repeated = receiver.requests.length - new Set(receiver.requests.map((each) => each.id)).size;
    assert.ok(repeated <= kills, `${repeated} requests came again`);
    // A repeated request is the one before it: the order is kept.
    receiver.requests.forEach((each, index) => {
      const first = receiver.requests.findIndex((other) => other.id === each.id);
      assert.ok(index - first <= 1, `request ${index} repeats request ${first}`);
    });
    assert.equal((await request(service, { path: `/webhooks/${id}` })).text.includes('failingSince'), false);
  });
});
