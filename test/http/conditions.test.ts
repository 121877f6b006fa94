/**
 * If-Match and If-None-Match of plants, which have an ETag, and of all other resources (RFC 9110,
 * section 13). Nothing is ignored that the client relies on.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { plant as toBody } from '../edge/bytes.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertStored, type Fields, get, patch, put, remove, store } from '../support/one-plant.ts';
import { nextId } from '../support/plants.ts';
import type { Reply } from '../support/reply.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const other = `"${'x'.repeat(22)}"`;

describe('the entity tag of a plant', () => {
  const contents = [
    ...[{ name: 'a' }, { name: 'a', tag: '' }, { name: 'a', tag: 'b' }, { name: 'ab' }, { name: 'ab', tag: '' }],
    ...[{ name: 'A' }, { name: '' }, { name: '', tag: 'a' }, { name: '\u00e9' }, { name: 'e\u0301' }],
  ];

  it('is strong, and depends only on name and tag', async () => {
    const etags = new Set<string>();
    for (const content of contents) {
      const etag = await store(service, { id: nextId(), ...content });
      assert.match(etag, /^"[\w-]{22}"$/);
      assert.equal(await store(service, { id: nextId(), ...content }), etag);
      etags.add(etag);
    }
    assert.equal(etags.size, contents.length);
  });

  it('is the same in every response, and when the content returns', async () => {
    const id = nextId();
    const etagOf = async (reply: Promise<Reply>): Promise<unknown> => (await reply).headers['etag'];
    const first = await store(service, { id, name: 'a', tag: 'b' });
    assert.equal(await etagOf(get(service, id)), first);
    const second = await etagOf(put(service, id, { name: 'a', tag: 'c' }));
    assert.notEqual(second, first);
    assert.equal(await etagOf(get(service, id)), second);
    assert.equal(await etagOf(patch(service, id, { tag: 'b' })), first);
    assert.equal(await etagOf(get(service, id)), first);
  });
});

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) ^ 32));
}

const ifMatch = (value: string): Fields => ({ 'if-match': value });
const ifNone = (value: string | readonly string[]): Fields => ({ 'if-none-match': value });

/** A condition, the status of a read under it, and whether a write of the stored plant proceeds. */
const conditions: readonly (readonly [toFields: (etag: string) => Fields, read: 200 | 304 | 412, isMet: boolean])[] = [
  [(etag) => ifMatch(etag), 200, true],
  [(etag) => ifMatch(`${other}, ${etag}`), 200, true],
  [() => ifMatch('*'), 200, true],
  [() => ifMatch(other), 412, false],
  [() => ifMatch('""'), 412, false],
  [(etag) => ifMatch(`W/${etag}`), 412, false],
  [(etag) => ifMatch(swapCase(etag)), 412, false],
  [(etag) => ifNone(etag), 304, false],
  [(etag) => ifNone(`W/${etag}`), 304, false],
  [(etag) => ifNone(`${other}, ${etag}`), 304, false],
  [(etag) => ifNone(`${other},W/${etag},${other}`), 304, false],
  [(etag) => ifNone(`, ,${etag},`), 304, false],
  [(etag) => ifNone(`W/"",\t"a,b", "\u00e9", ${etag}`), 304, false],
  [(etag) => ifNone([other, etag]), 304, false],
  [() => ifNone('*'), 304, false],
  [() => ifNone(other), 200, true],
  [(etag) => ifNone(`"${etag.slice(2)}`), 200, true],
  [(etag) => ifNone(`"${etag.slice(1, -1)},"`), 200, true],
  [() => ifNone('"*"'), 200, true],
  [() => ifNone('""'), 200, true],
  [(etag) => ({ ...ifMatch(etag), ...ifNone(other) }), 200, true],
  [(etag) => ({ ...ifMatch(etag), ...ifNone('*') }), 304, false],
  [(etag) => ({ ...ifMatch(etag), ...ifNone(etag) }), 304, false],
  // If-Match comes first (section 13.2.2).
  [(etag) => ({ ...ifMatch(other), ...ifNone(etag) }), 412, false],
];

