/** One id, one plant: replays and conflicts of createPlant. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError, assertPlant } from '../support/assert-reply.ts';
import { nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { postPlant, request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

describe('createPlant with an id that is stored', () => {
  it('returns the same body and Idempotent-Replayed for equal fields, however often and in any spelling', async () => {
    const id = nextId();
    const first = await request(service, { body: `{"id":${id},"name":"Ä","tag":"b"}` });
    assert.equal(first.headers['idempotent-replayed'], undefined);
    for (const body of [
      `{"id":${id},"name":"Ä","tag":"b"}`,
      `{"tag":"b","name":"\\u00c4","id":${id}.0}`,
      `{"id":${id},"name":"Ä","tag":"b","more":"ignored"}`,
    ]) {
      const again = await request(service, { body });
      assert.deepEqual([again.status, again.text], [200, first.text]);
      assert.equal(again.headers['idempotent-replayed'], 'true');
    }
  });

  const stored = { name: 'Fern', tag: 'shade' };
  const others: readonly (readonly [about: string, fields: { name: string; tag?: string }])[] = [
    ['another name', { ...stored, name: 'Moss' }],
    ['another case', { ...stored, name: 'fern' }],
    ['a space more', { ...stored, name: 'Fern ' }],
    ['another tag', { ...stored, tag: 'sun' }],
    ['an empty tag', { ...stored, tag: '' }],
    ['no tag', { name: 'Fern' }],
  ];
  for (const [about, fields] of others) {
    it(`refuses ${about}, and keeps the stored plant`, async () => {
      const id = nextId();
      await postPlant(service, { id, ...stored });
      const reply = await postPlant(service, { id, ...fields });
      assertError(reply, 'plant_id_taken');
      assert.ok(!/Fern|shade/.test(reply.text), 'it does not show the stored one');
      assert.deepEqual((await readPlants(service.dataDir)).get(id), { id, ...stored });
    });
  }

  it('refuses an empty tag if the stored plant has none', async () => {
    const id = nextId();
    await postPlant(service, { id, name: 'a' });
    assertError(await postPlant(service, { id, name: 'a', tag: '' }), 'plant_id_taken');
    assertPlant(await postPlant(service, { id, name: 'a' }), { name: 'a' });
  });
});
