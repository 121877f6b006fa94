/** What the client of the console notes of its writes, on the service: which changes in the log are to be its own. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { OwnClient } from '../../console/src/copy/own-client.ts';
import { startService } from '../support/start-service.ts';

const { url, token } = await startService({ after });

describe('OwnClient', () => {
  it('waits for the change of a write, unless that changed nothing: what others do next is shown then', async () => {
    const client = new OwnClient({ url, token });
    const fern = { id: 1n, name: 'Fern' };
    const inShade = { ...fern, tag: 'shade' };
    await client.create(fern);
    for (const [state, write] of [
      [{ plant: inShade }, () => client.put(1n, inShade)],
      [{}, () => client.delete(1n)],
    ] as const) {
      const claim = (plant: { readonly plant?: typeof fern }) => client.writes.claim({ id: 1n, ...plant });
      const byOther = { plant: { id: 1n, name: 'Moss' } };
      await write();
      const text = String(write);
      assert.deepEqual(claim(byOther), { isOwn: false, isOutdated: true }, text);
      assert.deepEqual(claim(state), { isOwn: true, isOutdated: false }, text);
      await write();
      assert.deepEqual(claim(byOther), { isOwn: false, isOutdated: false }, `again: ${text}`);
    }
  });

  it('has the change of a create whose first response was lost', async () => {
    let tries = 0;
    const client = new OwnClient({
      url,
      token,
      fetch: async (...request) => {
        const response = await fetch(...request);
        if (++tries === 1) throw new TypeError('lost');
        return response;
      },
    });
    const plant = { id: 2n, name: 'Fern' };
    assert.equal((await client.create(plant)).replayed, true);
    assert.deepEqual(client.writes.claim({ id: 2n, plant }), { isOwn: true, isOutdated: false });
  });
});
