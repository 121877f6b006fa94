/**
 * POST /plants/batch through a socket: each action, its report, and the repetition of a request.
 * batch-run.test.ts tests what ends a batch, and who interferes.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { toJson } from '../../src/json/to-json.ts';
import { assertError } from '../support/assert-reply.ts';
import { importRows, ndjson } from '../support/bulk.ts';
import { get, put, readAll, remove } from '../support/one-plant.ts';
import type { Reply } from '../support/reply.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

const service = await startService({ after });

interface Report {
  readonly group: string;
  readonly done: boolean;
  readonly read: number;
  readonly errors: readonly { readonly id: number; readonly error: number }[];
}

function send(batch: object, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return request(service, { path: '/plants/batch', body: toJson(batch), headers });
}

/** The counts of the report, and its refused plants. */
async function run(batch: object): Promise<Record<string, unknown>> {
  const reply = await send(batch);
  assert.equal(reply.status, 200, reply.text);
  const { group, done, errors, ...counts } = JSON.parse(reply.text) as Report;
  assert.equal(done, true);
  assert.match(group, /^[A-Za-z0-9_-]{1,64}$/);
  assert.ok(!('group' in batch) || group === batch.group);
  return { ...counts, errors: errors.map(({ id, error }) => [id, error]) };
}

function counts(changed: number, unchanged = 0, errors: readonly unknown[] = []): Record<string, unknown> {
  return { read: changed + unchanged + errors.length, changed, unchanged, refused: errors.length, errors };
}

async function store(tag: string | undefined, ...ids: readonly bigint[]): Promise<void> {
  const rows = ids.map((id) => toJson({ id, name: `plant ${id}`, tag }));
  await importRows(service, ndjson, rows.join('\n'), '?onConflict=replace');
}

async function tagsOf(...ids: readonly bigint[]): Promise<unknown[]> {
  const replies = await Promise.all(ids.map((id) => get(service, id)));
  return replies.map(({ status, text }) => (status === 404 ? 404 : (JSON.parse(text) as { tag?: string }).tag));
}

function range(from: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(from + index));
}

