/** Two spaces behind one server: what one keeps in memory never answers for the other. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { startServer } from '../support/start-server.ts';

const limits = { writesMax: 100, bytesMax: 1_000_000 };
const [one, other] = [openMemoryStore({ limits }), openMemoryStore({ limits })];
/** A batch of the first space waits for it. */
let beforeList = (): Promise<unknown> => Promise.resolve();
const first = {
  ...one,
  plants: {
    ...one.plants,
    list: async (...query: Parameters<typeof one.plants.list>) => {
      await beforeList();
      return one.plants.list(...query);
    },
  },
};
const url = `http://127.0.0.1:${await startServer({ after }, first, [], other)}`;
after(() => Promise.all([one.close(), other.close()]));

async function get(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url + path, { headers: { authorization: 'Bearer a', ...headers } });
  return response.text();
}

describe('a space', () => {
  it('has its own pages, plants and tags, also for the same target in turn', async () => {
    await one.plants.create({ id: 7n, name: 'of one', tag: 'a' });
    await other.plants.create({ id: 7n, name: 'of other', tag: 'b' });
    for (const path of ['/plants', '/plants/7', '/tags'])
      for (let turn = 0; turn < 3; turn += 1) {
        assert.match(await get(path), /of one|"a"/, path);
        assert.match(await get(path, { other: '1' }), /of other|"b"/, path);
      }
  });

  it('has its own groups, also while they run', async () => {
    const send = (batch: object, headers = {}): Promise<Response> =>
      fetch(`${url}/plants/batch`, {
        method: 'POST',
        headers: { authorization: 'Bearer a', 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ plants: { all: true }, group: 'g', ...batch }),
      });
    const [begun, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    beforeList = () => {
      begun.resolve(undefined);
      return held.promise;
    };
    const running = send({ action: 'setTag', tag: 'b' });
    await begun.promise;
    assert.equal((await send({ action: 'clearTag' })).status, 409);
    assert.equal((await send({ action: 'clearTag' }, { other: '1' })).status, 200);
    held.resolve(undefined);
    assert.equal((await running).status, 200);
    beforeList = () => Promise.resolve();
  });

  it('tells its followers its own changes', async () => {
    const path = '/plants/changes?after=now&wait=60';
    const [ofOne, ofOther] = [get(path), get(path, { other: '1' })];
    // Both follow once an earlier poll is answered by a change.
    for (let id = 100n; ; id += 1n) {
      await one.plants.create({ id, name: 'of one' });
      await other.plants.create({ id, name: 'of other' });
      const first = await Promise.race([Promise.all([ofOne, ofOther]), new Promise((done) => setTimeout(done, 50))]);
      if (first !== undefined) break;
    }
    assert.doesNotMatch(await ofOne, /of other/);
    assert.doesNotMatch(await ofOther, /of one/);
  });
});
