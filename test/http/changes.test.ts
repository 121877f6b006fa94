/** GET /plants/changes and /plants/{id}/history: pages, long polls, and server-sent events. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Principal, TokenRefusal } from '../../src/domain/principal.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { get, nextOf } from '../support/one-plant.ts';
import { request } from '../support/request.ts';
import { startServer } from '../support/start-server.ts';
import { startService } from '../support/start-service.ts';
import { createToken, revokeToken } from '../support/tokens.ts';

const service = await startService({ after });

interface Change {
  readonly position: string;
  readonly kind: string;
  /** Small ones only: it is read as a number. */
  readonly id: number;
}

async function readChanges(path: string): Promise<{ changes: Change[]; text: string; next: string }> {
  const reply = await request(service, { method: 'GET', path });
  assert.equal(reply.status, 200, reply.text);
  return { changes: JSON.parse(reply.text) as Change[], text: reply.text, next: nextOf(reply) ?? '' };
}

function write(method: string, id: bigint, body?: string): Promise<unknown> {
  return request(service, { method, path: `/plants/${id}`, ...(body === undefined ? {} : { body }) });
}

/** Reads a stream until it has `count` events, or ends. */
async function readEvents(
  path: string,
  count: number,
  { headers = {}, token = service.token }: { headers?: Record<string, string>; token?: string } = {},
): Promise<{ events: string[]; text: string }> {
  const response = await fetch(service.url + path, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.ok(response.body);
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    const events = text.split('\n\n').filter((event) => event.startsWith('event:'));
    if (events.length >= count) return { events, text };
  }
  return { events: text.split('\n\n').filter((event) => event.startsWith('event:')), text };
}