describe('an action of batchPlants', () => {
  it('sets and clears the tag of some ids, each once, and refuses those without a plant', async () => {
    await store('a', 11n, 12n);
    await store(undefined, 13n);
    const batch = { action: 'setTag', plants: [13n, 11n, 11n, 19n], tag: '' };
    assert.deepEqual(await run(batch), counts(2, 0, [[19, 40402]]));
    assert.deepEqual(await run(batch), counts(0, 2, [[19, 40402]]));
    assert.deepEqual(await tagsOf(11n, 12n, 13n), ['', 'a', '']);
    // Some clients cannot send a list in place of a filter.
    assert.deepEqual(await run({ action: 'clearTag', plants: { ids: [11n, 12n] } }), counts(2));
    assert.deepEqual(await tagsOf(11n, 12n, 13n), [undefined, undefined, '']);
  });

  it('changes all that a filter selects, with one group in the change log', async () => {
    const ids = range(1_000, 1_203);
    await store('filtered', ...ids);
    await store('other', 999n);
    const { text: all } = await send({
      action: 'setTag',
      plants: { tag: 'filtered', name: 'PLAN', search: 'TERED' },
      tag: 'found',
    });
    const { group } = JSON.parse(all) as Report;
    assert.equal((await readAll(service, '/plants?tag=found&limit=1000')).length, 1_203);
    assert.deepEqual(await tagsOf(999n), ['other']);
    const { text } = await request(service, { path: '/plants/changes?order=desc&limit=1000' });
    assert.equal(text.split(`"group":"${group}"`).length - 1, 1_000);
    assert.deepEqual(await run({ action: 'delete', plants: { tag: 'found' } }), counts(1_203));
    assert.deepEqual(await run({ action: 'delete', plants: { tag: 'found' } }), counts(0));
  });

  it('changes a plant once for its group, whatever happened since', async () => {
    await store('a', 21n, 22n, 23n);
    const batch = { action: 'setTag', plants: [21n, 22n], tag: 'b', group: 'repeated' };
    assert.deepEqual(await run(batch), counts(2));
    await put(service, 21n, { name: 'someone else', tag: 'c' });
    assert.deepEqual(await run({ ...batch, plants: [21n, 22n, 23n] }), counts(1, 2));
    assert.deepEqual(await tagsOf(21n, 22n, 23n), ['c', 'b', 'b']);
    await put(service, 22n, { name: 'someone else', tag: 'd' });
    assert.deepEqual(await run({ ...batch, action: 'setTag', plants: { tag: 'd' } }), counts(0, 1));
    assert.deepEqual(await tagsOf(22n), ['d']);
  });

  it('deletes plants, and those that are gone are as wanted', async () => {
    await store('a', 31n, 32n);
    assert.deepEqual(await run({ action: 'delete', plants: [31n, 32n, 39n] }), counts(2, 1));
    assert.deepEqual(await tagsOf(31n, 32n), [404, 404]);
  });

  it('restores deleted plants as they were last', async () => {
    await store('a', 41n, 42n, 2n ** 63n - 1n);
    await put(service, 41n, { name: 'last' });
    for (const id of [41n, 2n ** 63n - 1n]) await remove(service, id);
    const restore = { action: 'restore', plants: [41n, 42n, 49n, 2n ** 63n - 1n] };
    const reply = await send(restore);
    assert.deepEqual(
      reply.text.replace(/"group":"[^"]+",/, ''),
      toJson({
        ...{ done: true, read: 4, changed: 2, unchanged: 1, refused: 1 },
        errors: [{ id: 49, error: 40402, message: 'No plant has this id' }],
      }),
    );
    assert.deepEqual(await run(restore), counts(0, 3, [[49, 40402]]));
    assert.equal((await get(service, 41n)).text, '{"id":41,"name":"last"}');
    assert.equal(
      (await get(service, 2n ** 63n - 1n)).text,
      `{"id":${2n ** 63n - 1n},"name":"plant ${2n ** 63n - 1n}","tag":"a"}`,
    );
  });

  it('goes on after a page that is shorter for its long texts', async () => {
    const names = Array.from(
      { length: 700 },
      (_, at) => `{"id":${20_000 + at},"name":"${'x'.repeat(1_000)}","tag":"long"}`,
    );
    await importRows(service, ndjson, names.join('\n'));
    assert.deepEqual(await run({ action: 'delete', plants: { tag: 'long' }, group: 'long' }), counts(700));
    assert.deepEqual(await run({ action: 'undo', undoes: 'long' }), counts(700));
  });
});

