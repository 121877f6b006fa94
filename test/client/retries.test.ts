/** What the client does when the service fails for a while: against a scripted server, as no real one fails to order. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ConnectionError, PlantClient, PlantStoreError } from '../../src/client/client.ts';
import { toDelayMs } from '../../src/client/retry.ts';
import { recordWarnings } from '../support/record-warnings.ts';
import { startService } from '../support/start-service.ts';
import { plantAnswer, refusal, startScript, type Step } from './scripted-server.ts';

const plant = { id: 7n, name: 'Basil', tag: 'herb' };
const created: Step = { status: 200, body: '{"name":"Basil","tag":"herb"}' };

describe('PlantClient retries', () => {
  it('a failure that passes is asked again with the same request, any other is final', async (t) => {
    for (const number of [40801, 42901, 50200, 50301, 50304, 50400]) {
      const { client, received, delaysMs } = await startScript(t, [refusal(number), created]);
      assert.equal((await client.create(plant)).plant.name, 'Basil');
      assert.deepEqual([received.length, received[0]?.body, delaysMs], [2, received[1]?.body, [50]]);
    }
    for (const number of [40010, 40101, 40301, 40901, 41301, 50001]) {
      const { client, received } = await startScript(t, [refusal(number), created]);
      const status = Math.floor(number / 100);
      await assert.rejects(client.create(plant), { name: 'PlantStoreError', number, status, message: `No ${number}` });
      assert.equal(received.length, 1);
    }
  });

  it('the back-off doubles, and the last answer is the error', async (t) => {
    const busy = refusal(50301);
    const { client, received, delaysMs } = await startScript(t, [busy, busy, busy, busy, busy, created]);
    await assert.rejects(client.get(7n), { name: 'PlantStoreError', number: 50301, status: 503 });
    assert.equal(received.length, 5);
    assert.deepEqual(delaysMs, [50, 100, 200, 400]);
  });

  it('Retry-After is waited for, and the jitter comes on top', async (t) => {
    const steps = [refusal(50301, { 'retry-after': '2' }), refusal(42901, { 'retry-after': '1' }), created];
    const { client, delaysMs } = await startScript(t, steps);
    await client.create(plant);
    assert.deepEqual(delaysMs, [2050, 1100]);
  });

  it('a Retry-After that is too long is handed to the caller, and retries: 0 asks once', async (t) => {
    for (const [fields, options] of [
      [{ 'retry-after': '61' }, {}],
      [{}, { retries: 0 }],
    ] as const) {
      const { client, received } = await startScript(t, [refusal(42901, { ...fields }), created], options);
      const retryAfterSeconds = 'retry-after' in fields ? 61 : undefined;
      await assert.rejects(client.create(plant), { number: 42901, retryAfterSeconds });
      assert.equal(received.length, 1);
    }
  });

  it('onRetry is told the attempt, the wait and the cause', async (t) => {
    const told: unknown[] = [];
    const onRetry = ({ attempt, delayMs, cause }: { attempt: number; delayMs: number; cause: Error }): void =>
      void told.push([attempt, delayMs, cause.name]);
    const { client } = await startScript(t, ['cut', refusal(50301), created], { onRetry });
    await client.create(plant);
    assert.deepEqual(told, [
      [1, 50, 'ConnectionError'],
      [2, 100, 'PlantStoreError'],
    ]);
  });

  it('a lost connection is tried again, an answer cut in the middle too', async (t) => {
    const { client, received } = await startScript(t, ['cut', { cutAfter: '{"name":"Ba' }, created]);
    assert.deepEqual(await client.create(plant), { plant: { name: 'Basil', tag: 'herb' }, replayed: false });
    assert.equal(received.length, 3);
  });

  it('a response that begins and is cut, or falls silent, is told from none at all, and each try has its time', async (t) => {
    const { client } = await startScript(t, [{ cutAfter: '{' }, 'cut'], { retries: 0 });
    for (const [hasBegun, message] of [
      [true, /^The response was cut short: /],
      [false, /^Cannot reach the service: /],
    ] as const)
      await assert.rejects(client.get(7n), { name: 'ConnectionError', kind: 'network', hasBegun, message });
    for (const hasBegun of [true, false]) {
      let tries = 0;
      const fetch = (...[, init]: Parameters<typeof globalThis.fetch>): Promise<Response> => {
        tries += 1;
        const { promise, reject } = Promise.withResolvers<never>();
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        const body = new ReadableStream<Uint8Array>({ pull: () => promise });
        return hasBegun ? Promise.resolve(new Response(body)) : promise;
      };
      const silent = new PlantClient({ url: 'http://a', token: 'a', timeoutMs: 1, retries: 1, backOffMs: 0, fetch });
      const message = `Timed out: no ${hasBegun ? 'data for' : 'response within'} 1 ms`;
      await assert.rejects(silent.get(7n), { name: 'ConnectionError', kind: 'timeout', hasBegun, message });
      assert.equal(tries, 2);
    }
  });

  it('an https address of a service without TLS is an error that says so', async (t) => {
    const { url } = await startScript(t, []);
    const client = new PlantClient({ url: url.replace('http:', 'https:'), token: 'a', retries: 0 });
    await assert.rejects(client.get(7n), {
      kind: 'network',
      message: /^Cannot reach the service: it does not use TLS; /,
    });
  });

  it('sets no timer for a time-out that is longer than any timer, which would fire at once', async (t) => {
    const warnings = recordWarnings(t);
    for (const timeoutMs of [Infinity, 2 ** 31, Number.MAX_VALUE]) {
      const fetch = (): Promise<Response> => Promise.resolve(new Response('{"name":"Basil"}'));
      const client = new PlantClient({ url: 'http://a', token: 'a', timeoutMs, fetch });
      assert.equal((await client.create(plant)).plant.name, 'Basil');
    }
    await setImmediate();
    assert.deepEqual(warnings, []);
  });
});

describe('PlantClient and an answer that was lost', () => {
  const absent = refusal(40402);
  const failed = refusal(41201);

  const fields = { name: 'Basil', tag: 'herb' };
  const report = '{"read":0,"created":0,"unchanged":0,"replaced":0,"skipped":0,"refused":0,"errors":[]}';
  const imported: Step = { status: 200, body: report };
  const ndjson = 'application/x-ndjson';
  const removed: Step = { status: 204 };
  const list: Step = { status: 200, body: '[]' };
  type Use = (client: PlantClient) => Promise<unknown>;

  /** Name, the call, the last answer, and whether repeating the call can undo nothing. */
  const calls: [string, Use, Step, boolean][] = [
    ['create', (client) => client.create(plant), created, true],
    ['get', (client) => client.get(7n), plantAnswer, true],
    ['listPage', (client) => client.listPage(), list, true],
    ['put', (client) => client.put(7n, fields), plantAnswer, false],
    ['put of any version', (client) => client.put(7n, fields, { ifMatch: '*' }), plantAnswer, false],
    ['put of one of two versions', (client) => client.put(7n, fields, { ifMatch: '"a", "b"' }), plantAnswer, false],
    ['put of one version', (client) => client.put(7n, fields, { ifMatch: '"v0"' }), plantAnswer, true],
    ['put of a new plant', (client) => client.put(7n, fields, { createOnly: true }), plantAnswer, true],
    ['patch', (client) => client.patch(7n, fields), plantAnswer, false],
    ['patch of one version', (client) => client.patch(7n, fields, { ifMatch: '"v0"' }), plantAnswer, true],
    ['delete', (client) => client.delete(7n), removed, false],
    ['delete of one version', (client) => client.delete(7n, { ifMatch: '"v0"' }), removed, true],
    ['import', (client) => client.import('', { mediaType: ndjson }), imported, true],
    ['import that skips', (client) => client.import('', { mediaType: ndjson, onConflict: 'skip' }), imported, true],
    [
      'import that replaces',
      (client) => client.import('', { mediaType: ndjson, onConflict: 'replace' }),
      imported,
      false,
    ],
    [
      'dry run of an import that replaces',
      (client) => client.import('', { mediaType: ndjson, onConflict: 'replace', dryRun: true }),
      imported,
      true,
    ],
  ];
  for (const [name, use, last, isRepeatable] of calls) {
    for (const [failure, step] of [
      ['a lost connection', 'cut'],
      ['50303, unknown whether stored', refusal(50303)],
      ['502 of a proxy', refusal(50200)],
    ] as const) {
      it(`${name} is ${isRepeatable ? '' : 'not '}sent again after ${failure}`, async (t) => {
        const { client, received } = await startScript(t, [step, last]);
        if (isRepeatable) await use(client);
        else await assert.rejects(use(client), step === 'cut' ? ConnectionError : PlantStoreError);
        assert.equal(received.length, isRepeatable ? 2 : 1);
      });
    }

    it(`${name} is sent again after 429`, async (t) => {
      const { client, received } = await startScript(t, [refusal(42901), last]);
      await use(client);
      assert.equal(received.length, 2);
    });
  }

  for (const number of [40801, 50301, 50302, 50304, 50305]) {
    it(`${number} means nothing was written, except to an import, whose first rows may be stored`, async (t) => {
      const { client, received } = await startScript(t, [refusal(number), plantAnswer, refusal(number), imported]);
      await client.put(7n, fields);
      assert.equal(received.length, 2);
      await assert.rejects(client.import('', { mediaType: ndjson, onConflict: 'replace' }), { number });
      assert.equal(received.length, 3);
    });
  }

  it('put does not undo the put of another client that was acknowledged in between', async (t) => {
    const service = await startService(t);
    const other = new PlantClient(service);
    // The put is executed, its answer is lost, and then somebody else writes.
    let tries = 0;
    const losing = async (...args: Parameters<typeof fetch>): Promise<Response> => {
      const answer = await fetch(...args);
      tries += 1;
      if (tries > 1) return answer;
      await other.put(7n, { name: 'of somebody else' });
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    };
    const client = new PlantClient({ ...service, backOffMs: 1, fetch: losing });
    await assert.rejects(client.put(7n, { name: 'mine' }), ConnectionError);
    assert.equal((await other.get(7n))?.plant.name, 'of somebody else');
  });

  const untagged: Step = { status: 200, headers: { etag: '"v1"' }, body: '{"id":7,"name":"Basil"}' };
  const lost: readonly Step[] = ['cut', failed];
  const ifMatch = '"v0"';
  /** Calls whose condition fails; what is stored tells whether an earlier try of them was executed. */
  const conditional: [string, Use, readonly Step[], unknown][] = [
    [
      'patch',
      (client) => client.patch(7n, { name: 'Basil' }, { ifMatch }),
      [...lost, plantAnswer],
      { plant, etag: '"v1"' },
    ],
    ['patch of another plant', (client) => client.patch(7n, { tag: null }, { ifMatch }), [...lost, plantAnswer], 41201],
    [
      'patch that removes the tag',
      (client) => client.patch(7n, { tag: null }, { ifMatch }),
      [...lost, untagged],
      { plant: { id: 7n, name: 'Basil' }, etag: '"v1"' },
    ],
    [
      'put',
      (client) => client.put(7n, fields, { createOnly: true }),
      [...lost, plantAnswer],
      { plant, etag: '"v1"', outcome: 'created' },
    ],
    ['put of another plant', (client) => client.put(7n, { name: 'Basil' }, { ifMatch }), [...lost, plantAnswer], 41201],
    ['delete', (client) => client.delete(7n, { ifMatch }), [...lost, absent], true],
    ['delete of a plant that is there', (client) => client.delete(7n, { ifMatch }), [...lost, plantAnswer], 41201],
    ['put at its first try', (client) => client.put(7n, fields, { createOnly: true }), [failed], 41201],
    ['delete at its first try', (client) => client.delete(7n, { ifMatch }), [failed], 41201],
    [
      'put after a 503 that wrote nothing',
      (client) => client.put(7n, fields, { createOnly: true }),
      [refusal(50301), failed],
      41201,
    ],
  ];
  for (const [name, use, steps, expected] of conditional) {
    it(`${name} ${typeof expected === 'number' ? 'fails' : 'counts as done'} when its condition is not met`, async (t) => {
      const { client, received } = await startScript(t, steps);
      if (typeof expected === 'number') await assert.rejects(use(client), { number: expected });
      else assert.deepEqual(await use(client), expected);
      assert.equal(received.length, steps.length);
    });
  }

  for (const [name, failures, expected] of [
    ['a lost connection', ['cut'], true],
    ['a lost connection and 50301', ['cut', refusal(50301)], true],
    ['50303', [refusal(50303)], true],
    ['50301', [refusal(50301)], false],
    ['42901', [refusal(42901)], false],
  ] as const) {
    it(`delete of one version that finds nothing after ${name} is ${expected}`, async (t) => {
      const { client } = await startScript(t, [...failures, absent]);
      assert.equal(await client.delete(7n, { ifMatch: '"v0"' }), expected);
    });
  }

  it('delete that finds nothing behind a connection that never came to be is false', async (t) => {
    const { url } = await startScript(t, [absent]);
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const outcomes = [() => Promise.reject(new TypeError('fetch failed', { cause })), fetch];
    const next: typeof fetch = (...args) => (outcomes.shift() ?? fetch)(...args);
    assert.equal(await new PlantClient({ url, token: 'a', backOffMs: 1, fetch: next }).delete(7n), false);
    assert.equal(outcomes.length, 0);
  });
});