describe('GET /plants/changes', () => {
  it('has what changed, when and by whom, with exact ids', async () => {
    const { next } = await readChanges('/plants/changes?after=now');
    await write('PUT', 9223372036854775807n, '{"name":"Monstera"}');
    await write('PUT', 9223372036854775807n, '{"name":"Monstera","tag":"🌱"}');
    await write('DELETE', 9223372036854775807n);
    const { text, changes } = await readChanges(next);
    const by = /"by":(\{"token":"[0-9A-Za-z]{12}","name":"[^"]+"\})/.exec(text)?.[1] ?? '';
    const at = /"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g;
    assert.equal(text.match(at)?.length, 3);
    const [one, two, three] = changes.map(({ position }) => position);
    const [created, replaced] = [
      '{"id":9223372036854775807,"name":"Monstera"}',
      '{"id":9223372036854775807,"name":"Monstera","tag":"🌱"}',
    ];
    assert.equal(
      text.replaceAll(at, '"at":""'),
      `[{"position":"${one}","at":"","kind":"created","id":9223372036854775807,"plant":${created},"by":${by}},` +
        `{"position":"${two}","at":"","kind":"replaced","id":9223372036854775807,"plant":${replaced},"before":${created},"by":${by}},` +
        `{"position":"${three}","at":"","kind":"deleted","id":9223372036854775807,"before":${replaced},"by":${by}}]`,
    );
  });

  it('always links to the next page, and goes on there', async () => {
    const start = await readChanges('/plants/changes?after=now&limit=2');
    assert.equal(start.text, '[]');
    for (let id = 100n; id < 105n; id++) await write('PUT', id, '{"name":"a"}');
    const sizes: number[] = [];
    let { next } = start;
    for (let page = 0; page < 4; page++) {
      const read = await readChanges(next);
      sizes.push(read.changes.length);
      ({ next } = read);
    }
    assert.deepEqual(sizes, [2, 2, 1, 0]);
    const newest = await readChanges('/plants/changes?order=desc&limit=1');
    assert.deepEqual((await readChanges(newest.next)).changes.length, 1);
    assert.deepEqual((await readChanges('/plants/changes?order=desc&after=now&limit=1')).changes, newest.changes);
  });

  it('filters, and keeps the filter in the link', async () => {
    const { next } = await readChanges('/plants/changes?after=now&kind=deleted&tag=x');
    await write('PUT', 200n, '{"name":"a","tag":"x"}');
    await write('PUT', 201n, '{"name":"a","tag":"y"}');
    await write('DELETE', 201n);
    await write('DELETE', 200n);
    const { changes } = await readChanges(next);
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['deleted'],
    );
    assert.equal((await readChanges('/plants/changes?id=200')).changes.length, 2);
  });

  it('has only the newest change of each plant if that is wanted: those of plants that are still deleted', async () => {
    for (let id = 6000n; id < 6120n; id++) await write('PUT', id, '{"name":"a","tag":"still"}');
    for (let id = 6000n; id < 6120n; id++) await write('DELETE', id);
    await write('PUT', 6001n, '{"name":"back","tag":"still"}');
    await write('DELETE', 6002n);
    await write('PUT', 6003n, '{"name":"back","tag":"still"}');
    await write('DELETE', 6003n);
    const query = '?kind=deleted&tag=still&newest=true&order=desc';
    const { changes } = await readChanges(`/plants/changes${query}&limit=1000`);
    const ids = changes.map(({ id }) => id);
    assert.deepEqual(ids, [6003, ...Array.from({ length: 116 }, (_, at) => 6119 - at), 6002, 6000]);
    const { changes: some, next } = await readChanges(`/plants/changes${query}&limit=118`);
    assert.equal(some.length, 117);
    const rest = await readChanges(next);
    assert.deepEqual(
      rest.changes.map(({ id }) => id),
      [6002, 6000],
    );
  });

  it('has the changes of several plants; the newest of each, in pages', async () => {
    for (const name of ['a', 'b']) for (let id = 7000n; id < 7004n; id++) await write('PUT', id, `{"name":"${name}"}`);
    const toShown = ({ changes }: { readonly changes: readonly Change[] }): string[] =>
      changes.map(({ kind, id }) => `${kind} ${id}`);
    const page = await readChanges('/plants/changes?id=7002&id=7000&limit=3');
    assert.deepEqual(toShown(page), ['created 7000', 'created 7002', 'replaced 7000']);
    assert.deepEqual(toShown(await readChanges(page.next)), ['replaced 7002']);
    const newest = await readChanges('/plants/changes?id=7003&id=7000&newest=true&order=desc&limit=1');
    assert.deepEqual(toShown(newest), ['replaced 7003']);
    assert.deepEqual(toShown(await readChanges(newest.next)), ['replaced 7000']);
  });

  it('waits for the changes of several plants, also as a stream', async () => {
    const { next } = await readChanges('/plants/changes?after=now&id=7101&id=7102&newest=true');
    const waiting = readChanges(next.replace('wait=0', 'wait=15'));
    for (const id of [7100n, 7101n, 7102n]) await write('PUT', id, '{"name":"a"}');
    assert.equal((await waiting).changes[0]?.id, 7101);
    const { events } = await readEvents(next.replace('&newest=true', ''), 2);
    assert.deepEqual(
      events.map((event) => /"id":(\d+)/.exec(event)?.[1]),
      ['7101', '7102'],
    );
  });

  it('answers a long poll as soon as there is a change that matches', async () => {
    const { next } = await readChanges('/plants/changes?after=now&tag=poll');
    const waiting = readChanges(next.replace('wait=0', 'wait=15'));
    for (let id = 300n; id < 310n; id++) await write('PUT', id, '{"name":"a"}');
    await write('PUT', 310n, '{"name":"a","tag":"poll"}');
    const { changes } = await waiting;
    assert.equal(changes.length, 1);
  });

  it('answers a long poll with an empty page when the time is over', async () => {
    const { next } = await readChanges('/plants/changes?after=now&wait=1');
    const { changes, next: again } = await readChanges(next);
    assert.deepEqual([changes, again], [[], next]);
  });

  it('refuses positions that it does not know with 410, and malformed ones with 400', async () => {
    for (const [query, error] of [
      ['?after=00000000-1', 41001],
      ['?after=1', 40013],
      ['?wait=61', 40013],
      ['?kind=moved', 40013],
      ['?newest=yes', 40013],
      ['?id=x', 40013],
      ['?id=1&id=1', 40013],
    ] as const) {
      const reply = await request(service, { method: 'GET', path: `/plants/changes${query}` });
      assert.equal(reply.number, error, query);
    }
    const reply = await request(service, {
      method: 'GET',
      path: '/plants/changes',
      headers: { accept: 'text/event-stream', 'last-event-id': '00000000-1' },
    });
    assert.equal(reply.number, 41001);
  });
});

