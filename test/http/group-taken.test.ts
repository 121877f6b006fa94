/** A group belongs to its first request: to its token and its action. batch-run.test.ts has one that still runs. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { toJson } from '../../src/json/to-json.ts';
import { assertError } from '../support/assert-reply.ts';
import { ndjson } from '../support/bulk.ts';
import { get, store } from '../support/one-plant.ts';
import type { Reply } from '../support/reply.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';

const service = await startService({ after });
const another = await createToken(service, ['plants:write']);

function batch(body: object, token = service.token): Promise<Reply> {
  return request(service, { path: '/plants/batch', body: toJson(body), token });
}

function importOne(id: number, group: string, token = service.token): Promise<Reply> {
  const path = `/plants/import?onConflict=replace&group=${group}`;
  return request(service, { path, body: `{"id":${id},"name":"new"}`, headers: { 'content-type': ndjson }, token });
}

function assertTaken(reply: Reply, detail: string): void {
  assertError(reply, 'group_taken');
  assert.equal(reply.message, `The group belongs to another request: send a new one. ${detail}`);
}

function assertCounts({ status, text }: Reply, changed: number, unchanged: number): void {
  assert.equal(status, 200, text);
  const report = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual([report['changed'], report['unchanged'], report['refused']], [changed, unchanged, 0]);
}

async function storeAll(...ids: readonly number[]): Promise<void> {
  for (const id of ids) await store(service, { id: BigInt(id), name: 'plant', tag: 'old' });
}

describe('a group', () => {
  it('of a batch is refused with another tag or action, and the error says what it did', async () => {
    await storeAll(1, 2, 3, 4, 5);
    const group = 'shade';
    const shade = { action: 'setTag', plants: [1, 2], tag: 'sh"ade', group };
    assertCounts(await batch(shade), 2, 0);
    const detail = 'It set the tag "sh\\"ade"';
    for (const other of [
      { action: 'setTag', plants: [3], tag: 'sun', group },
      { action: 'clearTag', plants: [3], group },
      { action: 'delete', plants: [3], group },
      { action: 'restore', plants: [3], group },
    ])
      assertTaken(await batch(other), detail);
    assert.equal((await get(service, 3n)).text, '{"id":3,"name":"plant","tag":"old"}');
    assertCounts(await batch(shade), 0, 2);
    assertCounts(await batch({ ...shade, plants: [2, 3] }), 1, 1);
    assertCounts(await batch({ action: 'undo', undoes: group }), 3, 0);
    assertCounts(await batch(shade), 0, 2);
    assertCounts(await batch({ action: 'clearTag', plants: [4], group: 'clear' }), 1, 0);
    assertTaken(await batch({ ...shade, group: 'clear' }), 'It cleared the tag');
    assertCounts(await batch({ action: 'delete', plants: [4], group: 'gone' }), 1, 0);
    assertTaken(await importOne(5, 'gone'), 'It deleted plants');
    assertTaken(await batch({ action: 'restore', plants: [4], group: 'gone' }), 'It deleted plants');
    assertCounts(await batch({ action: 'restore', plants: [4], group: 'back' }), 1, 0);
    assertTaken(await batch({ action: 'delete', plants: [4], group: 'back' }), 'It created plants');
    assertCounts(await batch({ ...shade, plants: [5], tag: 'x'.repeat(101), group: 'long' }), 1, 0);
    assertTaken(await batch({ ...shade, group: 'long' }), 'It set another tag');
  });

  it('of an import goes on with its other parts, and is refused for a batch', async () => {
    await storeAll(21);
    assert.equal((await importOne(21, 'file')).status, 200);
    assert.equal((await importOne(22, 'file')).status, 200);
    assertTaken(await batch({ action: 'setTag', plants: [22], tag: 'x', group: 'file' }), 'It replaced plants');
    assertTaken(await batch({ action: 'clearTag', plants: [22], group: 'file' }), 'It replaced plants');
    assertTaken(await batch({ action: 'delete', plants: [22], group: 'file' }), 'It replaced plants');
    assert.equal((await get(service, 22n)).text, '{"id":22,"name":"new"}');
    await store(service, { id: 23n, name: 'old' });
    assert.equal((await importOne(23, 'names')).status, 200);
    assertTaken(await batch({ action: 'delete', plants: [23], group: 'names' }), 'It set the name "new"');
  });

  it('is refused for the undo of what its changes do not undo, and goes on with that of its own', async () => {
    await storeAll(41, 42, 43, 44);
    const tag = (group: string, ...plants: readonly number[]): Promise<Reply> =>
      batch({ action: 'setTag', plants, tag: group, group });
    assertCounts(await tag('one', 41, 42), 2, 0);
    assertCounts(await tag('two', 42), 1, 0);
    assertCounts(await tag('three', 43), 1, 0);
    const undo = { action: 'undo', undoes: 'one' };
    for (const group of ['two', 'three']) assertTaken(await batch({ ...undo, group }), `It set the tag "${group}"`);
    assertTaken(await batch({ ...undo, group: 'one' }), 'It is the group to undo');
    assertCounts(await batch({ action: 'delete', plants: [44], group: 'none' }), 1, 0);
    assertTaken(await batch({ ...undo, group: 'none' }), 'It deleted plants');
    assert.equal((await importOne(45, 'new')).status, 200);
    assertTaken(await batch({ ...undo, group: 'new' }), 'It created plants');
    assertTaken(await batch({ action: 'undo', undoes: 'new', group: 'one' }), 'It set the tag "one"');
    assert.equal((await get(service, 41n)).text, '{"id":41,"name":"plant","tag":"one"}');
    // 45 is deleted, 41 changed back, 44 created: an undo makes changes of all kinds.
    for (const [undoes, id] of [
      ['new', 45],
      ['three', 43],
      ['none', 44],
    ] as const) {
      const own = { action: 'undo', undoes, group: `undo-${undoes}` };
      assertCounts(await batch(own), 1, 0);
      await store(service, { id: BigInt(id), name: 'someone else' });
      assertCounts(await batch(own), 0, 1);
      assertTaken(
        await batch({ ...own, undoes: 'two' }),
        { new: 'It deleted plants', three: 'It set the tag "old"', none: 'It created plants' }[undoes],
      );
    }
  });

  it('is refused for another token, which does not see what it did, and may undo it by a group of its own', async () => {
    await storeAll(31);
    const mine = { action: 'setTag', plants: [31], tag: 'mine', group: 'mine' };
    assertCounts(await batch(mine), 1, 0);
    const detail = 'It is that of another token';
    assertTaken(await batch(mine, another.token), detail);
    assertTaken(await importOne(31, 'mine', another.token), detail);
    assertTaken(await batch({ action: 'undo', undoes: 'other', group: 'mine' }, another.token), detail);
    assertCounts(await batch({ action: 'undo', undoes: 'mine', group: 'his' }, another.token), 1, 0);
    assert.equal((await get(service, 31n)).text, '{"id":31,"name":"plant","tag":"old"}');
    assertTaken(await batch({ action: 'undo', undoes: 'mine', group: 'his' }), detail);
  });
});