describe('AbortSignal', () => {
  it('ends a request that waits, with its reason', async (t) => {
    const { client, closed, received } = await startScript(t, ['silent']);
    const controller = new AbortController();
    const rejected = assert.rejects(client.get(7n, { signal: controller.signal }), /^Error: enough$/);
    while (received.length === 0) await setImmediate();
    controller.abort(new Error('enough'));
    await rejected;
    await closed;
  });

  it('ends the wait before a retry', async (t) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { url } = await startScript(t, [refusal(50301, { 'retry-after': '3600' }), plantAnswer]);
    const onRetry = (): void => void setTimeout(() => controller.abort(reason), 20);
    const client = new PlantClient({ url, token: 'a', retryAfterSecondsMax: 3600, onRetry });
    await assert.rejects(client.get(7n, { signal: controller.signal }), reason);
  });

  it('aborted before the call sends nothing', async (t) => {
    const { client, received } = await startScript(t, [plantAnswer]);
    await assert.rejects(client.get(7n, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    assert.equal(received.length, 0);
  });
});

describe('toDelayMs()', () => {
  it('grows to its bound and takes a random part', () => {
    const delays = Array.from({ length: 9 }, (_, index) => toDelayMs(index + 1, undefined, {}, () => 1));
    assert.deepEqual(delays, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    const [most, none] = [toDelayMs(40, undefined, {}, () => 0.1), toDelayMs(9, undefined, {}, () => 0)];
    assert.deepEqual([most, none], [500, 0]);
  });
});
