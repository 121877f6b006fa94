/** Webhooks of a running service: from a created plant to a verified request. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver, verify } from '../webhooks/receiver.ts';
import { postPlant, request } from '../support/request.ts';
import type { Reply } from '../support/reply.ts';
import { startService } from '../support/start-service.ts';
import { toJson } from '../../src/json/to-json.ts';
import { until } from '../support/until.ts';

const service = await startService({ after }, { env: { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
const strict = await startService({ after });

type Members = Readonly<Record<string, unknown>>;

function toMembers(reply: Reply): Members {
  return JSON.parse(reply.text) as Members;
}

const call = (method: string, path: string, body?: object, target = service): Promise<Reply> =>
  request(target, {
    method,
    path,
    body: body && JSON.stringify(body),
    headers: method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {},
  });

async function createWebhook(url: string, events = ['plant.created']): Promise<{ path: string; secret: string }> {
  const reply = await call('POST', '/webhooks', { url, events });
  assert.equal(reply.status, 201, reply.text);
  const { id, secret } = toMembers(reply) as { id: string; secret: string };
  service.addSecret(secret);
  assert.equal(reply.resolve(reply.headers['location']), `/webhooks/${id}`);
  return { path: `/webhooks/${id}`, secret };
}

const send = (method: string, id: bigint, body?: object): Promise<Reply> => call(method, `/plants/${id}`, body);

describe('a webhook that gets changes', () => {
  it('gets each new plant as it was sent, signed', async (test) => {
    const receiver = await startReceiver(test);
    await postPlant(service, { id: 1n, name: 'before' });
    const { secret } = await createWebhook(receiver.url);
    const plants = [
      '{"id":9223372036854775807,"name":"Victoria 😀 \\"amazonica\\"","tag":"aquatic"}',
      '{"id":-9007199254740993,"name":""}',
      '{"id":70,"name":"\\u2028<&>","tag":""}',
    ];
    for (const body of plants)
      assert.equal((await request(service, { body, headers: { 'content-type': 'application/json' } })).status, 200);
    // A replay and a change are no new plants.
    await request(service, { body: plants[2] ?? '', headers: { 'content-type': 'application/json' } });
    await send('PUT', 70n, { name: 'other' });
    await postPlant(service, { id: 71n, name: 'last' });
    await receiver.waitFor(4);
    assert.deepEqual(
      receiver.requests.map(({ body }) => body),
      [...plants, '{"id":71,"name":"last"}'],
    );
    for (const each of receiver.requests) verify(secret, each);
    assert.equal(new Set(receiver.requests.map(({ id }) => id)).size, 4);
  });

  it('gets replaced and deleted plants with what they were before', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await createWebhook(receiver.url, ['plant.replaced', 'plant.deleted', 'plant.deleted']);
    assert.deepEqual(toMembers(await call('GET', path))['events'], ['plant.replaced', 'plant.deleted']);
    await postPlant(service, { id: 100n, name: 'fern', tag: 'a' });
    await send('PUT', 100n, { name: 'fern' });
    await send('DELETE', 100n);
    await receiver.waitFor(2);
    const bodies = receiver.requests.map(({ body }) => body.replace(/"timestamp":"[^"]+"/, '"timestamp":""'));
    assert.deepEqual(bodies, [
      '{"type":"plant.replaced","timestamp":"","data":{"plant":{"id":100,"name":"fern"},"before":{"id":100,"name":"fern","tag":"a"}}}',
      '{"type":"plant.deleted","timestamp":"","data":{"before":{"id":100,"name":"fern"}}}',
    ]);
  });
});

describe('a webhook that is managed', () => {
  it('can be listed, changed, disabled, enabled and deleted', async (test) => {
    const receiver = await startReceiver(test);
    const other = await startReceiver(test);
    const { path } = await createWebhook(receiver.url);
    const listed = (await call('GET', '/webhooks')).json() as Members[];
    assert.equal(listed.at(-1)?.['url'], receiver.url);
    assert.ok(listed.every((each) => !('secret' in each)));
    assert.equal(toMembers(await call('PATCH', path, { enabled: false }))['enabled'], false);
    await postPlant(service, { id: 200n, name: 'while disabled' });
    await sleep(300);
    assert.equal(receiver.requests.length, 0);
    assert.equal(toMembers(await call('PATCH', path, { url: other.url, enabled: true }))['url'], other.url);
    await other.waitFor(1);
    assert.equal(other.requests[0]?.body, '{"id":200,"name":"while disabled"}');
    assert.equal((await call('DELETE', path)).status, 204);
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/secret'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/deliveries/msg_1/retry'],
    ] as const)
      assert.equal((await call(method, path + rest)).number, 40403);
    await postPlant(service, { id: 201n, name: 'after' });
    await sleep(300);
    assert.equal(other.requests.length, 1);
  });

  it('shows its deliveries; a failed one is due at once when it is retried', async (test) => {
    let status = 500;
    const receiver = await startReceiver(test, (_index, _received, response) => {
      response.writeHead(status, { 'retry-after': '3600' }).end();
      return undefined;
    });
    const { path } = await createWebhook(receiver.url);
    const id = 9_223_372_036_854_775_001n;
    await postPlant(service, { id, name: 'a' });
    await postPlant(service, { id: 301n, name: 'b' });
    await receiver.waitFor(1);
    const list = async (): Promise<Members[]> => (await call('GET', `${path}/deliveries`)).json() as Members[];
    const waitUntil = (isSo: (all: readonly Members[]) => boolean): Promise<readonly Members[]> =>
      until(async () => {
        const all = await list();
        return isSo(all) && all;
      }, 'the deliveries are as expected');
    const [waiting = {}] = await waitUntil((all) => all.length > 0);
    const { status: state, attempts, error, responseStatus } = waiting;
    assert.equal(waiting['plantId'], id);
    assert.deepEqual([state, attempts, error, responseStatus], ['waiting', 1n, 'The response has status 500', 500n]);
    const waitMs = Date.parse(String(waiting['nextAttemptAt'])) - Date.parse(String(waiting['lastAttemptAt']));
    assert.equal(waitMs, 3_600_000);
    const failing = toMembers(await call('GET', path));
    assert.equal('failingSince' in failing, true);
    const { plantId: _, ...shown } = waiting;
    assert.partialDeepStrictEqual(failing, { waiting: 2, lastDelivery: JSON.parse(toJson(shown)) as Members });
    status = 204;
    const retry = `${path}/deliveries/${String(waiting['id'])}/retry`;
    const due = toMembers(await call('POST', retry));
    assert.equal(due['status'], 'waiting');
    assert.ok(Date.parse(String(due['nextAttemptAt'])) < Date.parse(String(waiting['nextAttemptAt'])));
    await receiver.waitFor(3);
    assert.deepEqual(
      receiver.requests.map(({ body }) => /"id":(\d+)/.exec(body)?.[1]),
      [`${id}`, `${id}`, '301'],
    );
    assert.equal(receiver.requests[0]?.id, receiver.requests[1]?.id);
    await waitUntil((all) => all.length === 2 && all.every((each) => each['status'] === 'delivered'));
    assert.equal((await call('POST', retry)).number, 40902);
    assert.equal((await call('POST', `${path}/deliveries/msg_none/retry`)).number, 40404);
    assert.equal((await call('GET', `${path}/deliveries?limit=1`)).text.split('"id"').length, 2);
    assert.equal((await call('GET', path)).text.includes('failingSince'), false);
  });

  it('counts the changes that wait for it, up to 100, and says how far it is behind', async (test) => {
    const receiver = await startReceiver(test);
    const { path } = await createWebhook(receiver.url);
    const read = async (): Promise<readonly unknown[]> => {
      const { waiting, behind, behindSince } = toMembers(await call('GET', path));
      return [waiting, behind, behindSince];
    };
    assert.deepEqual(await read(), [0, 0, undefined]);
    await call('PATCH', path, { enabled: false });
    const create = async (from: number, to: number): Promise<void> => {
      for (let id = from; id < to; id += 1) await postPlant(service, { id: BigInt(id), name: 'a' });
    };
    await create(5_000, 5_099);
    // None of its events.
    await send('PUT', 5_000n, { name: 'b' });
    const history = (await call('GET', '/plants/5000/history')).json() as Members[];
    const at = history.at(-1)?.['at'];
    assert.deepEqual(await read(), [99, 100, at]);
    await create(5_099, 5_101);
    assert.deepEqual(await read(), [100, 102, at]);
  });

  it('has no next attempt while it is disabled', async (test) => {
    const receiver = await startReceiver(test, () => 410);
    const { path } = await createWebhook(receiver.url);
    await postPlant(service, { id: 310n, name: 'a' });
    await until(async () => toMembers(await call('GET', path))['enabled'] === false, 'it is disabled');
    const [waiting = {}] = (await call('GET', `${path}/deliveries`)).json() as Members[];
    assert.deepEqual([waiting['status'], waiting['nextAttemptAt']], ['waiting', undefined]);
  });
});

describe('a webhook before it is stored', () => {
  it('must have an https URL with a public address, unless the service permits others', async () => {
    const isPrivate =
      'must not lead into a private network, unless the service is started with PLANT_STORE_WEBHOOK_ALLOW_PRIVATE=true';
    for (const [url, problem] of [
      ['http://example.com/', 'must begin with https://'],
      ['ftp://example.com/', 'must begin with https://'],
      ['https:example.com', 'must begin with https:// and a host'],
      ['example.com', 'must begin with https://, such as https://shop.example/hooks'],
      ['https://example.com:65536/', 'must have a valid host, and no port above 65535'],
      ['shop', 'must begin with https://, such as https://shop.example/hooks'],
      ['https://127.0.0.1/', isPrivate],
      ['https://0x7f000001/', isPrivate],
      ['https://0177.0.0.1/', isPrivate],
      ['https://[::1]/', isPrivate],
      ['https://localhost:8443/', isPrivate],
      ['https://hooks.LOCALHOST./', isPrivate],
      ['https://[::ffff:10.0.0.1]/', isPrivate],
      ['https://169.254.169.254/latest/meta-data', isPrivate],
      ['https://user@example.com/', 'must not contain a user name or a password'],
      ['https://@example.com/', 'must not contain a user name or a password'],
      ['https://example.com/#a', 'must not contain a fragment (# and what follows)'],
      ['https://example.com/#', 'must not contain a fragment (# and what follows)'],
      ['https:///example.com/', 'must begin with https:// and a host'],
      ['https:/example.com/', 'must begin with https:// and a host'],
      ['https://example.com:1\\x', 'must not contain a backslash'],
      ['https://168.63.129.16/', isPrivate],
      // A parser drops some of these, and would reach another URL than the one that is shown.
      ...['a\tb', '\n', ' ', '\0', '\u00AD', '\u202E', '\u200B', '\uFEFF'].map(
        (text) => [`https://ex${text}ample.com/`, 'must not contain spaces or invisible characters'] as const,
      ),
      [`https://example.com/${'é'.repeat(400)}`, 'must have at most 2000 characters when encoded'],
    ] as const) {
      const reply = await call('POST', '/webhooks', { url, events: ['plant.created'] }, strict);
      assert.equal(reply.number, 40018, url);
      assert.equal(reply.message, `Invalid webhook. "url" ${problem}`);
    }
    assert.deepEqual((await call('GET', '/webhooks', undefined, strict)).json(), []);
    const other = await call('POST', '/webhooks', { url: 'ftp://example.com/', events: ['plant.created'] });
    assert.equal(other.message, 'Invalid webhook. "url" must begin with https:// or http://');
  });

  it('shows its URL in the form in which it is called', async () => {
    const url = 'HTTPS://Ex\u0430mple.com:443/h?é=1';
    const reply = await call('POST', '/webhooks', { url, events: ['plant.created'] }, strict);
    const { id, url: shown, secret } = toMembers(reply) as Record<'id' | 'url' | 'secret', string>;
    strict.addSecret(secret);
    assert.equal(shown, 'https://xn--exmple-4nf.com/h?%C3%A9=1');
    const patched = await call('PATCH', `/webhooks/${id}`, { url: 'https://example.com' }, strict);
    assert.equal(toMembers(patched)['url'], 'https://example.com/');
    await call('DELETE', `/webhooks/${id}`, undefined, strict);
  });

  it('must match the schema', async () => {
    for (const [body, message] of [
      [{ url: 'https://example.com' }, /"events" is missing/],
      [{ url: 'https://example.com', events: [] }, /"events" must have at least one item$/],
      [
        { url: 'https://example.com', events: Array.from({ length: 4 }, () => 'plant.created') },
        /"events" must have at most 3 items$/,
      ],
      [{ url: 'https://example.com', events: ['plant.eaten'] }, /"events.0" must be one of plant.created, /],
      [{ url: `https://example.com/${'a'.repeat(2000)}`, events: ['plant.created'] }, /"url" must have at most 2000/],
      [{ url: 7, events: ['plant.created'] }, /"url" must be a string/],
      [{ url: 'https://example.com', events: ['plant.created'], tag: 'rare' }, /The body has a member that/],
    ] as const) {
      const reply = await call('POST', '/webhooks', body, strict);
      assert.equal(reply.number, 40018, reply.text);
      assert.match(reply.message ?? '', message);
    }
    const patched = await call('PATCH', '/webhooks/none', { enabled: 'yes' }, strict);
    assert.match(patched.message ?? '', /"enabled" must be a boolean/);
    const misspelled = await call('PATCH', '/webhooks/none', { enable: false }, strict);
    assert.deepEqual([misspelled.number, (await call('GET', '/webhooks', undefined, strict)).json()], [40018, []]);
  });

  it('keeps its secret encrypted, with a key that only the owner can read', async (test) => {
    // The secrets of all tests are searched in the store at the end.
    const own = await startService(test, { store: 'folder' });
    const body = { url: 'https://example.com/hook', events: ['plant.created'] };
    const created = await call('POST', '/webhooks', body, own);
    own.addSecret(String(toMembers(created)['secret']));
    const path = join(own.dataDir, 'webhook-key');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(Buffer.from(await readFile(path, 'utf8'), 'base64').length, 32);
  });
});
