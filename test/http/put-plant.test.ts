/** putPlant: creates or replaces exactly one plant. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertStored, put, store } from '../support/one-plant.ts';
import { nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { postPlant, request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const behindProxy = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: '/api/v1' } });

/** Returns the plant in the file, bypassing the service. */
const stored = async (id: bigint): Promise<unknown> => (await readPlants(service.dataDir)).get(id);

describe('putPlant', () => {
  it('creates: 201, Location, the plant and its version', async () => {
    for (const id of [nextId(), -(2n ** 63n), 2n ** 63n - 1n, 0n]) {
      const reply = await put(service, id, { name: 'a', tag: 'b' });
      assertStored(reply, 201, { id, name: 'a', tag: 'b' });
      assert.equal(reply.headers['location'], `../plants/${id}`);
      assert.equal(reply.headers['idempotent-replayed'], undefined);
      assert.deepEqual(await stored(id), { id, name: 'a', tag: 'b' });
      const found = await request(service, { path: reply.resolve(reply.headers['location']) });
      assert.deepEqual([found.text, found.headers['etag']], [reply.text, reply.headers['etag']]);
    }
  });

  it('returns a location below the base path', async () => {
    const reply = await put(behindProxy, 7n, { name: 'a' });
    assert.equal(reply.resolve(reply.headers['location']), '/api/v1/plants/7');
  });

  it('replaces: 200, no Location; an omitted tag is removed', async () => {
    const id = nextId();
    await store(service, { id, name: 'a', tag: 'b' });
    for (const plant of [{ name: 'c', tag: 'd' }, { name: 'c', tag: '' }, { name: 'c' }, { name: '' }]) {
      const reply = await put(service, id, plant);
      assertStored(reply, 200, { id, ...plant });
      assert.equal(reply.headers['location'], undefined);
      assert.equal(reply.headers['idempotent-replayed'], undefined);
      assert.deepEqual(await stored(id), { id, ...plant });
    }
  });

  it('returns 200 and Idempotent-Replayed for an equal plant, whoever stored it and in any spelling', async () => {
    const id = nextId();
    await postPlant(service, { id, name: 'Ä', tag: 'b' });
    for (const body of ['{"name":"Ä","tag":"b"}', String.raw`{"tag":"\u0062","more":1,"name":"\u00c4"}`]) {
      const reply = await put(service, id, body);
      assertStored(reply, 200, { id, name: 'Ä', tag: 'b' });
      assert.equal(reply.headers['idempotent-replayed'], 'true');
    }
    const near = await put(service, id, { name: 'A\u0308', tag: 'b' });
    assert.equal(near.headers['idempotent-replayed'], undefined, 'equal to the code point, not to the eye');
  });

  it('uses the id of the path, and ignores one in the body', async () => {
    const [id, other] = [nextId(), nextId()];
    await store(service, { id, name: 'a' });
    for (const inBody of [`${other}`, '"7"', 'null', '1.5', '9'.repeat(50)]) {
      const plant = { id, name: `a ${inBody}` };
      assertStored(await put(service, id, `{"id":${inBody},"name":${JSON.stringify(plant.name)}}`), 200, plant);
    }
    assert.equal(await stored(other), undefined);
  });

  it('conflicts with a later create of other fields, but not the other way round', async () => {
    const id = nextId();
    await store(service, { id, name: 'a' });
    assertError(await postPlant(service, { id, name: 'b' }), 'plant_id_taken');
    assertStored(await put(service, id, { name: 'b' }), 200, { id, name: 'b' });
    assert.equal((await postPlant(service, { id, name: 'b' })).headers['idempotent-replayed'], 'true');
  });

  const refused: readonly (readonly [body: string, code: ErrorCode])[] = [
    ['', 'body_missing'],
    ['{"tag":"a"}', 'plant_invalid'],
    [' '.repeat(65_537), 'body_too_large'],
  ];
  for (const [body, code] of refused) {
    it(`refuses ${JSON.stringify(body.slice(0, 40))} with ${code}, and changes nothing`, async () => {
      const [id, absent] = [nextId(), nextId()];
      await store(service, { id, name: 'a', tag: 'b' });
      assertError(await put(service, id, body), code);
      assertError(await put(service, absent, body), code);
      assert.deepEqual([await stored(id), await stored(absent)], [{ id, name: 'a', tag: 'b' }, undefined]);
    });
  }
});
