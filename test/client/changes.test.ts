/** Following the change log with PlantClient: each change once and in order, whatever happens to connections; history and restore. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Change, type ChangesOptions, PlantClient, type StoredPlant } from '../../src/client/client.ts';
import { forward } from '../support/forward.ts';
import { startService } from '../support/start-service.ts';
import { plantAnswer, refusal, startScript, type Step } from './scripted-server.ts';

const service = await startService({ after });
const { url, token } = service;
const client = new PlantClient({ url, token });

/** Follows until `count` changes came, or the iterator ended. */
async function take(from: PlantClient, count: number, options: ChangesOptions = {}): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const change of from.changes(options)) {
    changes.push(change);
    if (changes.length === count) break;
  }
  return changes;
}

const positionsOf = (changes: readonly Change[]): string[] => changes.map(({ position }) => position);

describe('PlantClient changes()', () => {
  it('yields what changed, with exact ids', async () => {
    const start = await client.latestPosition();
    const id = 2n ** 63n - 1n;
    await client.create({ id, name: 'Monstera' });
    await client.put(id, { name: 'Monstera', tag: '' });
    await client.delete(id);
    const changes = await take(client, 3, { after: start });
    const [one, two] = [
      { id, name: 'Monstera' },
      { id, name: 'Monstera', tag: '' },
    ];
    assert.deepEqual(
      changes.map(({ kind, id: changed, plant, before }) => ({ kind, id: changed, plant, before })),
      [
        { kind: 'created', id, plant: one, before: undefined },
        { kind: 'replaced', id, plant: two, before: one },
        { kind: 'deleted', id, plant: undefined, before: two },
      ],
    );
    assert.equal(changes[0]?.by?.name, 'initial');
    assert.ok(Math.abs(Date.parse(changes[0].at) - Date.now()) < 60_000);
    assert.deepEqual(await take(client, 2, { after: changes[0].position }), changes.slice(1));
  });

  it('waits for changes that match', async () => {
    const following = take(client, 2, { after: await client.latestPosition(), tag: 'wanted', kind: 'created' });
    for (const [id, tag] of [
      [10n, 'other'],
      [11n, 'wanted'],
      [12n, 'wanted'],
    ] as const) {
      await client.put(id, { name: 'a', tag });
      await client.put(id, { name: 'b', tag });
    }
    assert.deepEqual(
      (await following).map(({ id }) => id),
      [11n, 12n],
    );
    assert.deepEqual(
      (await take(client, 2, { id: 11n })).map(({ kind }) => kind),
      ['created', 'replaced'],
    );
  });

  it('ends at the abort, also while it waits', async () => {
    const controller = new AbortController();
    let requests = 0;
    const watched = (...args: Parameters<typeof fetch>): Promise<Response> => {
      // The second one waits.
      requests += 1;
      if (requests === 2) setImmediate(() => controller.abort());
      return fetch(...args);
    };
    const waiting = new PlantClient({ url, token, fetch: watched });
    assert.deepEqual(await take(waiting, 1, { after: 'now', signal: controller.signal }), []);
    const seen: bigint[] = [];
    const stopped = new AbortController();
    for await (const { id } of client.changes({ signal: stopped.signal })) {
      seen.push(id);
      stopped.abort();
    }
    assert.equal(seen.length, 1, 'the rest of a page is not yielded');
  });

  it('yields each change once, in order, over connections that are cut', async (t) => {
    // Each third connection has room for a page, so that there is progress.
    const bytesOf = (connection: number): number => (connection % 3 === 2 ? 25_000 : (connection * 397) % 9_000);
    let [connections, cuts] = [0, 0];
    const proxy = await forward(
      t,
      () => [service.port],
      (socket, upstream) => {
        let left = bytesOf(connections++);
        socket.pipe(upstream);
        upstream.on('data', (bytes: Buffer) => {
          if (bytes.length > left) {
            cuts += 1;
            upstream.pause();
            socket.write(bytes.subarray(0, left), () => socket.destroy());
          } else socket.write(bytes);
          left -= bytes.length;
        });
      },
    );
    const start = await client.latestPosition();
    const cut = new PlantClient({
      url: `http://127.0.0.1:${proxy.port}`,
      token,
      retries: 9,
      backOffMs: 1,
      backOffMsMax: 20,
    });
    const following = take(cut, 400, { after: start, pageSize: 30 });
    for (let id = 1_000n; id < 1_200n; id++) {
      await client.put(id, { name: 'a' });
      await client.put(id, { name: 'b' });
    }
    const changes = await following;
    assert.deepEqual(positionsOf(changes), positionsOf(await take(client, 400, { after: start })));
    assert.ok(cuts > 5, `${cuts} connections were cut`);
  });
});