describe('the undo of batchPlants', () => {
  it('undoes a group, except where a plant has changed since, and undoes the undo', async () => {
    const ids = range(5_000, 701);
    await store('undo', ...ids);
    await store('b', 5_001n);
    await run({ action: 'setTag', plants: { name: 'plant', tag: 'undo' }, tag: 'new', group: 'retag' });
    await run({ action: 'setTag', plants: [5_001n], tag: 'new', group: 'retag' });
    await put(service, 5_002n, { name: 'someone else', tag: 'new' });
    await put(service, 5_003n, { name: 'plant 5003', tag: 'undo' });
    const undo = { action: 'undo', undoes: 'retag', group: 'undone' };
    assert.deepEqual(await run(undo), counts(699, 1, [[5_002, 40905]]));
    assert.deepEqual(await tagsOf(5_000n, 5_001n, 5_002n, 5_003n), ['undo', 'b', 'new', 'undo']);
    assert.deepEqual(await run({ action: 'undo', undoes: 'undone' }), counts(699));
    assert.deepEqual(await tagsOf(5_000n, 5_001n, 5_002n, 5_003n), ['new', 'new', 'new', 'undo']);
    await run({ action: 'delete', plants: range(5_000, 700), group: 'deleted' });
    assert.deepEqual(await run({ action: 'undo', undoes: 'deleted', group: 'back' }), counts(700));
    assert.deepEqual(await run({ action: 'undo', undoes: 'back' }), counts(700), 'what it created is deleted');
  });

  it('undoes an import: what it created is deleted, except where someone else has changed it', async () => {
    const rows = range(30_000, 700).map((id) => toJson({ id, name: 'imported' }));
    await importRows(service, ndjson, rows.join('\n'), '?group=import');
    await put(service, 30_007n, { name: 'someone else' });
    await remove(service, 30_008n);
    const undo = { action: 'undo', undoes: 'import' };
    assert.deepEqual(await run(undo), counts(698, 1, [[30_007, 40905]]));
    assert.deepEqual(await tagsOf(30_000n, 30_007n, 30_699n), [404, undefined, 404]);
    await importRows(service, ndjson, rows.join('\n'), '?group=dry&dryRun=true');
    assertError(await send({ action: 'undo', undoes: 'dry' }), 'group_unknown');
  });

  it('undoes an import only once it has ended', async () => {
    const socket = connect(service.port, '127.0.0.1');
    const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: ${ndjson}\r\n`;
    // The first 500 are more bytes than a part that is stored at once.
    const rows = range(40_000, 501).map((id) => `{"id":${id},"name":"${'x'.repeat(600)}"}\n`);
    const write = (text: string): boolean => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    socket.write(`POST /plants/import?group=slow HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`);
    write(rows.slice(0, 500).join(''));
    await until(async () => (await get(service, 40_000n)).status !== 404, 'the first rows are stored');
    const undoing = run({ action: 'undo', undoes: 'slow' });
    // An undo that does not wait would end within these reads.
    for (let reads = 0; reads < 20; reads++) assert.equal((await get(service, 40_000n)).status, 200);
    write(rows.slice(500).join(''));
    socket.write('0\r\n\r\n');
    assert.deepEqual(await undoing, counts(501));
    socket.destroy();
  });

  it('undoes an import that changed plants several times: they are as before the first', async () => {
    await store('first', 31_000n, 31_001n);
    const toRows = (tag: string): string =>
      [31_000n, 31_001n, ...range(31_010, 400)].map((id) => `{"id":${id},"name":"x","tag":"${tag}"}\n`).join('');
    // In one transaction, and in several. A page of 500 changes ends with the first of a plant: 1 + 166 * 3 + 1.
    const rows = `{"id":30999,"name":"x"}\n${toRows('second')}${toRows('third')}`;
    await importRows(service, ndjson, rows, '?onConflict=replace&group=twice');
    await put(service, 31_001n, { name: 'someone else', tag: 'between' });
    await importRows(service, ndjson, toRows('fourth'), '?onConflict=replace&group=twice');
    await put(service, 31_011n, { name: 'someone else', tag: 'since' });
    assert.deepEqual(await run({ action: 'undo', undoes: 'twice' }), counts(402, 0, [[31_011, 40905]]));
    assert.deepEqual(await tagsOf(31_000n, 31_001n, 31_010n, 31_011n, 31_409n), [
      'first',
      'between',
      404,
      'since',
      404,
    ]);
  });
});

describe('the reply of batchPlants', () => {
  it('sends its reports as it proceeds, the errors with the last one', async () => {
    await store('streamed', ...range(7_000, 1_100));
    const ids = [...range(7_000, 998), 7_999_998n, 7_999_999n];
    const reply = await send({ action: 'clearTag', plants: ids, group: 'g' }, { accept: ndjson });
    const lines = reply.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Report);
    assert.deepEqual(lines.map(({ done, errors }) => [done, errors.length]).at(-1), [true, 2]);
    assert.ok(lines.length > 1);
    for (const { done, read, errors } of lines.slice(0, -1))
      assert.deepEqual([done, read % 500, errors], [false, 0, []]);
    const none = await send({ action: 'delete', plants: { tag: 'nobody' }, group: 'h' }, { accept: ndjson });
    assert.match(none.text, /^\{"group":"h","done":false,"read":0,.*\n\{"group":"h","done":true,"read":0,.*\n$/);
  });

  it('goes on to its end when the client disconnects', async () => {
    await store('left', ...range(9_000, 2_000));
    const body = '{"action":"delete","plants":{"tag":"left"}}';
    const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\n`;
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /plants/batch HTTP/1.1\r\n${head}Accept: ${ndjson}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await until(async () => (await readAll(service, '/plants?tag=left')).length === 0, 'all are deleted');
  });

  it('refuses what is no batch, and says what to fix', async () => {
    await store('kept', 61n);
    const plants = [61n];
    for (const [batch, detail] of [
      [{}, '"action" is missing, or not one that the description has'],
      [{ action: 'drop', plants }, '"action" is missing, or not one that the description has'],
      [{ action: 'setTag', plants }, '"tag" is missing'],
      [{ action: 'delete' }, '"plants" is missing'],
      [{ action: 'delete', plants: [] }, '"plants" must have at least one item'],
      [{ action: 'delete', plants: range(1, 20_001) }, '"plants" must have at most 20000 items'],
      [{ action: 'delete', plants: { search: '' } }, '"plants.search" must have more than white space'],
      [{ action: 'delete', plants: { tag: 'kept', name: ' \t' } }, '"plants.name" must have more than white space'],
      [{ action: 'delete', plants: { all: false } }, '"plants.all" must be'],
      [{ action: 'delete', plants: {} }, '"plants" must have at least one member'],
      [{ action: 'delete', plants: { ids: [] } }, '"plants.ids" must have at least one item'],
      [{ action: 'delete', plants: { ids: plants, tag: 'kept' } }, '"plants.ids" must be alone'],
      [{ action: 'delete', plants: { untagged: false } }, '"plants.untagged" must be true'],
      [{ action: 'delete', plants: 61 }, '"plants" must be an array or an object'],
      [{ action: 'delete', plants: { tag: 1 } }, '"plants.tag" must be a string'],
      [{ action: 'delete', plants: { tags: 'kept' } }, '"plants" has a member that the description does not have'],
      [{ action: 'delete', plants, filter: {} }, 'The body has a member that the description does not have'],
      [{ action: 'delete', plants: ['61'] }, '"plants.0" must be an integer from'],
      [{ action: 'restore', plants: { tag: 'kept' } }, '"plants" must be an array'],
      [{ action: 'undo' }, '"undoes" is missing'],
      [{ action: 'delete', plants, group: 'x'.repeat(65) }, '"group" must'],
      [{ action: 'delete', plants, group: '' }, '"group" is too short'],
    ] as const) {
      const reply = await send(batch);
      assertError(reply, 'batch_invalid');
      assert.ok(reply.message?.includes(detail), `${toJson(batch)}: ${reply.message}`);
    }
    assert.deepEqual(await run({ action: 'delete', plants: { tag: 'kept', name: '\u00a0' } }), counts(0));
    assert.deepEqual(await run({ action: 'delete', plants: range(100_000, 1_000) }), counts(0, 1_000));
    assert.deepEqual(await tagsOf(61n), ['kept']);
  });
});

