/**
 * createPlant: stored plants and responses. Other files test error codes, header fields and tokens.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError, assertPlant } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

describe('createPlant', () => {
  const bodies: readonly (readonly [about: string, members: string, stored: { name: string; tag?: string }])[] = [
    ['name alone', '"name":"Zamioculcas"', { name: 'Zamioculcas' }],
    ['name and tag', '"name":"Monstera","tag":"climber"', { name: 'Monstera', tag: 'climber' }],
    ['an empty name', '"name":""', { name: '' }],
    ['an empty tag, which is not an absent one', '"name":"a","tag":""', { name: 'a', tag: '' }],
    ['white space around everything', ' "name" : "a" ,\r\n\t"tag" : "b" ', { name: 'a', tag: 'b' }],
    ['unknown members, which are ignored', '"name":"a","colour":"red","deep":{"id":[1,null,1e400]}', { name: 'a' }],
    ['members that objects inherit', '"__proto__":{"tag":"x"},"constructor":{"name":"y"},"name":"a"', { name: 'a' }],
    ['members whose names differ in case', '"name":"a","Name":"b","TAG":"c"', { name: 'a' }],
    ['member names with escapes', String.raw`"n\u0061me":"a","t\u0061g":"b"`, { name: 'a', tag: 'b' }],
  ];
  for (const [about, members, stored] of bodies) {
    it(`stores ${about}`, async () => {
      const id = nextId();
      const reply = await request(service, { body: `{${members},"id":${id}}` });
      assertPlant(reply, stored);
      assert.equal(reply.headers['idempotent-replayed'], undefined);
      assert.equal(reply.headers['content-type'], 'application/json');
      assert.deepEqual(readPlants(service.dataDir).get(id), { id, ...stored });
    });
  }

  it('returns the members of a plant in the order of the schema, and nothing else', async () => {
    const reply = await request(service, { body: `{"x":1,"tag":"b","id":${nextId()},"name":"a"}` });
    assert.equal(reply.text, '{"name":"a","tag":"b"}');
  });

  const refused: readonly (readonly [body: string, detail: RegExp])[] = [
    ['{}', /"(name|id)" is missing/],
    ['{"id":1}', /"name" is missing/],
    ['{"name":"a"}', /"id" is missing/],
    ['{"id":1,"name":null}', /"name" must be a string/],
    ['{"id":1,"name":7}', /"name" must be a string/],
    ['{"id":1,"name":["a"]}', /"name" must be a string/],
    ['{"id":1,"name":"a","tag":null}', /"tag" must be a string/],
    ['{"id":1,"name":"a","tag":false}', /"tag" must be a string/],
    ['{"id":1,"name":"a","tag":{}}', /"tag" must be a string/],
    ['{"__proto__":{"id":1,"name":"a"}}', /is missing/],
    ['[]', /The body must be an object/],
    ['[{"id":1,"name":"a"}]', /The body must be an object/],
    ['null', /The body must be an object/],
    ['true', /The body must be an object/],
    ['7', /The body must be an object/],
    ['"{}"', /The body must be an object/],
  ];
  for (const [body, detail] of refused) {
    it(`refuses ${body}, and names the member`, async () => {
      const reply = await request(service, { body });
      assertError(reply, 'plant_invalid');
      assert.match(reply.message ?? '', detail);
      assert.equal(readPlants(service.dataDir).has(1n), false);
    });
  }

  it('never repeats input in a refusal', async () => {
    const secret = 'a-value-of-the-caller';
    for (const body of [
      `{"id":"${secret}","name":"a"}`,
      `{"id":1,"name":["${secret}"]}`,
      `{"id":1,"name":"${secret}`,
    ]) {
      const { status, text } = await request(service, { body });
      assert.equal(status, 400);
      assert.ok(!text.includes(secret), text);
    }
    assert.ok(!service.output().includes(secret), 'nor in the log');
  });

  it('accepts a body of 65,536 bytes, and refuses a longer one', async () => {
    const id = nextId();
    const bodyOf = (bytes: number): string => {
      const head = `{"id":${id},"name":"a","pad":"`;
      return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
    };
    assertError(await request(service, { body: bodyOf(65_537) }), 'body_too_large');
    assertError(await request(service, { body: [bodyOf(65_537)] }), 'body_too_large');
    assert.equal(readPlants(service.dataDir).has(id), false);
    assertPlant(await request(service, { body: [bodyOf(65_536)] }), { name: 'a' });
    assertPlant(await request(service, { body: bodyOf(65_536) }), { name: 'a' });
    await assertServes(service);
  });

  it('accepts a character split over two chunks', async () => {
    const id = nextId();
    const bytes = Buffer.from(`{"id":${id},"name":"🌱"}`);
    for (let at = bytes.indexOf(0xf0) + 1; at < bytes.indexOf(0xf0) + 4; at++) {
      assertPlant(await request(service, { body: [bytes.subarray(0, at), bytes.subarray(at)] }), { name: '🌱' });
    }
    assert.equal(readPlants(service.dataDir).get(id)?.name, '🌱');
  });
});
