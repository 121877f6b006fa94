/** The metrics: their names are those of the alerts, their number is bounded, and without a port there are none. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { Metrics } from '../../src/observe/metrics.ts';
import { backupStore } from '../../src/store/maintenance.ts';
import { exchange } from '../edge/connection.ts';
import { certificate, privateKey } from '../edge/self-signed.ts';
import { makeFolder } from '../support/clean-up.ts';
import { nextId } from '../support/plants.ts';
import { request } from '../support/request.ts';
import type { Service } from '../support/service-run.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const scope = { after };
const folder = await makeFolder(scope);
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
await writeFile(files.cert, certificate);
await writeFile(files.key, privateKey);
const started = await startService(scope, {
  store: 'folder',
  env: { PLANT_STORE_METRICS_PORT: '0', PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' },
  flags: ['--tls-cert', files.cert, '--tls-key', files.key],
});
const service = { ...started, ca: certificate };
const portOf = async ({ findLog }: Pick<Service, 'findLog'>): Promise<string> =>
  String((await findLog(({ msg }) => msg === 'Serving metrics'))['port']);
const port = await portOf(service);
const get = (path: string, method = 'GET'): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`, { method });
const scrape = async (): Promise<string> => (await get('/metrics')).text();
/** The value of a series; undefined if there is none. */
const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

describe('the metrics', () => {
  it('count requests by method, route and status, streams apart, and token checks', async (t) => {
    const service = await startService(t, { env: { PLANT_STORE_METRICS_PORT: '0' } });
    await request(service, { body: `{"id":${nextId()},"name":"fern"}` });
    await request(service, { path: '/plants/export' });
    await request(service, { path: '/plants', token: 'wrong' });
    await request(service, { path: '/plants', token: null });
    await request(service, { path: '/nothing/secret-path' });
    const text = await (await fetch(`http://127.0.0.1:${await portOf(service)}/metrics`)).text();
    const count = (labels: string): number | undefined =>
      valueOf(text, `http_server_request_duration_seconds_count{http_request_method=${labels}}`);
    assert.equal(count('"POST",http_response_status_code="200",http_route="/plants"'), 1);
    assert.equal(count('"GET",http_response_status_code="401"'), 2);
    assert.equal(count('"GET",http_response_status_code="404"'), 1);
    assert.equal(valueOf(text, 'plant_store_stream_duration_seconds_count{http_route="/plants/export"}'), 1);
    for (const result of ['invalid', 'missing'])
      assert.equal(valueOf(text, `plant_store_token_checks_total{result="${result}"}`), 1);
    assert.equal(valueOf(text, 'http_server_active_requests'), 0);
    assert.ok(Number(valueOf(text, 'plant_store_commit_writes_sum')) >= 1);
    assert.doesNotMatch(text, /secret-path/);
  });

  it('have each name that the alerts and the dashboard use, and the values of the store', async () => {
    await request(service, { body: `{"id":${nextId()},"name":"fern"}` });
    await backupStore({ folder: service.dataDir }, join(folder, 'backup.db'));
    const text = await scrape();
    const { groups } = parse(await readFile(join(import.meta.dirname, '../../deploy/alerts.yaml'), 'utf8')) as {
      groups: { rules: { expr: string; annotations: { action: string } }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    const used = rules.flatMap(({ expr, annotations }) =>
      `${expr} ${annotations.action}`.match(/\b(?:http_server|plant_store|nodejs|process)_\w+/g),
    );
    assert.ok(used.length >= 10);
    const dashboard = await readFile(join(import.meta.dirname, '../../deploy/grafana-dashboard.json'), 'utf8');
    const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] };
    for (const { expr } of panels.flatMap(({ targets }) => targets)) {
      const names = expr.match(/\b(?:http_server|plant_store|nodejs|process)_\w+/g) ?? [];
      // A label has such a name, too.
      const series = names.filter((name) => name !== 'http_response_status_code');
      assert.ok(series.length > 0, expr);
      used.push(...series);
    }
    const known = new Set([...text.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name));
    const kinds = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    assert.deepEqual(
      used.filter((name) => !known.has(name ?? '') && !kinds.has(name ?? '')),
      [],
    );
    assert.equal(valueOf(text, 'plant_store_store_up'), 1);
    assert.ok(Number(valueOf(text, 'plant_store_data_free_bytes')) > 0);
    assert.ok(Number(valueOf(text, 'plant_store_database_size_bytes')) > 0);
    const age = Date.now() / 1_000 - Number(valueOf(text, 'plant_store_backup_last_success_timestamp_seconds'));
    assert.ok(age > -1 && age < 600, String(age));
    assert.equal(
      valueOf(text, 'plant_store_tls_not_after_timestamp_seconds'),
      Date.parse('2126-10-27T09:50:39Z') / 1_000,
    );
  });

  it('say how far a webhook lags whose receiver is slow but does not fail', async (t) => {
    const lag = async (): Promise<readonly (number | undefined)[]> => {
      const text = await scrape();
      return ['lag_changes', 'lag_seconds', 'oldest_seconds'].map((name) =>
        valueOf(text, `plant_store_webhook_${name}`),
      );
    };
    let release: (() => void) | undefined;
    const receiver = await startReceiver(t, (index, _received, response) => {
      if (index > 0) return 204;
      release = () => response.end();
      return undefined;
    });
    const body = JSON.stringify({ url: receiver.url, events: ['plant.created'] });
    assert.equal((await request(service, { path: '/webhooks', body })).status, 201);
    assert.deepEqual(await lag(), [0, 0, 0]);
    const from = Date.now();
    const create = (): Promise<unknown> => request(service, { body: `{"id":${nextId()},"name":"fern"}` });
    await Promise.all(Array.from({ length: 150 }, create));
    await receiver.waitFor(1);
    const [changes, seconds = 0, failing] = await lag();
    assert.deepEqual([changes, failing], [150, 0]);
    assert.ok(seconds > 0 && seconds <= (Date.now() - from) / 1_000, `${seconds} s`);
    release?.();
    await until(async () => (await lag()).every((each) => each === 0), 'all is delivered');
  });

  it('have a listener of their own, with the probes', async () => {
    for (const [path, status] of [
      ['/livez', 200],
      ['/readyz', 200],
      ['/readyz?verbose', 200],
      ['/', 404],
      ['/constructor', 404],
    ] as const)
      assert.equal((await get(path)).status, status, path);
    assert.equal((await get('/metrics', 'POST')).status, 405);
    assert.equal((await request(service, { path: '/metrics' })).status, 404);
  });

  it('take one request of a connection, then close it: a thousand at once would hold up the API', async () => {
    const get = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
    const replies = String(await exchange({ port: Number(port) }, get.repeat(3)));
    assert.deepEqual(replies.match(/^HTTP\/.*/gm), ['HTTP/1.1 200 OK']);
  });
});

