/** getPlant: the exact plant. Also which paths are plants. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertStored, get, patch, put, remove, store } from '../support/one-plant.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

describe('getPlant', () => {
  it('omits an absent tag, and returns an empty one', async () => {
    const [bare, empty] = [nextId(), nextId()];
    await store(service, { id: bare, name: '' });
    await store(service, { id: empty, name: '', tag: '' });
    assertStored(await get(service, bare), 200, { id: bare, name: '' });
    assertStored(await get(service, empty), 200, { id: empty, name: '', tag: '' });
  });

  it('returns 404 for ids that are not stored, deleted, or adjacent', async () => {
    const id = nextId();
    assertError(await get(service, id), 'plant_unknown');
    await store(service, { id, name: 'a' });
    await remove(service, id);
    assertError(await get(service, id), 'plant_unknown');
    await store(service, { id: 9007199254740993n, name: 'a' });
    assertError(await get(service, 9007199254740992n), 'plant_unknown');
    assertError(await get(service, 9007199254740994n), 'plant_unknown');
  });

  it('ignores a query, and an unexpected body', async () => {
    const id = nextId();
    await store(service, { id, name: 'a' });
    assertStored(await get(service, `${id}?limit=0&name=%zz`), 200, { id, name: 'a' });
    const head = `GET /plants/${id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\n`;
    const replies = await sendRaw(service, `${head}Content-Length: 5\r\n\r\n{}{}!${head}\r\n`, {
      requests: [
        { method: 'GET', path: `/plants/${id}` },
        { method: 'GET', path: `/plants/${id}` },
      ],
    });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
  });
});

describe('HEAD of a plant', () => {
  it('is answered like GET, without the body', async () => {
    const id = nextId();
    await store(service, { id, name: 'é', tag: 'b' });
    const full = await get(service, id);
    const head = await request(service, { method: 'HEAD', path: `/plants/${id}` });
    const { date: _, 'x-request-id': _id, ...fields } = full.headers;
    const { date: __, 'x-request-id': __id, ...headFields } = head.headers;
    assert.deepEqual([head.status, head.body.length, headFields], [200, 0, fields]);
    assert.equal(head.headers['content-length'], String(full.body.length));
    assert.equal((await request(service, { method: 'HEAD', path: `/plants/${nextId()}` })).status, 404);
    assert.equal((await request(service, { method: 'HEAD', path: '/plants/07' })).status, 400);
  });
});

const pathIds: readonly (readonly [answer: bigint | ErrorCode, texts: readonly string[]])[] = [
  [2n ** 63n - 1n, ['9223372036854775807']],
  [-(2n ** 63n), ['-9223372036854775808']],
  [0n, ['%30']],
  // test/json tests the spellings of ids.
  ['path_id_invalid', ['07', '9'.repeat(4000), '%207', '7%00', '%EF%BC%97', '%2537', '7;v=1', '7%2F', '__proto__']],
  ['method_not_allowed', ['import']],
  ['path_unknown', ['', '7/', '7/8', '/7']],
];

describe('the id in the path', () => {
  for (const [answer, text] of pathIds.flatMap(([each, texts]) => texts.map((text) => [each, text] as const))) {
    it(`${JSON.stringify(text.slice(0, 30))} is ${typeof answer === 'bigint' ? `the plant ${answer}` : answer}`, async () => {
      if (typeof answer === 'bigint') {
        await store(service, { id: answer, name: 'a' });
        assertStored(await get(service, text), 200, { id: answer, name: 'a' });
        assertStored(await put(service, text, { name: 'b' }), 200, { id: answer, name: 'b' });
        assertStored(await patch(service, text, { name: 'c' }), 200, { id: answer, name: 'c' });
        assert.equal((await remove(service, text)).status, 204);
        assertError(await get(service, answer), 'plant_unknown');
        return;
      }
      assertError(await get(service, text), answer);
      assertError(await put(service, text, { name: 'intruder' }), answer);
      assertError(await patch(service, text, { name: 'intruder' }), answer);
      assertError(await remove(service, text), answer);
    });
  }

  it('is checked after media types and before a condition', async () => {
    const reply = await get(service, '07', { 'if-none-match': 'no tag' });
    assertError(reply, 'path_id_invalid');
    assert.match(reply.message ?? '', /\. It must be written without leading zeros$/);
    assertError(await get(service, '07', { accept: 'text/html' }), 'not_acceptable');
    assertError(await put(service, '07', '{', { 'if-match': 'no tag' }), 'path_id_invalid');
    assertError(await put(service, '07', '{', { 'content-type': 'text/plain' }), 'media_type_unsupported');
  });

  it('never addresses another plant', async () => {
    assert.ok(!(await request(service, { path: '/plants?limit=1000' })).text.includes('intruder'));
    await assertServes(service);
  });
});
