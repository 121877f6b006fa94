/** What only a process shows of metrics and traces: that they are not loaded unless they are wanted, and that a receiver cannot hold its end. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openTraceProvider } from '../../src/observe/trace-provider.ts';
import { makeFolder } from '../support/clean-up.ts';
import { recordLog } from '../support/record-log.ts';
import { request } from '../support/request.ts';
import { startProcess } from '../support/start-process.ts';
import { startOtlpReceiver } from './otlp-receiver.ts';

const listModules = join(import.meta.dirname, 'list-modules.ts');
const dead = 'http://127.0.0.1:2';

describe('metrics and traces', () => {
  const packages = ['@opentelemetry/', '@prometheus-io/'];
  const own = ['observe/metrics.ts', 'observe/metrics-server.ts', 'observe/trace-provider.ts', 'observe/traces.ts'];
  for (const [about, env, expected] of [
    ['nothing unless they are wanted', {}, []],
    ['all of it', { OTEL_EXPORTER_OTLP_ENDPOINT: dead, PLANT_STORE_METRICS_PORT: '0' }, [...packages, ...own]],
  ] as const)
    it(`load ${about}`, async (t) => {
      const file = join(await makeFolder(t), 'modules');
      const nodeArgs = ['--import', listModules];
      const service = await startProcess(t, { nodeArgs, env: { ...env, LOADED_MODULES: file } });
      await request(service, { path: '/plants' });
      await service.stop();
      const urls = (await readFile(file, 'utf8')).split('\n');
      assert.ok(urls.some((url) => url.endsWith('/serve/run-service.ts')));
      assert.deepEqual(
        [...packages, ...own].filter((name) => urls.some((url) => url.includes(name))),
        expected,
      );
    });
});

describe('a receiver of traces that never answers', () => {
  it('does not hold the end of the service', async (t) => {
    const receiver = await startOtlpReceiver(t, () => undefined);
    const service = await startProcess(t, {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_TRACES_SAMPLER: 'always_on',
        // The end would take so long.
        OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
        // Neither prevents the start.
        ...{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_COMPRESSION: 'brotli' },
      },
    });
    const ignored = service.logLines.filter(({ msg }) => msg === 'Ignored a setting of OpenTelemetry');
    assert.match(
      ignored.map(({ level, reason }) => `${level} ${String(reason)}`).join(),
      /^warn .*"grpc",warn .*'brotli'/,
    );
    await request(service, { path: '/plants' });
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
    assert.equal(receiver.requests(), 1);
  });

  it('counts as late also if it has refused a batch', async (t) => {
    const unanswered: ServerResponse[] = [];
    const receiver = await startOtlpReceiver(t, (response, index) =>
      index === 1 ? response.writeHead(400).end() : unanswered.push(response),
    );
    const { log } = await recordLog('silent');
    const settings = {
      sampler: 'always_on',
      samplerArg: undefined,
      resourceAttributes: undefined,
      protocol: undefined,
      timeout: undefined,
      version: '1',
    };
    const provider = openTraceProvider({ ...settings, url: `${receiver.url}/v1/traces` }, log);
    // Two batches.
    for (let spans = 0; spans < 1_024; spans += 1) provider.tracer.startSpan('GET').end();
    assert.equal(await provider.close(), false);
    assert.equal(receiver.requests(), 2);
    for (const response of unanswered) response.end();
  });
});
