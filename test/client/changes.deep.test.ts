/** Following the changes of a service that is killed again and again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { makeFolder } from '../support/clean-up.ts';
import { forward } from '../support/forward.ts';
import { startProcess } from '../support/start-process.ts';
import { until } from '../support/until.ts';

describe('PlantClient changes()', () => {
  it('goes on where it was when the service is killed, while others write', async (t) => {
    const dataDir = await makeFolder(t);
    let current = await startProcess(t, { dataDir });
    const { token } = current;
    const proxy = await forward(t, () => [current.port]);
    const url = `http://127.0.0.1:${proxy.port}`;
    const attempts: number[] = [];
    const follower = new PlantClient({
      url,
      token,
      retries: 0,
      backOffMsMax: 50,
      onRetry: ({ attempt }) => attempts.push(attempt),
    });
    const writer = new PlantClient({ url, token, retries: Infinity, backOffMsMax: 50 });
    const ids = Array.from({ length: 400 }, (_, index) => BigInt(index));
    const seen: bigint[] = [];
    const following = (async () => {
      for await (const { id } of follower.changes()) if (seen.push(id) === ids.length) break;
    })();
    const writing = (async () => {
      for (const id of ids) await writer.create({ id, name: 'a' });
    })();
    for (const count of [1, 100, 300]) {
      await until(() => seen.length >= count, 'so many are seen');
      await current.kill();
      current = await startProcess(t, { dataDir });
      proxy.cut();
    }
    await Promise.all([writing, following]);
    assert.deepEqual(seen, ids);
    assert.ok(Math.max(...attempts) > 4, 'it was away for longer than the usual retries');
  });
});