describe('the condition of a plant', () => {
  for (const [toFields, read, isMet] of conditions) {
    const about = JSON.stringify(toFields('"etag"'));

    it(`${about} is ${isMet ? 'met' : 'not met'}`, async () => {
      const [id, before] = [nextId(), { name: 'a', tag: 'b' }];
      const etag = await store(service, { id, ...before });
      const headers = toFields(etag);
      for (const method of ['GET', 'HEAD']) {
        const reply = await request(service, { method, path: `/plants/${id}`, headers });
        assert.equal(reply.status, read);
        if (read !== 412) assert.equal(reply.headers['etag'], etag);
        assert.equal(reply.body.length === 0, read === 304 || method === 'HEAD');
      }
      /** A write that is not met changes nothing. */
      const write = async (send: () => Promise<Reply>, check: (reply: Reply) => unknown): Promise<void> => {
        await store(service, { id, ...before });
        const reply = await send();
        if (isMet) return void check(reply);
        assertError(reply, 'precondition_failed');
        assertStored(await get(service, id), 200, { id, ...before });
      };
      await write(
        () => put(service, id, before, headers),
        (reply) => assert.equal(reply.headers['idempotent-replayed'], 'true'),
      );
      await write(
        () => put(service, id, { name: 'c' }, headers),
        (reply) => assertStored(reply, 200, { id, name: 'c' }),
      );
      await write(
        () => patch(service, id, { tag: null }, headers),
        (reply) => assertStored(reply, 200, { id, name: 'a' }),
      );
      await write(
        () => remove(service, id, headers),
        (reply) => assert.equal(reply.status, 204),
      );
    });

    it(`${about} of an absent plant is 404, except that a PUT creates unless it must match`, async () => {
      const id = nextId();
      const headers = toFields(other);
      assertError(await get(service, id, headers), 'plant_unknown');
      assertError(await patch(service, id, {}, headers), 'plant_unknown');
      assertError(await remove(service, id, headers), 'plant_unknown');
      const reply = await put(service, id, { name: 'a' }, headers);
      if (headers['if-match'] === undefined) assertStored(reply, 201, { id, name: 'a' });
      else assertError(reply, 'precondition_failed');
      assert.equal((await get(service, id)).status, headers['if-match'] === undefined ? 200 : 404);
    });
  }

  // test/contract tests what a condition may be.
  for (const value of ['', 'abc'])
    it(`${JSON.stringify(value)} is refused before the body is read, with a plant and without`, async () => {
      const id = nextId();
      const assertRefused = async (): Promise<void> => {
        for (const headers of [ifMatch(value), ifNone(value)])
          for (const reply of [
            await get(service, id, headers),
            await put(service, id, '{not JSON', headers),
            await patch(service, id, '{not JSON', headers),
            await remove(service, id, headers),
          ])
            assertError(reply, 'condition_invalid');
      };
      await assertRefused();
      assert.equal((await get(service, id)).status, 404);
      await store(service, { id, name: 'a' });
      await assertRefused();
      assertStored(await get(service, id), 200, { id, name: 'a' });
    });
});

describe('a condition on a resource without an ETag', () => {
  for (const [method, path, headers, isMet] of [
    ['POST', '/plants', ifMatch(other), false],
    ['POST', '/plants', ifMatch('*'), true],
    ['POST', '/plants', ifNone('*'), false],
    ['POST', '/plants', ifNone(other), true],
    ['GET', '/plants', ifMatch(other), false],
    ['GET', '/plants', ifNone('*'), true],
    ['GET', '/livez', ifMatch(other), false],
    ['PATCH', '/webhooks/9f86d081884c7d65', ifMatch(other), false],
    ['DELETE', '/webhooks/9f86d081884c7d65', ifNone('*'), false],
  ] as const) {
    it(`${JSON.stringify(headers)} of ${method} ${path} is ${isMet ? 'met' : 'not met'}`, async () => {
      const id = nextId();
      const body = { POST: toBody(id), PATCH: '{"enabled":true}', GET: undefined, DELETE: undefined }[method];
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const sent = body === undefined ? { headers } : { body, headers: { ...headers, 'content-type': type } };
      const reply = await request(service, { method, path, ...sent });
      if (isMet) assert.equal(reply.status, 200);
      else assertError(reply, 'condition_not_met');
      if (method === 'POST') assert.equal((await get(service, id)).status, isMet ? 200 : 404);
    });
  }
});

it('PUT of a part of a plant is refused', async () => {
  const reply = await put(service, nextId(), { name: 'a' }, { 'content-range': 'bytes 0-2/9' });
  assertError(reply, 'request_malformed');
});
