/** What strangers cannot do to a sandbox: each bound, and that others go on. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startService } from '../support/start-service.ts';

const flags = ['--sandbox', '--trusted-proxies', '127.0.0.1', '--sandbox-new-spaces', '10/h'];
const { url } = await startService({ after }, { store: 'folder', flags: [...flags, '--sandbox-rate-limit', 'off'] });

async function ask(from: string, name: string, path: string, init: RequestInit = {}, service = url): Promise<Response> {
  const headers = {
    authorization: `Bearer sandbox-${name}`,
    'content-type': 'application/json',
    'x-forwarded-for': from,
  };
  return fetch(service + path, { ...init, headers: { ...headers, ...init.headers } });
}

const put = (from: string, name: string, plant: object, path = '/plants/7'): Promise<Response> =>
  ask(from, name, path, { method: 'PUT', body: JSON.stringify(plant) });

describe('a sandbox', () => {
  it('lets one client make ten spaces, by the /48 of IPv6, and any number of names read', async () => {
    const made: number[] = [];
    for (let index = 0; index < 12; index++) {
      for (let other = 0; other < 3; other++)
        assert.equal((await ask('2001:db8::1', `reader-${index}-${other}`, '/plants/7')).status, 200);
      // Each from a /64 of its own.
      made.push((await put(`2001:db8:0:${index}::1`, `visitor-${index}`, { name: 'a' })).status);
    }
    assert.deepEqual(made, [...Array<number>(10).fill(200), 429, 429]);
    const refused = await put('2001:db8::ffff', 'visitor-12', { name: 'a' });
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.match(refused.headers.get('ratelimit-policy') ?? '', /^"spaces";q=10/);
    assert.match(await refused.text(), /Limit: 10 new spaces from your network address in 3600 s/);
    assert.equal((await put('2001:db8::1', 'visitor-0', { name: 'b' })).status, 200, 'what is made can be written');
    assert.equal((await put('2001:db8:1::1', 'visitor-13', { name: 'a' })).status, 200);
  });

  it('limits the rate of one client, whatever its names', async (t) => {
    const limited = await startService(t, { store: 'folder', flags: [...flags, '--sandbox-rate-limit', '3/h'] });
    const statuses: number[] = [];
    for (let index = 0; index < 4; index++)
      statuses.push((await ask('192.0.2.1', `visitor-${index}`, '/tags', { method: 'HEAD' }, limited.url)).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    assert.equal((await ask('192.0.2.2', 'visitor-0', '/tags', {}, limited.url)).status, 200);
  });

  it('refuses writes to a full space alone, until it is reset', async () => {
    const from = '192.0.2.3';
    let last = await put(from, 'full-one', { name: 'a' });
    for (let id = 1_000; last.status < 300; id++)
      last = await put(from, 'full-one', { name: `${id}${'\u{1F33F}'.repeat(900)}` }, `/plants/${id}`);
    assert.equal(last.status, 503);
    assert.equal(((await last.json()) as { error: number }).error, 50_302);
    assert.equal((await put(from, 'not-full', { name: 'a' })).status, 200);
    assert.equal((await ask(from, 'full-one', '/plants/1000')).status, 200);
    const reset = { method: 'PUT', body: '{"name":"a"}', headers: { prefer: 'reset' } };
    assert.equal((await ask(from, 'full-one', '/plants/1000', reset)).status, 201);
  });

  it('has five places for those who follow one space', async () => {
    const end = new AbortController();
    const follow = (name: string): Promise<Response> =>
      ask('192.0.2.4', name, '/plants/changes', { headers: { accept: 'text/event-stream' }, signal: end.signal });
    // Open one stream after the other: each has its place once it has begun. Keep all: a stream
    // that is collected as garbage ends.
    const replies: Response[] = [];
    while (replies.length < 6) replies.push(await follow('followed'));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200, 200, 503],
    );
    assert.equal((await follow('followed-2')).status, 200);
    end.abort();
  });
});