describe('Metrics', () => {
  const end = { seconds: 0.1, isLong: false, token: undefined };

  it('have at most 1,000 series, whatever strangers and clients ask for', async () => {
    const metrics = new Metrics({ version: '1.0.0', node: '26.0.0' });
    metrics.watch({
      isUp: () => Promise.resolve(true),
      queue: () => ({ writes: 0, bytes: 0 }),
      connections: () => Promise.resolve({ open: 1, max: 1, refused: 1 }),
      freeBytes: () => Promise.resolve(1),
      databaseBytes: () => Promise.resolve(1),
      firstStart: () => Promise.resolve(1),
      lastBackup: () => Promise.resolve(1),
      tlsNotAfter: () => 1,
      webhooks: () => Promise.resolve({ failingSeconds: 1, lagSeconds: 1, lagChanges: 1 }),
    });
    const statuses = [200, 204, 304, 400, 401, 403, 404, 405, 409, 412, 413, 429, 431, 500, 503];
    for (let times = 0; times < 20_000; times += 1) {
      const status = statuses[times % statuses.length];
      metrics.requestEnded({ ...end, method: `M${times}`, route: undefined, status });
      metrics.requestEnded({ ...end, method: 'GET', route: `/route/${times % 40}`, status });
    }
    for (const route of ['/plants/export', '/plants/import', '/plants/changes'])
      metrics.requestEnded({ ...end, method: 'GET', route, status: 200, isLong: true });
    for (const token of ['valid', 'invalid', 'missing'] as const)
      metrics.requestEnded({ ...end, method: 'GET', route: undefined, status: 404, token });
    // Some series of the library, such as those of garbage collection, appear only later.
    await sleep(200);
    const text = await metrics.toText();
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
    assert.ok(series <= 1_000, `${series} series`);
    const counts = [...text.matchAll(/^http_server_request_duration_seconds_count\{.*\} (\d+)$/gm)];
    assert.equal(
      counts.reduce((sum, [, count]) => sum + Number(count), 0),
      40_003,
    );
    assert.match(text, /http_request_method="_OTHER",http_response_status_code="5xx"\} /);
    assert.doesNotMatch(text, /M19999/);
  });

  it('count a request in each bucket that it fits in, at its bound too', async () => {
    const metrics = new Metrics({ version: '1.0.0', node: '26.0.0' });
    for (const seconds of [0.005, 0.006, 11])
      metrics.requestEnded({ ...end, method: 'GET', route: '/plants', status: 200, seconds });
    const text = await metrics.toText();
    const labels = 'http_request_method="GET",http_response_status_code="200",http_route="/plants"';
    const of = (part: string): number | undefined => valueOf(text, `http_server_request_duration_seconds_${part}`);
    const buckets = ['0.005', '0.01', '10', '+Inf'].map((bound) => of(`bucket{le="${bound}",${labels}}`));
    assert.deepEqual(buckets, [1, 2, 2, 3]);
    assert.deepEqual([of(`count{${labels}}`), of(`sum{${labels}}`)], [3, 11.011]);
  });

  it('say that the disk or the log is full until a commit succeeds, and what was refused', async () => {
    const metrics = new Metrics({ version: '1.0.0', node: '26.0.0' });
    metrics.logFilled();
    metrics.commitEnded({ writes: 3, committedMs: 1, failure: { code: 'store_full' } });
    let text = await metrics.toText();
    assert.equal(valueOf(text, 'plant_store_store_full'), 1);
    assert.equal(valueOf(text, 'plant_store_log_full'), 1);
    assert.equal(valueOf(text, 'plant_store_writes_refused_total{reason="store_full"}'), 3);
    metrics.commitEnded({ writes: 1, committedMs: 1 });
    metrics.deliveryEnded(false);
    text = await metrics.toText();
    assert.equal(valueOf(text, 'plant_store_store_full'), 0);
    assert.equal(valueOf(text, 'plant_store_log_full'), 0);
    assert.equal(valueOf(text, 'plant_store_webhook_deliveries_total{outcome="failed"}'), 1);
  });
});
