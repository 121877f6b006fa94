/** How the client reads what comes back, and what it sends: pages, addresses, exactness, answers that are none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { parseNextQuery, toQuery } from '../../src/client/query.ts';
import { plantAnswer, startScript, type Step } from './scripted-server.ts';

const list = (ids: readonly bigint[], next?: string): Step => ({
  status: 200,
  ...(next === undefined ? {} : { headers: { link: `<${next}>; rel="next"` } }),
  body: `[${ids.map((id) => `{"id":${id},"name":"n"}`).join(',')}]`,
});

describe('PlantClient requests', () => {
  it('carry the token, the media type and the exact id', async (t) => {
    const { client, received } = await startScript(t, [{ status: 200, body: '{"name":"a"}' }, plantAnswer]);
    await client.create({ id: 2n ** 63n - 1n, name: 'a"\u2028\u{1f335}' });
    await client.get(-(2n ** 63n), { ifNoneMatch: '"x"' });
    const [create, get] = received;
    assert.equal(create?.body, '{"id":9223372036854775807,"name":"a\\"\\u2028\u{1f335}"}');
    assert.equal(create.headers['content-type'], 'application/json');
    assert.equal(create.headers.authorization, 'Bearer double');
    assert.equal(get?.path, '/plants/-9223372036854775808');
    assert.equal(get.headers['if-none-match'], '"x"');
    assert.equal(get.headers['content-type'], undefined);
  });

  it('patch tells null from absent', async (t) => {
    const { client, received } = await startScript(t, [plantAnswer, plantAnswer, plantAnswer]);
    await client.patch(7n, { tag: null });
    await client.patch(7n, { name: 'b' });
    assert.deepEqual(
      received.map(({ body }) => body),
      ['{"tag":null}', '{"name":"b"}'],
    );
    assert.equal(received[0]?.headers['content-type'], 'application/merge-patch+json');
  });

  it('go below a base path, with or without a slash at its end', async (t) => {
    for (const end of ['', '/', '//']) {
      const { url, received } = await startScript(t, [plantAnswer]);
      await new PlantClient({ url: `${url}/api/v1${end}`, token: 'a' }).get(7n);
      assert.equal(received[0]?.path, '/api/v1/plants/7');
    }
  });

  it('refuse a number for an id before anything is sent', async (t) => {
    const { client, received } = await startScript(t, []);
    const id = Number('9007199254740993') as unknown as bigint;
    await assert.rejects(client.create({ id, name: 'a' }), TypeError);
    for (const call of [client.get(id), client.put(id, { name: 'a' }), client.patch(id, {}), client.delete(id)])
      await assert.rejects(call, TypeError);
    await assert.rejects(client.changes({ id }).next(), TypeError);
    assert.equal(received.length, 0);
  });

  it('name the version that was read, although a proxy that compresses made its etag weak', async (t) => {
    const weak: Step = { status: 200, headers: { etag: 'W/"v1"' }, body: '{"id":7,"name":"Basil"}' };
    const { client, received } = await startScript(t, [weak, plantAnswer]);
    const found = await client.get(7n);
    await client.put(7n, { name: 'b' }, { ifMatch: found?.etag });
    assert.equal(received[1]?.headers['if-match'], '"v1"');
  });

  it('take an etag that may be missing, and say that the plant may be unchanged', async (t) => {
    const { client } = await startScript(t, [{ status: 304 }, plantAnswer]);
    for (const etag of ['"v1"', undefined]) {
      // Not in the call: the compiler checks a literal there more strictly.
      const options = { ifNoneMatch: etag, signal: undefined };
      const found = await client.get(7n, options);
      assert.ok(etag === undefined ? found !== 'unchanged' && found?.etag === '"v1"' : found === 'unchanged');
    }
  });

  it('refuse an etag that cannot be sent: the service is not to blame, and asking again is no use', async (t) => {
    const { client, received, delaysMs } = await startScript(t, []);
    for (const ifMatch of ['"\u20ac"', '"a\nb"'])
      await assert.rejects(client.put(7n, { name: 'a' }, { ifMatch }), TypeError);
    assert.deepEqual([received, delaysMs], [[], []]);
  });

  it('refuse two conditions at once', async (t) => {
    const { client } = await startScript(t, []);
    await assert.rejects(client.put(7n, { name: 'a' }, { ifMatch: '"x"', createOnly: true }), TypeError);
  });
});

describe('new PlantClient()', () => {
  it('refuses an address that is none', () => {
    for (const url of ['', 'plants', '/api', 'ftp://a', 'http://u@a', 'http://:p@a', 'http://a?b', 'http://a#b'])
      assert.throws(() => new PlantClient({ url, token: 'a' }), TypeError, url);
  });

  it('refuses a token that is missing or none, and does not repeat it', () => {
    const url = 'http://a';
    for (const token of [undefined, null, 7, ['a'], '', 'can ary', 'canary\n', 'canary\u00e9'] as unknown as string[])
      assert.throws(
        () => new PlantClient({ url, token }),
        (error) => error instanceof TypeError && error.message.includes('token') && !error.message.includes('canary'),
      );
    assert.throws(() => new PlantClient({ url } as never), { name: 'TypeError', message: /^The token is missing/ });
  });
});

describe('list()', () => {
  it('follows the links, and asks for no page that is not wanted', async (t) => {
    const { client, received } = await startScript(t, [list([1n, 2n], '/plants?limit=2&cursor=c%2B1'), list([3n])]);
    const ids = (await Array.fromAsync(client.list({ pageSize: 2, tag: '', name: 'é&' }))).map(({ id }) => id);
    assert.deepEqual(ids, [1n, 2n, 3n]);
    assert.deepEqual(
      received.map(({ path }) => path),
      ['/plants?limit=2&tag=&name=%C3%A9%26', '/plants?limit=2&cursor=c%2B1'],
    );
  });

  it('an abort in the loop ends it with its reason, also in the middle of a page', async (t) => {
    const { client } = await startScript(t, [list([1n, 2n])]);
    const controller = new AbortController();
    const ids: bigint[] = [];
    const read = async (): Promise<void> => {
      for await (const { id } of client.list({ signal: controller.signal })) {
        ids.push(id);
        controller.abort();
      }
    };
    await assert.rejects(read(), { name: 'AbortError' });
    assert.deepEqual(ids, [1n]);
  });

  it('ends with the loop over it', async (t) => {
    const { client, received } = await startScript(t, [list([1n, 2n], '/plants?cursor=x')]);
    for await (const { id } of client.list()) if (id === 2n) break;
    assert.equal(received.length, 1);
  });

  it('a page that leads to itself is refused: the loop over it would never end', async (t) => {
    const { client, received } = await startScript(t, Array(9).fill(list([1n], '/plants?cursor=a')));
    await assert.rejects(Array.fromAsync(client.list()), { name: 'ConnectionError', kind: 'response' });
    assert.equal(received.length, 2);
  });

  it('a page without plants before others is skipped: a search has it', async (t) => {
    const { client, received } = await startScript(t, [
      list([], '/plants?cursor=a'),
      list([], '/plants?cursor=b'),
      list([1n], '/plants?cursor=c'),
    ]);
    const page = await client.listPage();
    assert.deepEqual(page.items, [{ id: 1n, name: 'n' }]);
    assert.match(page.next ?? '', /cursor=c$/);
    assert.equal(received.length, 3);
  });

  it('stays at the address that it was given, whatever the link says', async (t) => {
    const { client, url, received } = await startScript(t, [
      list([1n], 'https://elsewhere.example/x?cursor=1'),
      list([2n]),
    ]);
    const page = await client.listPage();
    assert.equal(page.next, `${url}/plants?cursor=1`);
    assert.deepEqual((await client.listPage(page.next)).items, [{ id: 2n, name: 'n' }]);
    assert.equal(received.length, 2);
    await assert.rejects(client.listPage('https://elsewhere.example/plants?cursor=1'), TypeError);
    await assert.rejects(client.listPage(`${url}/plants-of-others?cursor=1`), TypeError);
    assert.equal(received.length, 2);
  });

  it('tags() does the same with counts that may be beyond 2^53', async (t) => {
    const body = '[{"tag":"","plants":9007199254740993}]';
    const { client } = await startScript(t, [
      { status: 200, headers: { link: '</tags?cursor=1>; rel=next' }, body },
      list([]),
    ]);
    assert.deepEqual(await Array.fromAsync(client.tags()), [{ tag: '', plants: 9007199254740993n }]);
  });
});

describe('an answer that is none of a plant store', () => {
  it('with 200 is a ConnectionError, asked for once', async (t) => {
    for (const body of [
      '<html>',
      '',
      '\ufeff{"id":7,"name":"a"}',
      '{"id":"7","name":"a"}',
      '{"id":7.5,"name":"a"}',
      '{"id":7,"name":"a","tag":null}',
      Buffer.from('{"id":7,"name":"\xff"}', 'latin1'),
    ]) {
      const { client, received } = await startScript(t, [{ status: 200, headers: { etag: '"a"' }, body }]);
      await assert.rejects(client.get(7n), { name: 'ConnectionError', kind: 'response' }, String(body));
      assert.equal(received.length, 1);
    }
    // A wrong item of a list, and a plant without ETag.
    const wrong = [
      { status: 200, body: '[{"id":1,"name":"a"},{"id":2}]' },
      { status: 200, body: '{"id":7,"name":"a"}' },
    ];
    const { client } = await startScript(t, wrong);
    await assert.rejects(client.listPage(), { kind: 'response' });
    await assert.rejects(client.get(7n), { kind: 'response' });
  });

  it('a page with an error status has a number made of it', async (t) => {
    const { client } = await startScript(t, [{ status: 403, body: '<html>Forbidden</html>' }]);
    await assert.rejects(client.get(7n), { name: 'PlantStoreError', number: 40300, status: 403 });
  });

  it('a body that is too long is not read to its end', async () => {
    let chunks = 0;
    const cancelled = Promise.withResolvers<undefined>();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        chunks += 1;
        controller.enqueue(new Uint8Array(2 ** 20).fill(0x20));
        if (chunks === 200) controller.close();
      },
      cancel: () => cancelled.resolve(undefined),
    });
    const fetch = (): Promise<Response> => Promise.resolve(new Response(body));
    const client = new PlantClient({ url: 'http://127.0.0.1:3000', token: 'a', fetch });
    await assert.rejects(client.get(1n), { name: 'ConnectionError', kind: 'response', message: /longer than any/ });
    await cancelled.promise;
    assert.ok(chunks < 100, `${chunks} chunks`);
  });

  it('a redirect is not followed, and gets no token', async (t) => {
    const other = await startScript(t, [plantAnswer]);
    const { client, received } = await startScript(t, [
      { status: 307, headers: { location: `${other.url}/plants/7` } },
    ]);
    await assert.rejects(client.get(7n), { name: 'ConnectionError', kind: 'response', message: /redirect/ });
    assert.deepEqual([received.length, other.received.length], [1, 0]);
  });

  it('a 404 that is about the path is an error, not an absent plant', async (t) => {
    const body = '{"error":40401,"message":"No path"}';
    const { client } = await startScript(t, [
      { status: 404, body },
      { status: 404, body },
    ]);
    await assert.rejects(client.get(7n), { number: 40401 });
    await assert.rejects(client.delete(7n), { number: 40401 });
  });
});

describe('parseNextQuery()', () => {
  for (const [link, expected] of [
    [null, undefined],
    ['</plants?cursor=a>; rel="next"', '?cursor=a'],
    ['</plants?cursor=a>; rel=next', '?cursor=a'],
    ['</a?x>; rel="prev", </b?y,z>; rel="first next"', '?y,z'],
    ['<https://a.example/b?c=d#e>; title="x, y"; rel="next"', '?c=d'],
    ['</plants?cursor=a>; rel="nextish"', undefined],
    ['</plants?cursor=a>; title="rel=next"', undefined],
  ] as const) {
    it(`${link ?? 'nothing'} is ${expected ?? 'no next page'}`, () => assert.equal(parseNextQuery(link), expected));
  }
});

describe('toQuery()', () => {
  it('refuses half of a surrogate pair, which would become another text', () => {
    assert.throws(() => toQuery({ tag: '\ud800' }), TypeError);
  });
});
