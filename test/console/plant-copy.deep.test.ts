/** The copy of the plants beside a service that is killed in the middle of writes by the page and by others, with connections that are cut. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { bounds } from '../../console/src/copy/bounds.ts';
import { OwnClient } from '../../console/src/copy/own-client.ts';
import { PlantCopy } from '../../console/src/copy/plant-copy.ts';
import { PlantClient, type StoredPlant } from '../../src/client/client.ts';
import { makeFolder } from '../support/clean-up.ts';
import { findFreePort } from '../support/find-free-port.ts';
import { startProcess } from '../support/start-process.ts';

const rounds = 3;
const ownWrites = 20;
const plants = 3_000;

/** Ends with the file: a service that a test starts outlives that test. */
const file = { after };
const folder = await makeFolder(file);
const options = { dataDir: join(folder, 'data'), env: { PORT: String(await findFreePort()) } };

it('ends as the service, after three rounds of kills, cut connections and own writes', async () => {
  let service = await startProcess(file, options);
  const other = new PlantClient({ url: service.url, token: service.token, retries: 20 });
  const rows = Array.from({ length: plants }, (_, at) => `${at + 1},Fern ${at + 1},shade\n`);
  await other.import(`id,name,tag\n${rows.join('')}`, { mediaType: 'text/csv' });
  let requests = 0;
  const client = new OwnClient({
    url: service.url,
    token: service.token,
    retries: 2,
    fetch: async (address, init) => {
      requests++;
      const response = await fetch(address, init);
      // Some responses are lost.
      if (requests % 7 === 0) throw new TypeError('fetch failed');
      return response;
    },
  });
  const copy = new PlantCopy({
    client,
    writes: client.writes,
    onError: () => undefined,
    sleep: (ms, signal) => setTimeout(Math.min(ms, 200), undefined, { signal }).catch(() => undefined),
    bounds,
  });
  const controller = new AbortController();
  const running = copy.run(controller.signal);
  for (let round = 0; round < rounds; round++) {
    const write = async (by: PlantClient, from: bigint): Promise<void> => {
      for (let at = 0n; at < ownWrites; at++) {
        const id = 1n + ((from + at * 7n) % 40n);
        const name = `Fern ${id} of round ${round}, write ${from} ${at}`;
        await (at % 5n === 4n ? by.delete(id) : by.put(id, { name, tag: `tag ${at % 3n}` })).catch(() => undefined);
      }
    };
    const writing = Promise.all([write(client, 1n), write(other, 2n), write(other, 3n)]);
    await setTimeout(30);
    await service.kill();
    service = await startProcess(file, options);
    await writing;
  }
  const stored: StoredPlant[] = [];
  for await (const plant of other.list({ pageSize: 1_000 })) stored.push(plant);
  const isSame = (): boolean => {
    const { rows: now } = copy.state;
    const isStored = ({ id, name, tag }: StoredPlant): boolean =>
      now.get(id)?.plant.name === name && now.get(id)?.plant.tag === tag;
    return client.writes.isIdle && now.size === stored.length && stored.every(isStored);
  };
  // A poll that finds nothing ends what waits: at the latest after its 25 seconds.
  for (let tries = 0; tries < 600 && !isSame(); tries++) await setTimeout(100);
  assert.deepEqual(
    new Map([...copy.state.rows].map(([id, { plant }]) => [id, plant])),
    new Map(stored.map((each) => [each.id, each])),
  );
  assert.ok(client.writes.isIdle, 'nothing waits');
  controller.abort();
  await running;
});