const bytesMax = 524_288;
const idsMax = 20_000;

/** The longest ids, in a body of this length. */
function sendIds(ids: number, bytes: number): Promise<Reply> {
  const plants = Array.from({ length: ids }, (_, at) => -(2n ** 63n) + BigInt(at)).join(',');
  const body = `{"action":"clearTag","plants":[${plants}]}`.padEnd(bytes, ' ');
  assert.equal(body.length, bytes);
  return request(service, { path: '/plants/batch', body });
}

describe('the length of a batch', () => {
  it('is 20,000 ids in 512 KiB; one byte more is refused', async () => {
    const reply = await sendIds(idsMax, bytesMax);
    assert.equal(reply.status, 200, reply.text);
    const { read, refused } = JSON.parse(reply.text) as Record<string, unknown>;
    assert.deepEqual([read, refused], [idsMax, idsMax]);
    assertError(await sendIds(idsMax, bytesMax + 1), 'body_too_large');
  });

  it('is that of few at once: a token sends four', async () => {
    const head =
      `POST /plants/batch HTTP/1.1\r\nHost: plants\r\nAuthorization: Bearer ${service.token}\r\n` +
      `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${bytesMax}\r\n\r\n`;
    const waiting = Array.from({ length: 4 }, () => connect(service.port, '127.0.0.1'));
    for (const socket of waiting) socket.write(head);
    // Each has its place once it is asked for the body.
    for (const socket of waiting) await once(socket, 'data');
    assertError(await sendIds(1, 100), 'store_busy');
    for (const socket of waiting) socket.destroy();
    for (const socket of waiting) if (!socket.closed) await once(socket, 'close');
    for (;;) {
      const reply = await sendIds(1, 100);
      if (reply.status === 200) break;
      assertError(reply, 'store_busy');
    }
  });
});
