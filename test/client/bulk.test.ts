/** Imports and exports over connections that break: against a scripted server, as no real one breaks to order. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ExportProgress, PlantClient, type ImportProgress, type ImportReport } from '../../src/client/client.ts';
import { stopClock } from '../support/stop-clock.ts';
import { refusal, startScript, type Step } from './scripted-server.ts';

const ndjson = { mediaType: 'application/x-ndjson' } as const;

function report(counts: Partial<Record<keyof ImportReport, number>>, errors: readonly number[] = []): Step {
  const all = { read: 0, created: 0, unchanged: 0, replaced: 0, skipped: 0, refused: 0, ...counts };
  const refused = errors.map((line) => ({ line, error: 40901, message: 'taken' }));
  return { status: 200, body: JSON.stringify({ ...all, errors: refused }) };
}

describe('PlantClient import()', () => {
  it('sends part after part, adds up, and tells lines of the source', async (t) => {
    const steps = [
      report({ read: 15, created: 1, unchanged: 2, replaced: 4, skipped: 7, refused: 1 }, [2]),
      report({ read: 31, created: 2, unchanged: 4, replaced: 8, skipped: 16, refused: 1 }, [1]),
    ];
    const { client, received } = await startScript(t, steps);
    const progress: ImportProgress[] = [];
    const total = await client.import('{"id":1}\n{"id":2}\n{"id":3}\n', {
      ...ndjson,
      partBytes: 18,
      onConflict: 'skip',
      dryRun: true,
      onProgress: (state) => void progress.push(state),
    });
    assert.deepEqual(
      received.map(({ path }) => path),
      Array(2).fill(`/plants/import?onConflict=skip&dryRun=true&group=${total.group}`),
    );
    assert.deepEqual(
      received.map(({ body }) => body),
      ['{"id":1}\n{"id":2}\n', '{"id":3}\n'],
    );
    assert.equal(received[0]?.headers['content-type'], 'application/x-ndjson');
    const { errors, group, ...counts } = total;
    assert.match(group, /^import-[0-9a-f]{24}$/);
    assert.deepEqual(counts, { read: 46n, created: 3n, unchanged: 6n, replaced: 12n, skipped: 23n, refused: 2n });
    assert.deepEqual(
      errors.map(({ line }) => line),
      [2n, 3n],
    );
    assert.deepEqual(
      progress.map(({ bytes, report: { read } }) => [bytes, read]),
      [
        [18, 15n],
        [27, 46n],
      ],
    );
  });

  it('sends a part again when its connection is cut, and no other', async (t) => {
    const one = report({ read: 1 });
    const { client, received } = await startScript(t, [one, 'cut', one, one]);
    const total = await client.import('a\nb\nc\n', { ...ndjson, partBytes: 1, group: 'mine' });
    assert.deepEqual([total.read, total.group], [3n, 'mine']);
    assert.deepEqual(
      received.map(({ path }) => path),
      Array(4).fill('/plants/import?group=mine'),
    );
    assert.equal(received.map(({ body }) => body).join(), 'a\n,b\n,b\n,c\n');
  });

  it('names the first 1,000 refused rows of all parts', async (t) => {
    const lines = Array.from({ length: 600 }, () => 1);
    const { client } = await startScript(t, [report({ refused: 600 }, lines), report({ refused: 600 }, lines)]);
    const total = await client.import('a\nb\n', { ...ndjson, partBytes: 1 });
    assert.equal(total.refused, 1_200n);
    assert.equal(total.errors.length, 1_000);
    assert.deepEqual([total.errors[599]?.line, total.errors[600]?.line], [1n, 2n]);
  });

  it('sends parts of at most 1 MB, which proxies commonly take', async (t) => {
    const text = '{"id":1,"name":"Monstera"}\n'.repeat(80_000);
    const { client, received } = await startScript(t, Array<Step>(3).fill(report({})));
    await client.import(text, ndjson);
    assert.equal(received.map(({ body }) => body).join(''), text);
    assert.ok(received.every(({ body }) => body.length <= 1_000_000));
  });

  it('names the proxy if it takes less', async (t) => {
    const { client } = await startScript(t, [{ status: 413, body: '<html>nginx</html>' }]);
    await assert.rejects(client.import('a\n', ndjson), {
      number: 41300,
      message: /proxy .* 413\. Its limit for request bodies/,
    });
  });

  it('never sends a part of an import that replaces again after a time-out', async () => {
    let sent = 0;
    const fetch = async (...[, init]: Parameters<typeof globalThis.fetch>): Promise<Response> => {
      sent += 1;
      await new Promise((resolve) => init?.signal?.addEventListener('abort', resolve));
      throw new Error('aborted');
    };
    const client = new PlantClient({ url: 'http://127.0.0.1', token: 'double', fetch });
    const call = client.import('{"id":1}\n', { ...ndjson, onConflict: 'replace', timeoutMs: 1 });
    await assert.rejects(call, { kind: 'timeout' });
    assert.equal(sent, 1);
  });

  it('ends at a part that the service refuses, and has told what was stored', async (t) => {
    const { client, received } = await startScript(t, [report({ read: 1 }), refusal(40301)]);
    let told: ImportProgress | undefined;
    const call = client.import('a\nb\nc\n', { ...ndjson, partBytes: 1, onProgress: (state) => (told = state) });
    await assert.rejects(call, { number: 40301 });
    assert.equal(told?.bytes, 2);
    assert.equal(received.length, 2);
  });

  it('an abort ends it also while the source has stalled, and a failing source is its failure', async (t) => {
    const { client } = await startScript(t, [report({ read: 1 })]);
    const controller = new AbortController();
    const stalled = new ReadableStream<Uint8Array>({
      start: (source) => source.enqueue(new TextEncoder().encode('a\n')),
    });
    const onProgress = (): void => controller.abort();
    const call = client.import(stalled, { ...ndjson, partBytes: 1, signal: controller.signal, onProgress });
    await assert.rejects(call, { name: 'AbortError' });
    const failure = new Error('The disk went away');
    const failing = new ReadableStream<Uint8Array>({ start: (source) => source.error(failure) });
    await assert.rejects(client.import(failing, ndjson), failure);
  });

  it('refuses a size of parts that is none, instead of sending nothing', async (t) => {
    const { client, received } = await startScript(t, []);
    for (const partBytes of [NaN, -1, 0])
      await assert.rejects(client.import('a\n', { ...ndjson, partBytes }), {
        name: 'RangeError',
        message: /partBytes/,
      });
    assert.equal(received.length, 0);
  });

  it('aborted before the call leaves no failure of the source unhandled', async (t) => {
    const { client, received } = await startScript(t, []);
    const failing = new ReadableStream<Uint8Array>({ start: (source) => source.error(new Error('No such file')) });
    const call = client.import(failing, { ...ndjson, signal: AbortSignal.abort() });
    await assert.rejects(call, { name: 'AbortError' });
    assert.equal(received.length, 0);
    // An unhandled rejection would fail the test.
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('PlantClient export()', () => {
  const lines = '{"id":-9223372036854775808,"name":"\ufeffa\u2028"}\n{"id":9007199254740993,"name":"b","tag":""}\n';

  const exported = (body: string): Step => ({ status: 200, headers: { 'content-type': 'application/x-ndjson' }, body });

  it('reads plants exactly, wherever the bytes are cut', async (t) => {
    const { client, received } = await startScript(t, [exported(lines)]);
    assert.deepEqual(await Array.fromAsync(client.export({ tag: '', name: 'a b', search: 'c' })), [
      { id: -(2n ** 63n), name: '\ufeffa\u2028' },
      { id: 9007199254740993n, name: 'b', tag: '' },
    ]);
    assert.equal(received[0]?.path, '/plants/export?tag=&name=a+b&search=c');
    assert.equal(received[0].headers.accept, 'application/x-ndjson');
  });

  it('one that breaks off throws, also where a line ends', async (t) => {
    for (const cutAfter of [lines, lines.slice(0, -5)]) {
      const { client, received } = await startScript(t, [{ cutAfter }]);
      const found: bigint[] = [];
      const read = async (): Promise<void> => {
        for await (const { id } of client.export()) found.push(id);
      };
      await assert.rejects(read, { name: 'ConnectionError', kind: 'network' });
      assert.equal(found[0], -(2n ** 63n));
      assert.equal(received.length, 1);
    }
  });

  it('one that falls silent throws after the time-out, which a slow reader does not use up', async (t) => {
    const pass = stopClock(t, { apis: ['setTimeout'] });
    const { client } = await startScript(t, [{ silentAfter: lines }], { timeoutMs: 500 });
    const reader = (await client.exportBytes(ndjson.mediaType)).getReader();
    // Nobody waits, so nothing is late.
    pass(1_000);
    assert.ok((await reader.read()).value !== undefined);
    pass(1_000);
    const late = assert.rejects(reader.read(), { name: 'ConnectionError', kind: 'timeout' });
    await new Promise((resolve) => setImmediate(resolve));
    pass(500);
    await late;
  });

  it('leaving the loop ends the request', async (t) => {
    const { client, closed } = await startScript(t, [{ silentAfter: lines }]);
    for await (const { id } of client.export()) if (id < 0n) break;
    await closed;
  });

  it('an abort in the loop ends it with its reason, although more plants have arrived', async (t) => {
    const { client } = await startScript(t, [exported(lines)]);
    const controller = new AbortController();
    let count = 0;
    const read = async (): Promise<void> => {
      for await (const { id } of client.export({ signal: controller.signal })) {
        count += 1;
        controller.abort(id);
      }
    };
    await assert.rejects(read(), (reason) => typeof reason === 'bigint');
    assert.equal(count, 1);
  });

  it('an abort ends the stream with its reason', async (t) => {
    const { client, closed } = await startScript(t, [{ silentAfter: lines }]);
    const controller = new AbortController();
    const reader = (await client.exportBytes(ndjson.mediaType, { signal: controller.signal })).getReader();
    await reader.read();
    const call = assert.rejects(reader.read(), { name: 'AbortError' });
    controller.abort();
    await call;
    await closed;
  });

  it('a busy service is asked again before the first byte', async (t) => {
    const { client } = await startScript(t, [refusal(50301), 'cut', exported(lines)]);
    assert.equal((await Array.fromAsync(client.export())).length, 2);
  });

  it('one that a proxy cut and ended like a whole one throws at its end, as bytes and as plants', async (t) => {
    const message = 'Cannot use the response: the export ends in the middle of a row';
    for (const [mediaType, body] of [
      ['application/x-ndjson', '{"id":1,"name":"a"}\n{"id":2,"na'],
      ['application/x-ndjson', '{"id":1,"name":"a"}'],
      ['text/csv', ''],
      ['text/csv', 'id,na'],
      ['text/csv', 'id,name,tag\r\n1,a'],
      // Inside of a quoted name with two lines.
      ['text/csv', 'id,name,tag\r\n1,"a\n'],
    ] as const) {
      const { client } = await startScript(t, [{ status: 200, headers: { 'content-type': mediaType }, body }]);
      let text = '';
      const read = async (): Promise<void> => {
        for await (const bytes of await client.exportBytes(mediaType)) text += new TextDecoder().decode(bytes);
      };
      await assert.rejects(read(), { name: 'ConnectionError', kind: 'response', message }, body);
      assert.equal(text, body);
    }
    const { client } = await startScript(t, [exported('{"id":1,"name":"a"}')]);
    await assert.rejects(Array.fromAsync(client.export()), { name: 'ConnectionError', kind: 'response', message });
  });

  it('says how many bytes and plants have arrived, before it yields them; none is whole, too', async (t) => {
    for (const [mediaType, body, rows] of [
      ['application/x-ndjson', '', 0n],
      ['application/x-ndjson', '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n', 2n],
      ['text/csv', 'id,name,tag\r\n', 0n],
      ['text/csv', 'id,name,tag\r\n1,"a\nb",\r\n2,c,\r\n', 2n],
    ] as const) {
      const { client } = await startScript(t, [{ status: 200, headers: { 'content-type': mediaType }, body }]);
      let arrived: ExportProgress = { bytes: 0, rows: 0n };
      let bytes = 0;
      for await (const chunk of await client.exportBytes(mediaType, { onProgress: (now) => (arrived = now) })) {
        bytes += chunk.length;
        assert.equal(arrived.bytes, bytes);
      }
      assert.deepEqual(arrived, { bytes: body.length, rows });
    }
  });

  it('the page of a proxy is not taken for one, nor is nothing', async (t) => {
    const page: Step = { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Sign in to the network</p>' };
    const { client } = await startScript(t, [page, { status: 200 }]);
    await assert.rejects(client.exportBytes('text/csv'), { name: 'ConnectionError', kind: 'response' });
    await assert.rejects(Array.fromAsync(client.export()), { name: 'ConnectionError', kind: 'response' });
  });

  it('refuses a line that is too long, without reading on', async (t) => {
    const { client, closed } = await startScript(t, [{ silentAfter: 'a'.repeat(2_000_000) }]);
    await assert.rejects(Array.fromAsync(client.export()), { kind: 'response', message: /a line is too long/ });
    await closed;
  });
});
