/** PlantClient against the real service, below a base path: every method, int64 to its edges, and texts to the code point. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PlantClient, PlantStoreError } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: '/api/v1' } });
const { url, token } = service;
const client = new PlantClient({ url, token });

const edges = [-(2n ** 63n), -9007199254740993n, -1n, 0n, 1n, 9007199254740993n, 2n ** 63n - 1n];

describe('PlantClient', () => {
  it('stores and finds every int64 exactly, and lists them in signed order', async () => {
    for (const id of edges.toReversed()) {
      // Another test imports them.
      await client.delete(id);
      const plant = { id, name: `n${id}`, tag: 'edge' };
      assert.deepEqual(await client.create(plant), { plant: { name: plant.name, tag: 'edge' }, replayed: false });
      assert.equal((await client.create(plant)).replayed, true);
      assert.deepEqual((await client.get(id))?.plant, plant);
    }
    for (const pageSize of [1, 2, 7, 1000]) {
      const listed = await Array.fromAsync(client.list({ tag: 'edge', pageSize }));
      assert.deepEqual(
        listed.map(({ id }) => id),
        edges,
      );
      const fallen = await Array.fromAsync(
        client.list({ tag: 'edge', pageSize, order: 'desc', above: -7n, below: 7n }),
      );
      assert.deepEqual(
        fallen.map(({ id }) => id),
        edges.filter((id) => id > -7n && id < 7n).reverse(),
      );
    }
    assert.deepEqual(
      (await Array.fromAsync(client.export({ tag: 'edge' }))).map(({ id }) => id),
      edges,
    );
  });

  it('keeps texts to the code point, an empty tag apart from none', async () => {
    const name = '\ufeff e\u0301 \u00e9 \u2028 \u{1f335} \u202e " \\ \u0001 \u007f';
    assert.deepEqual((await client.put(20n, { name, tag: '' })).plant, { id: 20n, name, tag: '' });
    assert.deepEqual((await client.patch(20n, { tag: null })).plant, { id: 20n, name });
    const found = await client.listPage({ name });
    assert.deepEqual(found.items, [{ id: 20n, name }]);
  });

  it('walks pages by their links', async () => {
    const ids = [60n, 61n, 62n, 63n, 64n];
    for (const id of ids) await client.put(id, { name: 'a', tag: 'page' });
    const first = await client.listPage({ tag: 'page', pageSize: 4 });
    assert.ok(first.next?.startsWith(`${url}/plants?`));
    const second = await client.listPage(first.next);
    assert.deepEqual(
      [...first.items, ...second.items].map(({ id }) => id),
      ids,
    );
    assert.equal(second.next, undefined);
  });

  it('lists tags with their counts, by prefix and page', async () => {
    for (const [id, tag] of [
      [30n, 't/b'],
      [31n, 't/a'],
      [32n, 't/a'],
    ] as const)
      await client.put(id, { name: 'a', tag });
    const expected = [
      { tag: 't/a', plants: 2n },
      { tag: 't/b', plants: 1n },
    ];
    assert.deepEqual(await Array.fromAsync(client.tags({ prefix: 't/', pageSize: 1 })), expected);
    assert.deepEqual((await client.tagsPage({ prefix: 't/' })).items, expected);
    const { next = '' } = await client.tagsPage({ prefix: 't/', pageSize: 1 });
    assert.deepEqual((await client.tagsPage(next)).items, expected.slice(1));
  });

  it('imports a text, and names the lines of what was refused', async () => {
    const csv = `id,name,tag\r\n${edges.map((id) => `${id},n${id},edge\r\n`).join('')}50,"a\r\nb",\r\n1,taken,\r\n`;
    for (const partBytes of [1, 60, 10_000]) {
      const report = await client.import(csv, { mediaType: 'text/csv', partBytes });
      assert.deepEqual([report.read, report.refused], [9n, 1n]);
      assert.deepEqual(
        report.errors.map(({ line, error }) => [line, error]),
        [[11n, 40901]],
      );
    }
    assert.deepEqual((await client.get(50n))?.plant, { id: 50n, name: 'a\r\nb' });
  });

  it('an import of nothing is a report of nothing', async () => {
    const report = await client.import(new Blob([]), { mediaType: 'application/x-ndjson' });
    assert.deepEqual([report.read, report.errors], [0n, []]);
    await assert.rejects(client.import('', { mediaType: 'text/csv' }), { number: 40016 });
  });

  it('an error has the number, the status and the message of the service', async () => {
    await client.put(8n, { name: 'one' });
    await assert.rejects(client.create({ id: 8n, name: 'other' }), (error) => {
      assert.ok(error instanceof PlantStoreError && error instanceof Error);
      assert.deepEqual(
        [error.number, error.status, error.message, error.retryAfterSeconds],
        [40901, 409, 'Cannot store plant: this id already exists with a different name or tag', undefined],
      );
      return true;
    });
    await assert.rejects(client.patch(99n, { name: 'a' }), { number: 40402, status: 404 });
    await assert.rejects(new PlantClient({ url, token: 'other' }).get(1n), { number: 40102, status: 401 });
    await assert.rejects(new PlantClient({ url: url.replace('/v1', '/v2'), token }).get(1n), { number: 40401 });
  });
});
