/** The pages of a list in each of its orders, from the real service: every plant once, also at both ends of int64. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sortedMax, toListSource } from '../../console/src/plants/list-source.ts';
import type { PagePlace } from '../../console/src/plants/row-reader.ts';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const client = new PlantClient({ url: service.url, token: service.token });
const { signal } = new AbortController();
const ids = [-(2n ** 63n), -(2n ** 63n) + 1n, -1n, 0n, 1n, 2n ** 63n - 2n, 2n ** 63n - 1n];
for (const id of ids) await client.create({ id, name: `Plant ${id}`, tag: 'edge' });
const never = (): void => assert.fail('there are not too many');

describe('toListSource()', () => {
  for (const order of ['id', 'highest'] as const)
    it(`reads up to each id and after it, in the order of the list (${order})`, async () => {
      const { read } = toListSource(client, { tag: 'edge' }, order, never);
      const inOrder = order === 'id' ? ids : ids.toReversed();
      const readIds = async (place: PagePlace) => (await read(place, signal)).items.map(({ id }) => id);
      for (const place of ['start', 'end'] as const) assert.deepEqual(await readIds(place), inOrder);
      for (const [at, id] of inOrder.entries()) {
        assert.deepEqual(await readIds({ upTo: id }), inOrder.slice(0, at + 1));
        assert.deepEqual(await readIds({ after: id }), inOrder.slice(at + 1));
      }
    });

  it('says whether more rows follow in the direction of reading', async () => {
    await client.import(Array.from({ length: 300 }, (_, at) => `{"id":${at},"name":"Fern","tag":"many"}`).join('\n'), {
      mediaType: 'application/x-ndjson',
      onConflict: 'replace',
    });
    const { read } = toListSource(client, { tag: 'many' }, 'highest', never);
    const page = await read('end', signal);
    assert.deepEqual([page.items.length, page.items.at(-1)?.id, page.isLast], [200, 0n, false]);
    assert.equal((await read({ upTo: 150n }, signal)).isLast, true);
  });

  it('sorts by name as people do: numbers by value, capitals and accents last', async () => {
    const names = ['Fern 2', 'Fern 10', 'Écho', 'echo', 'fern 1', 'Fern 2'];
    for (const [at, name] of names.entries()) await client.put(BigInt(1_000 - at), { name, tag: 'named' });
    const page = await toListSource(client, { tag: 'named' }, 'name', never).read('start', signal);
    assert.deepEqual(
      page.items.map(({ id, name }) => `${id} ${name}`),
      ['997 echo', '998 Écho', '996 fern 1', '995 Fern 2', '1000 Fern 2', '999 Fern 10'],
    );
    assert.equal(page.isLast, true);
    const reverse = await toListSource(client, { tag: 'named' }, 'last-name', never).read('start', signal);
    assert.deepEqual(reverse.items, page.items.toReversed());
  });

  it('reads no more than can be sorted, and says so', async () => {
    for (const [count, isTooMany] of [
      [sortedMax, false],
      [sortedMax + 1, true],
    ] as const) {
      let reads = 0;
      const all = Array.from({ length: 2 * sortedMax }, (_, at) => ({ id: BigInt(at), name: 'Fern' }));
      const list = async function* () {
        for (const plant of all.slice(0, count)) {
          reads++;
          yield plant;
        }
      };
      let isTold = false;
      const tell = (): void => {
        isTold = true;
      };
      await toListSource({ list, listPage: never as never }, {}, 'name', tell).read('start', signal);
      assert.deepEqual([isTold, reads], [isTooMany, Math.min(count, sortedMax + 1)]);
    }
  });
});
