/** deletePlant: deletes exactly one plant, once. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { get, remove, store } from '../support/one-plant.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { sendRaw } from '../edge/connection.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const has = async (id: bigint): Promise<boolean> => (await readPlants(service.dataDir)).has(id);

describe('deletePlant', () => {
  it('deletes the plant and no other: 204 without content, then 404', async () => {
    for (const id of [-(2n ** 63n) + 1n, 0n, 9007199254740993n, 2n ** 63n - 2n]) {
      for (const each of [id - 1n, id, id + 1n]) await store(service, { id: each, name: 'a' });
      const reply = await remove(service, id);
      assert.deepEqual([reply.status, reply.text, reply.headers['content-length']], [204, '', undefined]);
      assert.deepEqual([await has(id - 1n), await has(id), await has(id + 1n)], [true, false, true]);
      assertError(await get(service, id), 'plant_unknown');
      assertError(await remove(service, id), 'plant_unknown');
    }
  });

  it('accepts any Accept, since it returns no content', async () => {
    const id = nextId();
    await store(service, { id, name: 'a' });
    assert.equal((await remove(service, id, { accept: 'text/html' })).status, 204);
  });

  it('does not read a body: keeps the connection after a short one, closes it after a long one', async () => {
    const ask = (id: bigint, fields: string, body: string): string =>
      `DELETE /plants/${id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\n${fields}\r\n${body}`;
    const [first, second, third] = [nextId(), nextId(), nextId()];
    for (const id of [first, second, third]) await store(service, { id, name: 'a' });
    // The body looks like a request and must not be treated as one.
    const smuggled = ask(third, '', '');
    const requests = [first, second].map((id) => ({ method: 'DELETE', path: `/plants/${id}` }));
    const replies = await sendRaw(
      service,
      ask(first, `Content-Length: ${smuggled.length}\r\n`, smuggled) + ask(second, '', ''),
      { requests },
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [204, 204],
    );
    assert.deepEqual([await has(first), await has(second), await has(third)], [false, false, true]);
    const tooLong = await sendRaw(service, ask(third, 'Content-Length: 65537\r\n', smuggled));
    assertError(tooLong[0], 'body_too_large');
    assert.equal(await has(third), true);
    await assertServes(service);
  });
});