describe('PlantClient changes() against failures', () => {
  const page = (position: number, ids: readonly number[]): Extract<Step, { readonly status: number }> => ({
    status: 200,
    headers: { link: `</plants/changes?wait=25&after=0a-${position}>; rel="next"` },
    body: `[${ids.map((id) => `{"position":"0a-${id}","at":"2026-01-01T00:00:00.000Z","kind":"created","id":${id},"plant":{"id":${id},"name":"a"}}`).join(',')}]`,
  });

  it('retries without a limit, with back-off, once it has had a response', async (t) => {
    const failures = Array.from({ length: 20 }, (_, index) => refusal(index % 2 === 0 ? 50301 : 42901));
    const steps = [page(1, [1]), ...failures, 'cut', { cutAfter: '[{"position"' }, page(2, [2])] as const;
    const { client: follower, received, delaysMs } = await startScript(t, steps);
    assert.deepEqual(positionsOf(await take(follower, 2)), ['0a-1', '0a-2']);
    assert.equal(received.length, 24);
    assert.ok(received.slice(1).every(({ path }) => path === '/plants/changes?wait=25&after=0a-1'));
    assert.deepEqual(delaysMs.slice(0, 8), [50, 100, 200, 400, 800, 1_600, 2_500, 2_500]);
  });

  it('waits as long as it is told to, once it has had a response', async (t) => {
    const maintenance = refusal(50300, { 'retry-after': '3600' });
    const { client: follower, delaysMs } = await startScript(t, [page(1, [1]), maintenance, page(2, [2])]);
    assert.deepEqual(positionsOf(await take(follower, 2)), ['0a-1', '0a-2']);
    assert.deepEqual(delaysMs, [3_600_050]);
  });

  it('fails after the usual retries if there never was a response', async (t) => {
    const { client: follower, received } = await startScript(
      t,
      Array.from({ length: 9 }, () => refusal(50301)),
    );
    await assert.rejects(take(follower, 1), { number: 50301 });
    assert.equal(received.length, 5);
  });

  it('ends at once with a refusal that lasts', async (t) => {
    for (const number of [40101, 40301, 41001]) {
      const { client: follower, received } = await startScript(t, [page(1, [1]), refusal(number)]);
      await assert.rejects(take(follower, 2), { number });
      assert.equal(received.length, 2);
    }
  });

  it('tells its position after each page, also of one without changes', async (t) => {
    const { client: follower } = await startScript(t, [page(3, [1, 2]), page(5, []), page(8, [8])]);
    const seen: string[] = [];
    for await (const { position } of follower.changes({ tag: 'a', onPosition: (each) => void seen.push(each) })) {
      seen.push(position);
      if (position === '0a-8') break;
    }
    assert.deepEqual(seen, ['0a-1', '0a-2', '0a-3', '0a-5', '0a-8']);
  });

  it('takes "now" once, so that a lost response skips nothing', async (t) => {
    const { client: follower, received } = await startScript(t, [page(7, []), 'cut', page(8, [8])]);
    await take(follower, 1, { after: 'now' });
    const queries = received.map(({ path }) => new URLSearchParams(path.split('?')[1]));
    // A request for "now" that waits would, repeated, mean a later one.
    assert.deepEqual(
      queries.map((query) => [query.get('after'), query.get('wait')]),
      [
        ['now', null],
        ['0a-7', '25'],
        ['0a-7', '25'],
      ],
    );
  });

  it('refuses a page without its link or its position, and one with something else than changes', async (t) => {
    const change = '{"position":"a","at":"b","kind"';
    for (const step of [
      { status: 200, body: '[]' },
      { status: 200, headers: { link: '</plants/changes?wait=25>; rel="next"' }, body: '[]' },
      { ...page(1, []), body: `[${change}:"moved","id":1}]` },
      { ...page(1, []), body: `[${change}:"deleted","id":1,"before":{"id":1}}]` },
    ]) {
      const { client: follower } = await startScript(t, [step]);
      await assert.rejects(take(follower, 1), { name: 'ConnectionError', kind: 'response' });
    }
  });
});