describe('GET /plants/changes as a stream', () => {
  it('sends changes as they happen', async () => {
    const { next } = await readChanges('/plants/changes?after=now');
    const reading = readEvents(next, 2);
    await write('PUT', 400n, '{"name":"a"}');
    await write('DELETE', 400n);
    const { events, text } = await reading;
    const { changes, text: page } = await readChanges(next);
    assert.deepEqual(
      events,
      page
        .slice(1, -1)
        .split(/(?<=\}),(?=\{"position")/)
        .map((json, index) => `event: plant.${changes[index]?.kind}\nid: ${changes[index]?.position}\ndata: ${json}`),
    );
    assert.match(text, /^retry: \d+\n\n/);
  });

  it('continues after Last-Event-ID without a gap', async () => {
    const { next } = await readChanges('/plants/changes?after=now');
    await write('PUT', 500n, '{"name":"a"}');
    await write('PUT', 501n, '{"name":"a"}');
    const { changes } = await readChanges(next);
    const headers = { 'last-event-id': changes[0]?.position ?? '' };
    const { events } = await readEvents('/plants/changes', 1, { headers });
    assert.ok(events[0]?.includes(`id: ${changes[1]?.position}\n`), String(events[0]));
  });

  it('sends the oldest changes first, whatever the order of pages, and each once', async () => {
    const { next } = await readChanges('/plants/changes?after=now&tag=order');
    for (const id of [510n, 511n, 512n]) await write('PUT', id, '{"name":"a","tag":"order"}');
    const { changes } = await readChanges(next);
    const { events } = await readEvents('/plants/changes?tag=order&order=desc&limit=2', 3);
    assert.deepEqual(
      events.map((event) => /^id: (.*)$/m.exec(event)?.[1]),
      changes.map(({ position }) => position),
    );
  });

  it('ends when its token is revoked', async () => {
    const { token, id } = await createToken(service, ['plants:read']);
    const stream = await fetch(`${service.url}/plants/changes?after=now`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    assert.equal(stream.status, 200);
    await revokeToken(service, id);
    // The stream ends by itself.
    await stream.text();
  });

  it('lasts as long as its own token, whatever becomes of others of its user', async (t) => {
    const store = openMemoryStore({ limits: { writesMax: 1_000, bytesMax: 1_000_000 } });
    t.after(() => store.close());
    const user: Principal = { tokenId: 'jwt:1', name: 'ada', limitKey: 'jwt:1', scopes: new Set(['plants:read']) };
    let isOver = false;
    const find = (token: string): Principal | TokenRefusal =>
      isOver && token.startsWith('short') ? { reason: 'expired' } : user;
    const port = await startServer(t, store, [], store, { principals: { find } });
    const follow = (token: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/plants/changes?after=now`, {
        headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      });
    // Whichever came first must not decide for both.
    const [before, long, after] = [await follow('short'), await follow('long'), await follow('short-too')];
    isOver = true;
    await Promise.all([before.text(), after.text()]);
    await store.plants.create({ id: 1n, name: 'a' });
    for await (const bytes of long.body ?? []) if (new TextDecoder().decode(bytes).includes('plant.created')) return;
    assert.fail('The other stream has ended, too');
  });

  it('ends at a shutdown, and says when to come back', async (t) => {
    const own = await startService(t);
    const response = await fetch(`${own.url}/plants/changes`, {
      headers: { authorization: `Bearer ${own.token}`, accept: 'text/event-stream' },
    });
    const text = response.text();
    await own.stop();
    assert.match(await text, /retry: \d+\n\n$/);
  });
});

describe('GET /plants/changes with short time-outs of connections', () => {
  it('waits as long as asked, and keeps a silent stream open', async (t) => {
    const time = '1s';
    const own = await startService(t, {
      env: {
        PLANT_STORE_KEEP_ALIVE_TIMEOUT: time,
        PLANT_STORE_REQUEST_TIMEOUT: time,
        PLANT_STORE_HEADERS_TIMEOUT: time,
      },
    });
    const stream = await fetch(`${own.url}/plants/changes`, {
      headers: { authorization: `Bearer ${own.token}`, accept: 'text/event-stream' },
    });
    const text = stream.text();
    const reply = await request(own, { method: 'GET', path: '/plants/changes?after=now&wait=5' });
    assert.deepEqual([reply.status, reply.text], [200, '[]']);
    await own.stop();
    assert.match(await text, /retry: 1000\n\n$/);
  });
});

describe('GET /plants/{id}/history', () => {
  it('has the changes of a plant, newest first, in pages', async () => {
    await write('PUT', 600n, '{"name":"a"}');
    await write('PUT', 600n, '{"name":"b"}');
    await write('DELETE', 600n);
    const all = await readChanges('/plants/600/history');
    assert.deepEqual(
      all.changes.map(({ kind }) => kind),
      ['deleted', 'replaced', 'created'],
    );
    assert.equal(all.next, '');
    const first = await readChanges('/plants/600/history?limit=2');
    assert.deepEqual([...first.changes, ...(await readChanges(first.next)).changes], all.changes);
  });

  it('is 404 for a plant that never was, and is there for a deleted one', async () => {
    assert.equal((await get(service, 601n)).status, 404);
    const unknown = await request(service, { method: 'GET', path: '/plants/601/history' });
    assert.equal(unknown.number, 40402);
  });

  it('refuses an invalid id, limit or cursor', async () => {
    for (const [path, number] of [
      ['/plants/07/history', 40012],
      ['/plants/7/history?limit=0', 40013],
      ['/plants/7/history?cursor=7', 40013],
    ] as const) {
      assert.equal((await request(service, { path })).number, number, path);
    }
  });
});
