/** A crowd of visitors with the same ids and other names: nobody ever sees what another one wrote. */
import assert from 'node:assert/strict';
import { describe, it, after } from 'node:test';
import { startService } from '../support/start-service.ts';

const visitorsMax = 24;
const { url } = await startService(
  { after },
  {
    store: 'folder',
    flags: ['--sandbox', '--sandbox-rate-limit', 'off', '--sandbox-new-spaces', 'off'],
  },
);

async function ask(visitor: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer sandbox-${visitor}`, 'content-type': 'application/json' };
  for (;;) {
    const response = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } });
    // Places are for all; a client tries again.
    if (response.status !== 503) return response;
    await response.arrayBuffer();
  }
}

async function read(visitor: string, path: string, init?: RequestInit): Promise<string> {
  return (await ask(visitor, path, init)).text();
}

const nameOf = (visitor: string): string => `of ${visitor}`;
const put = (visitor: string): Promise<string> =>
  read(visitor, '/plants/7', { method: 'PUT', body: JSON.stringify({ name: nameOf(visitor), tag: visitor }) });

describe('a crowd in a sandbox', () => {
  const visitors = Array.from({ length: visitorsMax }, (_, index) => `visitor-${1_000 + index}`);
  /** Each answer that has plants, of the same targets for all. */
  const targets = [
    '/plants?limit=1000',
    '/plants/7',
    '/tags?prefix=visitor-&limit=1000',
    '/plants?name=visitor',
    '/plants/export',
    '/plants/7/history',
    '/plants/changes?order=desc&limit=3',
  ];

  it('has no answer with a name of another visitor', async () => {
    const leaks: string[] = [];
    const check = (visitor: string, target: string, text: string): void => {
      const names = new Set(text.match(/visitor-\d{4}/g));
      if (names.size !== 1 || !names.has(visitor)) leaks.push(`${visitor} ${target} ${[...names].join()}`);
    };
    const follow = async (visitor: string): Promise<void> => {
      const text = await read(visitor, '/plants/changes?after=now&wait=60&tag=' + visitor);
      check(visitor, 'wait', text);
    };
    await Promise.all(visitors.map(put));
    // In turns: the same target is asked for by one visitor after another, twice.
    for (const target of [...targets, ...targets])
      await Promise.all(visitors.map(async (visitor) => check(visitor, target, await read(visitor, target))));
    const followed = visitors.map(follow);
    // Each follows once an earlier poll is answered by a change.
    const state = { isDone: false };
    void Promise.all(followed).then(() => (state.isDone = true));
    for (let round = 0; !state.isDone; round++)
      await Promise.all(
        visitors.map((visitor) =>
          read(visitor, '/plants/8', {
            method: 'PUT',
            body: JSON.stringify({ name: `${visitor} ${round}`, tag: visitor }),
          }),
        ),
      );
    await Promise.all(followed);
    assert.deepEqual(leaks, []);
  });

  it('uses the ETag, the cursor and the position of one in the space of another, as those of the other', async () => {
    const [one = '', other = ''] = visitors;
    await Promise.all([one, other].map(put));
    const etag = (await ask(one, '/plants/7')).headers.get('etag') ?? '';
    assert.equal((await ask(other, '/plants/7', { headers: { 'if-none-match': etag } })).status, 200);
    const refused = await ask(other, '/plants/7', { method: 'DELETE', headers: { 'if-match': etag } });
    assert.equal(refused.status, 412);
    const next = /<([^>]*)>/.exec((await ask(one, '/plants?limit=12')).headers.get('link') ?? '')?.[1] ?? '';
    assert.match(await read(other, `/plants${next}`), new RegExp(nameOf(other)));
    const changes = /<([^>]*)>/.exec((await ask(one, '/plants/changes')).headers.get('link') ?? '')?.[1] ?? '';
    assert.equal((await ask(other, `/plants/changes${changes}`)).status, 410);
  });

  it('keeps the space of one when another is reset', async () => {
    const [one = '', other = ''] = visitors;
    await Promise.all([one, other].map(put));
    const link = (await ask(one, '/plants/changes')).headers.get('link') ?? '';
    const reset = await ask(one, '/plants/7', { headers: { prefer: 'reset' } });
    assert.equal(reset.headers.get('preference-applied'), 'reset');
    assert.deepEqual(await reset.json(), { id: 7, name: 'Monstera', tag: 'climber' });
    assert.match(await read(other, '/plants/7'), new RegExp(nameOf(other)));
    const gone = await ask(one, `/plants/changes${/<([^>]*)>/.exec(link)?.[1] ?? ''}`);
    assert.equal(gone.status, 410);
  });

  it('goes on with a position from before the first write', async () => {
    const link = (await ask('newcomer', '/plants/changes?after=now')).headers.get('link') ?? '';
    await put('newcomer');
    const changes = (await (await ask('newcomer', `/plants/changes${/<([^>]*)>/.exec(link)?.[1] ?? ''}`)).json()) as [];
    assert.equal(changes.length, 1);
  });
});
