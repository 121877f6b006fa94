/** Traces, as a receiver of the test gets them: what has a span, what a span never has, and a receiver that fails. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { openTraces } from '../../src/cli/serve/open-traces.ts';
import { type Log, openLog } from '../../src/observe/log.ts';
import { openTraceProvider } from '../../src/observe/trace-provider.ts';
import { Traces } from '../../src/observe/traces.ts';
import { nextId } from '../support/plants.ts';
import { recordWarnings } from '../support/record-warnings.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { startOtlpReceiver } from './otlp-receiver.ts';

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const sampled = { traceparent: `00-${traceId}-${spanId}-01` };
const all = { OTEL_TRACES_SAMPLER_ARG: '1' };

async function openLines(): Promise<{ readonly log: Log; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const log = await openLog({ level: 'warn', format: 'json', destination: { write: (line) => lines.push(line) } });
  return { log, lines };
}

describe('the trace of a request', () => {
  it('continues that of its caller, and never has the target or the token', async (t) => {
    const receiver = await startOtlpReceiver(t);
    const service = await startService(t, {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
        OTEL_TRACES_SAMPLER_ARG: '0',
        PLANT_STORE_ACCESS_LOG: 'all',
      },
    });
    // The first use of the token is noted, which is a write, too.
    await request(service, { path: '/plants' });
    await request(service, { headers: sampled, body: `{"id":${nextId()},"name":"secret-fern"}` });
    await request(service, { headers: sampled, path: '/secret-path?token=secret-query', token: 'secret-token' });
    await request(service, { headers: { traceparent: `00-${'1'.repeat(32)}-${spanId}-00` }, path: '/livez' });
    await service.stop();

    const span = (name: string) => {
      const [found, ...others] = receiver.spans.filter((each) => each.name === name);
      assert.ok(found !== undefined && others.length === 0, name);
      return found;
    };
    const post = span('POST /plants');
    assert.deepEqual([post.traceId, post.parentId, post.kind, post.isError], [traceId, spanId, 2, false]);
    assert.deepEqual(post.attributes, {
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'http.route': '/plants',
      'http.response.status_code': 200,
    });
    const unknown = span('GET');
    assert.deepEqual([unknown.traceId, unknown.isError], [traceId, false]);
    assert.equal(receiver.spans.length, 2);
    assert.doesNotMatch(receiver.bytes(), /secret|canary/);
    const { 'service.name': name, 'service.version': version } = receiver.resource();
    assert.deepEqual([name, typeof version], ['plant-store', 'string']);
  });

  it('begins with it if it has no caller; a failure has its code; the log has the trace', async (t) => {
    const receiver = await startOtlpReceiver(t);
    const service = await startService(t, {
      env: {
        ...{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`, ...all },
        ...{ PLANT_STORE_OIDC_ISSUER: 'http://127.0.0.1:2', PLANT_STORE_OIDC_AUDIENCE: 'plants' },
      },
    });
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
    const claims = { iss: 'http://127.0.0.1:2', aud: 'plants', sub: 'ana', exp: Date.now() };
    const token = `${encode({ alg: 'RS256', typ: 'JWT', kid: 'a' })}.${encode(claims)}.c2ln`;
    assert.equal((await request(service, { path: '/plants', token })).status, 503);
    const line = await service.findLog(({ msg }) => msg === 'Replied');
    await service.stop();
    const [span, ...others] = receiver.spans;
    assert.deepEqual(others, []);
    assert.deepEqual([span?.name, span?.parentId, span?.isError], ['GET /plants', '', true]);
    assert.equal(span?.attributes['error.type'], 'issuer_unavailable');
    assert.equal(line['traceId'], span.traceId);
  });
});

describe('the delivery of a webhook', () => {
  it('has a trace of its own, which its receiver gets, and which the line of a webhook that is disabled has', async (t) => {
    const traces = await startOtlpReceiver(t);
    const receiver = await startReceiver(t, (index) => (index === 0 ? 204 : 410));
    const service = await startService(t, {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, ...all, PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' },
    });
    const body = JSON.stringify({ url: `${receiver.url}?key=secret-key`, events: ['plant.created'] });
    const { id } = JSON.parse((await request(service, { path: '/webhooks', body })).text) as { readonly id: string };
    await request(service, { method: 'POST', path: `/webhooks/${id}/test` });
    await request(service, { body: `{"id":${nextId()},"name":"fern"}` });
    const line = await service.findLog(({ msg }) => msg === 'Disabled a webhook');
    await service.stop();
    const spans = traces.spans.filter(({ kind }) => kind === 3);
    assert.deepEqual(
      receiver.requests.map(({ headers }) => headers['traceparent']),
      spans.map((span) => `00-${span.traceId}-${span.spanId}-01`),
    );
    assert.equal(spans.length, 2);
    assert.deepEqual([line['webhook'], line['traceId']], [id, spans[1]?.traceId]);
    for (const [index, span] of spans.entries()) {
      assert.deepEqual([span.name, span.parentId, span.isError], ['POST', '', index === 1]);
      assert.deepEqual(span.attributes, {
        'http.request.method': 'POST',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(receiver.url).port),
        'plant_store.delivery': receiver.requests[index]?.id,
        'http.response.status_code': index === 0 ? 204 : 410,
        ...(index === 0 ? {} : { 'error.type': '410' }),
      });
    }
    assert.doesNotMatch(traces.bytes(), /secret/);
  });
});

describe('a receiver of traces that fails', () => {
  it('is one line when it begins and one when it ends, and no request notices', async (t) => {
    const receiver = await startOtlpReceiver(t, (response, index) => response.writeHead(index < 2 ? 400 : 200).end());
    const service = await startService(t, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...all } });
    // A batch is sent at once when it has 512 spans.
    for (let times = 0; times < 3; times += 1) {
      const replies = await Promise.all(Array.from({ length: 512 }, () => request(service, { path: '/livez' })));
      assert.ok(replies.every(({ status }) => status === 200));
      while (receiver.requests() <= times) await request(service, { path: '/livez' });
    }
    await service.findLog(({ msg }) => msg === 'Traces are sent again');
    const lines = service.logLines.filter(({ msg }) => /traces/i.test(msg));
    assert.deepEqual(
      lines.map(({ level, reason }) => [level, reason]),
      [
        ['error', 'Bad Request'],
        ['info', undefined],
      ],
    );
    // Counts spans. On a slow machine the batches are smaller: they are also sent after some time.
    assert.ok(Number(lines[1]?.['times']) > 2);
  });
});

describe('Traces', () => {
  it('leave out what is not sampled, and have the code of a response that was cut', () => {
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor({ exporter })];
    const sampler = new ParentBasedSampler({ root: new AlwaysOffSampler() });
    const traces = new Traces(new TracerProvider({ sampler, spanProcessors }).getTracer('test'));
    assert.equal(traces.beginRequest('GET', 'http', undefined), undefined);
    assert.equal(traces.beginDelivery('msg', new URL('https://shop.example')), undefined);
    const parent = { traceId, spanId, traceFlags: 1 };
    const error = 'internal';
    traces.beginRequest('GET', 'http', parent)?.end({ route: '/plants/export', status: 200, error });
    const [span] = exporter.getFinishedSpans();
    assert.deepEqual([span?.attributes['error.type'], span?.parentSpanContext?.isRemote], [error, true]);
  });
});

describe('openTraces()', () => {
  const url = 'http://127.0.0.1:2';
  for (const [about, env, warned] of [
    ['there is no endpoint', { OTEL_SERVICE_NAME: 'plants' }, 0],
    ['OpenTelemetry is disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'True' }, 0],
    ['traces have no exporter', { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_EXPORTER: 'none' }, 0],
    ['the endpoint is no URL, which is logged', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector' }, 1],
  ] as const)
    it(`traces nothing if ${about}`, async () => {
      const { log, lines } = await openLines();
      const context = { env, version: '1' } as Partial<CommandContext> as CommandContext;
      assert.equal(await openTraces(context, log), undefined);
      assert.equal(lines.length, warned);
    });
});

it('docs/operations.md installs the packages that package.json names', async () => {
  const root = join(import.meta.dirname, '..', '..');
  const read = (...path: string[]): Promise<string> => readFile(join(root, ...path), 'utf8');
  const { peerDependencies } = JSON.parse(await read('package.json')) as { peerDependencies: Record<string, string> };
  const shown = (await read('docs', 'operations.md')).match(/@opentelemetry\/\S+@\S+/g);
  assert.deepEqual(
    shown,
    Object.entries(peerDependencies)
      .filter(([name]) => name.startsWith('@opentelemetry/'))
      .map(([name, range]) => `${name}@${range}`),
  );
});

describe('openTraceProvider()', () => {
  const settings = {
    ...{ url: 'http://127.0.0.1:2', protocol: 'http/protobuf', timeout: undefined, version: '1' },
    ...{ sampler: undefined, samplerArg: undefined, resourceAttributes: undefined },
  };

  it('says that OTEL_RESOURCE_ATTRIBUTES is ignored, all of it for one that is wrong', async (t) => {
    const name = 'OTEL_RESOURCE_ATTRIBUTES';
    t.after(() => delete process.env['OTEL_RESOURCE_ATTRIBUTES']);
    for (const [resourceAttributes, warned] of [
      ['deployment.environment=test', 0],
      ['deployment.environment=test,broken', 1],
    ] as const) {
      const { log, lines } = await openLines();
      process.env[name] = resourceAttributes;
      await openTraceProvider({ ...settings, resourceAttributes }, log).close();
      assert.equal(lines.filter((line) => line.includes(name)).length, warned, resourceAttributes);
    }
  });

  for (const [timeout, warned] of [
    [2 ** 31 - 1, 0],
    [2 ** 31, 1],
    [1e20, 1],
  ] as const)
    it(`${warned === 0 ? 'takes' : 'ignores'} a timeout of ${timeout} ms`, async (t) => {
      const received = Promise.withResolvers<undefined>();
      const receiver = await startOtlpReceiver(t, (response) => {
        response.end();
        received.resolve(undefined);
      });
      const { log, lines } = await openLines();
      const warnings = recordWarnings(t);
      const url = `${receiver.url}/v1/traces`;
      const provider = openTraceProvider({ ...settings, sampler: 'always_on', url, timeout: String(timeout) }, log);
      provider.tracer.startSpan('GET').end();
      const closed = provider.close();
      await received.promise;
      await closed;
      assert.deepEqual([lines.length, warnings], [warned, []]);
    });

  /** How many of 1,000 traces are chosen that begin here, at least and at most, and that have a caller that is not recorded, and one that is. */
  for (const [about, sampler, samplerArg, expected, warned] of [
    ['1 in 100, and what the caller does', undefined, undefined, [1, 30, 0, 1000], 0],
    ['the given ratio', undefined, '0.5', [400, 600, 0, 1000], 0],
    ['a ratio of all, whatever the caller does', 'traceidratio', '1', [1000, 1000, 1000, 1000], 0],
    ['all', 'parentbased_always_on', undefined, [1000, 1000, 0, 1000], 0],
    ['none', 'always_off', undefined, [0, 0, 0, 0], 0],
    ['the default for a sampler that does not exist', 'jaeger_remote', undefined, [1, 30, 0, 1000], 1],
    ['the default for a sampler that is named as what each object has', 'constructor', undefined, [1, 30, 0, 1000], 1],
    ['the default for a ratio that is none', undefined, '2', [1, 30, 0, 1000], 1],
  ] as const)
    it(`chooses ${about}`, async () => {
      const { log, lines } = await openLines();
      const provider = openTraceProvider({ ...settings, sampler, samplerArg }, log);
      const traces = new Traces(provider.tracer);
      const count = (traceFlags?: number): number =>
        Array.from({ length: 1_000 }, () => {
          const caller = { traceId: randomBytes(16).toString('hex'), spanId, traceFlags };
          return traces.beginRequest('GET', 'http', traceFlags === undefined ? undefined : { ...caller, traceFlags });
        }).filter((traced) => traced !== undefined).length;
      const [min, max, unsampled, sampledCount] = expected;
      const roots = count();
      assert.ok(roots >= min && roots <= max, String(roots));
      assert.deepEqual([count(0), count(1)], [unsampled, sampledCount]);
      assert.equal(lines.length, warned);
    });
});