describe('PlantClient changesPage() and historyPage()', () => {
  it('continue from page to page, in either order', async () => {
    const start = await client.latestPosition();
    for (const name of ['a', 'b', 'c']) await client.put(600n, { name });
    const first = await client.changesPage({ after: start, pageSize: 2, id: 600n });
    const second = await client.changesPage(first.next ?? '');
    assert.deepEqual(
      [...first.items, ...second.items].map(({ plant }) => plant?.name),
      ['a', 'b', 'c'],
    );
    assert.equal(first.position, first.items[1]?.position);
    assert.deepEqual((await client.changesPage({ after: second.position })).items, []);
    const newest = await client.changesPage({ order: 'desc', pageSize: 1, kind: 'replaced' });
    assert.equal(newest.items[0]?.plant?.name, 'c');
    assert.equal((await client.changesPage(newest.next ?? '')).items[0]?.plant?.name, 'b');
    await client.put(601n, { name: 'd' });
    const last = await client.changesPage({ id: [601n, 600n], newest: true, pageSize: 1 });
    const { items } = await client.changesPage(last.next ?? '');
    assert.deepEqual(
      [...last.items, ...items].map(({ id, plant }) => [id, plant?.name]),
      [
        [600n, 'c'],
        [601n, 'd'],
      ],
    );
    await assert.rejects(client.changesPage({ id: [] }), TypeError);
    const history = await client.historyPage(600n, { pageSize: 2 });
    assert.deepEqual((await client.historyPage(600n, history.next)).items, first.items.slice(0, 1));
    await assert.rejects(client.historyPage(601n, history.next), TypeError);
  });

  it('leaves out groups and counts their plants, also in the next page', async () => {
    for (const id of [801n, 802n]) await client.create({ id, name: 'alone' });
    await client.import('{"id":803,"name":"a"}\n{"id":804,"name":"b"}\n', {
      mediaType: 'application/x-ndjson',
      group: 'both',
    });
    const page = await client.changesPage({ order: 'desc', pageSize: 1, exceptGroup: ['none', 'both'] });
    const next = await client.changesPage(page.next ?? '');
    assert.deepEqual([page.items[0]?.id, page.groupPlants], [802n, [0, 2]]);
    assert.deepEqual([next.items[0]?.id, next.groupPlants], [801n, [0, 2]]);
  });

  it('has no next page after the oldest change, but always one after the newest', async (t) => {
    const none: Step = { status: 200, body: '[]' };
    const { client: reader, received } = await startScript(t, [none, none, none]);
    const page = await reader.changesPage({ order: 'desc', waitSeconds: 3, tag: '' });
    assert.deepEqual(page, { items: [], next: undefined, position: undefined });
    assert.equal(received[0]?.path, '/plants/changes?order=desc&wait=3&tag=');
    await assert.rejects(reader.changesPage(), { name: 'ConnectionError', kind: 'response' });
    await assert.rejects(reader.changesPage('http://elsewhere.example/plants/changes?after=1'), TypeError);
    assert.equal(received.length, 2);
  });
});

describe('PlantClient history() and restore()', () => {
  const stateOf = async (id: bigint): Promise<StoredPlant | undefined> => (await client.get(id))?.plant;

  const live = async (id: bigint): Promise<void> => {
    await client.put(id, { name: 'a' });
    await client.put(id, { name: 'b', tag: 't' });
    await client.delete(id);
  };

  it('has the changes of a plant, newest first, over pages', async () => {
    await live(500n);
    const changes = await Array.fromAsync(client.history(500n, { pageSize: 2 }));
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['deleted', 'replaced', 'created'],
    );
    await assert.rejects(Array.fromAsync(client.history(501n)), { number: 40402 });
  });

  it('puts earlier states back, also of a deleted plant', async () => {
    await live(502n);
    const [deleted, replaced, created] = await Array.fromAsync(client.history(502n));
    assert.ok(deleted && replaced && created);
    assert.equal((await client.restore(deleted)).outcome, 'created');
    assert.deepEqual(await stateOf(502n), { id: 502n, name: 'b', tag: 't' });
    assert.equal((await client.restore(created)).outcome, 'replaced');
    assert.deepEqual(await stateOf(502n), { id: 502n, name: 'a' });
    assert.equal((await client.restore(created)).outcome, 'unchanged');
    assert.deepEqual(
      (await Array.fromAsync(client.history(502n))).map(({ kind }) => kind),
      ['replaced', 'created', 'deleted', 'replaced', 'created'],
    );
  });

  it('refuses to overwrite a version that the caller has not seen', async () => {
    await live(503n);
    const [, , created] = await Array.fromAsync(client.history(503n));
    assert.ok(created);
    const { etag } = await client.put(503n, { name: 'seen' });
    await client.put(503n, { name: 'not seen' });
    await assert.rejects(client.restore(created, { ifMatch: etag }), { number: 41201 });
    await assert.rejects(client.restore(created, { createOnly: true }), { number: 41201 });
    assert.deepEqual(await stateOf(503n), { id: 503n, name: 'not seen' });
  });

  it('is refused if someone changes the plant during the call', async (t) => {
    const change = { before: { id: 7n, name: 'Old' } };
    const existing = await startScript(t, [plantAnswer, refusal(41201)]);
    await assert.rejects(existing.client.restore(change), { number: 41201 });
    assert.equal(existing.received[1]?.headers['if-match'], '"v1"');
    const deleted = await startScript(t, [refusal(40402), refusal(41201)]);
    await assert.rejects(deleted.client.restore(change), { number: 41201 });
    assert.equal(deleted.received[1]?.headers['if-none-match'], '*');
  });
});
