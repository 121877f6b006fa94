/** patchPlant: JSON Merge Patch (RFC 7396) for the fields of a plant. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertStored, get, mergePatch, patch, remove, store } from '../support/one-plant.ts';
import { nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const stored = async (id: bigint): Promise<unknown> => (await readPlants(service.dataDir)).get(id);

interface Fields {
  readonly name: string;
  readonly tag?: string;
}

describe('patchPlant', () => {
  const [tagged, bare]: Fields[] = [{ name: 'a', tag: 'b' }, { name: 'a' }];
  const cases: readonly (readonly [change: string, before: Fields | undefined, now: Fields])[] = [
    ['{}', tagged, { name: 'a', tag: 'b' }],
    ['{"name":"c"}', tagged, { name: 'c', tag: 'b' }],
    ['{"name":""}', tagged, { name: '', tag: 'b' }],
    ['{"tag":"c"}', tagged, { name: 'a', tag: 'c' }],
    ['{"tag":""}', tagged, { name: 'a', tag: '' }],
    ['{"tag":null}', tagged, { name: 'a' }],
    ['{"name":"c","tag":null}', tagged, { name: 'c' }],
    ['{"name":"c","tag":"d"}', tagged, { name: 'c', tag: 'd' }],
    ['{}', bare, { name: 'a' }],
    ['{"tag":"c"}', bare, { name: 'a', tag: 'c' }],
    ['{"tag":""}', bare, { name: 'a', tag: '' }],
    ['{"tag":null}', bare, { name: 'a' }],
    ['{"colour":"red","deep":{"tag":"x"},"Name":"y"}', tagged, { name: 'a', tag: 'b' }],
    ['{"colour":null,"tag":"c"}', tagged, { name: 'a', tag: 'c' }],
    ['{"id":8,"name":"c"}', tagged, { name: 'c', tag: 'b' }],
    ['{"id":null}', tagged, { name: 'a', tag: 'b' }],
    ['{"__proto__":{"name":"x"},"constructor":null}', tagged, { name: 'a', tag: 'b' }],
    [' {"n\\u0061me" : "\\u00e9"} ', tagged, { name: 'é', tag: 'b' }],
  ];
  for (const [change, before, now] of cases) {
    it(`${change} on ${JSON.stringify(before)}`, async () => {
      const id = nextId();
      await store(service, { id, ...(before ?? bare ?? { name: '' }) });
      const reply = await patch(service, id, change);
      assertStored(reply, 200, { id, ...now });
      assert.deepEqual(await stored(id), { id, ...now });
      const found = await get(service, id);
      assert.deepEqual([found.text, found.headers['etag']], [reply.text, reply.headers['etag']]);
    });
  }

  const refused: readonly (readonly [body: string, code: ErrorCode])[] = [
    ['', 'body_missing'],
    ['{"name":null,"tag":"c"}', 'plant_invalid'],
    [' '.repeat(65_537), 'body_too_large'],
  ];
  for (const [body, code] of refused) {
    it(`refuses ${JSON.stringify(body.slice(0, 50))} with ${code}, also without a plant`, async () => {
      const id = nextId();
      assertError(await patch(service, id, body), code);
      await store(service, { id, name: 'a', tag: 'b' });
      assertError(await patch(service, id, body), code);
      assert.deepEqual(await stored(id), { id, name: 'a', tag: 'b' });
    });
  }

  it('accepts application/merge-patch+json and application/json, and says so in Accept-Patch', async () => {
    const id = nextId();
    await store(service, { id, name: 'a' });
    for (const type of ['application/json-patch+json', 'text/plain', undefined]) {
      const reply = await patch(service, id, { name: 'c' }, { 'content-type': type });
      assertError(reply, 'media_type_unsupported');
      assert.deepEqual(
        [reply.headers['accept'], reply.headers['accept-patch']],
        Array(2).fill(`${mergePatch}, application/json`),
      );
    }
    const coded = await patch(service, id, { name: 'c' }, { 'content-encoding': 'gzip' });
    assertError(coded, 'content_encoding_unsupported');
    assert.deepEqual([coded.headers['accept-encoding'], coded.headers['accept-patch']], ['identity', undefined]);
    assert.deepEqual(await stored(id), { id, name: 'a' });
    for (const type of ['Application/Merge-Patch+JSON', `${mergePatch}; charset=utf-8`, 'application/json'])
      assert.equal((await patch(service, id, {}, { 'content-type': type })).status, 200);
  });

  it('returns 404 for absent and deleted plants, and creates none', async () => {
    const id = nextId();
    assertError(await patch(service, id, { name: 'a', tag: 'b' }), 'plant_unknown');
    await store(service, { id, name: 'a' });
    await remove(service, id);
    assertError(await patch(service, id, { name: 'a' }), 'plant_unknown');
    assert.equal(await stored(id), undefined);
  });
});
