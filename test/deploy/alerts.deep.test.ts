/**
 * Each alert fires for the fault that it is for: a real service meets the fault and is scraped, and promtool evaluates the rules on these
 * series. Only the passage of time is synthetic.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, statfs, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import { backupStore } from '../../src/store/maintenance.ts';
import { mountSmallDisk } from '../store/small-disk.ts';
import { connectTo, createMigratedDatabase } from '../store/postgres/open-temporary-database.ts';
import { createCluster, startServer } from '../store/postgres/server.ts';
import { findServer } from '../store/postgres/servers.ts';
import { makeFolder } from '../support/clean-up.ts';
import { nextId } from '../support/plants.ts';
import { request } from '../support/request.ts';
import type { Service, ServiceOptions } from '../support/service-run.ts';
import { hasTool } from '../support/has-tool.ts';
import { startService } from '../support/start-service.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { passTime } from '../support/pass-time.ts';

const root = join(import.meta.dirname, '..', '..');
const alertsFile = join(root, 'deploy', 'alerts.yaml');
const { groups } = parse(readFileSync(alertsFile, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
};
const rules = groups.flatMap((group) => group.rules);
/** Alerts that a test has seen. */
const fired = new Set<string>();

/** Values by series, as Prometheus names them; none: the scrape failed. */
type Scrape = ReadonlyMap<string, number>;

async function startScraped(t: TestContext, options: ServiceOptions): Promise<Service & { scrape(): Promise<Scrape> }> {
  const service = await startService(t, { ...options, env: { ...options.env, PLANT_STORE_METRICS_PORT: '0' } });
  const { port } = await service.findLog(({ msg }) => msg === 'Serving metrics');
  const url = `http://127.0.0.1:${String(port)}/metrics`;
  return {
    ...service,
    scrape: async () => {
      const text = await fetch(url).then(
        (response) => response.text(),
        () => '',
      );
      const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)];
      return new Map(
        samples
          .filter(([, name = '']) => rules.some(({ expr }) => new RegExp(`\\b${name}\\b`).test(expr)))
          .map(([, name = '', labels = '', value]) => [
            `${name}{${labels}${labels && ','}instance="one",job="plant-store"}`,
            Number(value),
          ]),
      );
    },
  };
}

/** Asserts which alerts fire at these times, such as `20m`, if what happened between two scrapes goes on each minute. */
async function assertFiring(
  t: TestContext,
  [before, after]: readonly [Scrape, Scrape],
  expected: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const minutes = Math.max(...Object.keys(expected).map((at) => parseInt(at) * (at.endsWith('h') ? 60 : 1)));
  const now = Date.now() / 1_000;
  const toValues = (series: string, value: number): string => {
    const [name = ''] = series.split('{');
    if (/_(?:count|bucket|total)$/.test(name)) {
      const old = before.get(series) ?? 0;
      return `${old}+${value - old}x${minutes}`;
    }
    // Times of promtool begin at 0.
    if (name.endsWith('_timestamp_seconds')) return `${(value - now).toFixed(0)}x${minutes}`;
    if (/^plant_store_webhook_(?:oldest|lag)_seconds$/.test(name) && value > 0) return `${value}+60x${minutes}`;
    return `${value}x${minutes}`;
  };
  const up = { series: 'up{instance="one",job="plant-store"}', values: `${Number(after.size > 0)}x${minutes}` };
  const test = {
    interval: '1m',
    input_series: [up, ...[...after].map(([series, value]) => ({ series, values: toValues(series, value) }))],
    promql_expr_test: Object.entries(expected).map(([at, names]) => ({
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: at,
      exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
    })),
  };
  const file = join(await makeFolder(t), 'test.yaml');
  await writeFile(file, stringify({ rule_files: [alertsFile], evaluation_interval: '1m', tests: [test] }));
  promtool(['test', 'rules', file]);
  for (const name of Object.values(expected).flat()) fired.add(name);
}

function promtool(args: readonly string[], input?: string): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

const create = async (service: Service, name = 'fern'): Promise<number> =>
  (await request(service, { body: JSON.stringify({ id: Number(nextId()), name }) })).status;

describe('deploy/alerts.yaml', () => {
  it('fires when the disk is almost full, and when it is full', async (t) => {
    const disk = hasTool(t, 'promtool') ? await mountSmallDisk(t, '16m') : undefined;
    if (disk === undefined) return;
    const service = await startScraped(t, { store: 'folder', dataDir: join(disk.folder, 'data') });
    const well = await service.scrape();
    const longName = '🌱'.repeat(1_000);
    for (let plants = 0; plants < 500; plants += 1) assert.equal(await create(service, longName), 200);
    const filling = await service.scrape();
    await assertFiring(t, [well, filling], { '20m': [] });

    const { bavail, bsize } = await statfs(disk.folder);
    await writeFile(join(disk.folder, 'filler'), Buffer.alloc(bavail * bsize - 150_000));
    await request(service, { path: '/livez' });
    const low = await service.scrape();
    await assertFiring(t, [filling, low], { '4m': [], '20m': ['PlantStoreDiskLow'] });

    while ((await create(service, longName)) === 200);
    const full = await service.scrape();
    await assertFiring(t, [low, full], { '20m': ['PlantStoreDiskLow', 'PlantStoreErrors', 'PlantStoreFull'] });

    await rm(join(disk.folder, 'filler'));
    assert.equal(await create(service), 200);
    await assertFiring(t, [full, await service.scrape()], { '20m': [] });
  });

  it('fires when the database is slow', async (t) => {
    if (!hasTool(t, 'promtool')) return;
    const database = await createMigratedDatabase(await findServer(18));
    t.after(() => database.remove());
    const service = await startScraped(t, { env: { DATABASE_URL: database.url } });
    // Opens the connections, which may take long.
    assert.equal(await create(service), 200);
    const well = await service.scrape();
    for (let times = 0; times < 50; times += 1) await request(service, { path: '/livez' });
    assert.equal(await create(service), 200);
    const before = await service.scrape();
    await assertFiring(t, [well, before], { '20m': [] });

    const other = await connectTo(database.url);
    const run = async (sql: string): Promise<unknown> => (await other.run(sql, [], 60_000)).rows[0]?.[0];
    await run('BEGIN');
    await run('LOCK TABLE plants');
    const slow = create(service);
    const waiting = `SELECT count(*) FROM pg_locks JOIN pg_database AS d ON d.oid = database
      WHERE datname = current_database() AND NOT granted`;
    while ((await run(waiting)) === 0n);
    // Make the create this slow.
    await passTime(1_100);
    await other.close();
    assert.equal(await slow, 200);
    for (let times = 0; times < 50; times += 1) await request(service, { path: '/livez' });
    await assertFiring(t, [before, await service.scrape()], { '9m': [], '20m': ['PlantStoreSlow'] });
  });

  it('fires when the database is down, and when the service is', async (t) => {
    if (!hasTool(t, 'promtool')) return;
    const options = { major: 18, folder: await makeFolder(t) } as const;
    const server = await startServer(options, await createCluster(options));
    t.after(() => server.stop());
    const env = { DATABASE_URL: `${server.url}/postgres`, PLANT_STORE_MIGRATE: 'true' };
    const service = await startScraped(t, { env });
    for (let times = 0; times < 100; times += 1) await request(service, { path: '/livez' });
    const before = await service.scrape();
    await server.stop();
    for (let times = 0; times < 98; times += 1) await request(service, { path: '/livez' });
    for (let times = 0; times < 2; times += 1) assert.equal(await create(service), 503);
    const down = await service.scrape();
    await assertFiring(t, [before, down], { '1m': [], '20m': ['PlantStoreDown', 'PlantStoreErrors'] });

    await service.stop();
    await assertFiring(t, [down, await service.scrape()], { '1m': [], '20m': ['PlantStoreDown'] });
  });

  it('fires when connections are refused', async (t) => {
    if (!hasTool(t, 'promtool')) return;
    const service = await startScraped(t, { flags: ['--connections-max', '10'] });
    const before = await service.scrape();
    const connections = Array.from({ length: 20 }, () => connect(service.port, '127.0.0.1'));
    t.after(() => connections.forEach((each) => each.destroy()));
    for (const each of connections) each.on('error', () => undefined);
    await service.findLog(({ msg }) => msg === 'Cannot accept connections');
    await assertFiring(t, [before, await service.scrape()], { '3m': [], '20m': ['PlantStoreConnectionsRefused'] });
  });

  it('fires when a data folder has no backup at all', async (t) => {
    if (!hasTool(t, 'promtool')) return;
    const service = await startScraped(t, { store: 'folder' });
    const scrape = await service.scrape();
    await assertFiring(t, [scrape, scrape], { '25h': [], '27h': ['PlantStoreBackupOld'] });
  });

  it('fires at once on a store that is older than that and was never backed up, however young its process is', async (t) => {
    if (!hasTool(t)) return;
    const first = await startService(t, { store: 'folder', dataDir: join(await makeFolder(t), 'data') });
    await first.stop();
    const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
    await utimes(join(first.dataDir, 'plants.lock'), twoDaysAgo, twoDaysAgo);
    const service = await startScraped(t, { store: 'folder', dataDir: first.dataDir });
    const scrape = await service.scrape();
    await assertFiring(t, [scrape, scrape], { '1m': ['PlantStoreBackupOld'] });
  });

  it('fires when no backup is made, a certificate is not renewed, and a webhook fails, each after its time', async (t) => {
    if (!hasTool(t, 'promtool', 'openssl')) return;
    const folder = await makeFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '15', '-keyout', key, '-out', cert];
    assert.equal(spawnSync('openssl', [...args, ...subject]).status, 0);
    const flags = ['--tls-cert', cert, '--tls-key', key];
    const env = { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const started = await startScraped(t, { store: 'folder', env, flags });
    const service = { ...started, ca: readFileSync(cert, 'utf8') };
    await backupStore({ folder: service.dataDir }, join(folder, 'backup.db'));
    const receiver = await startReceiver(t, () => 500);
    const body = JSON.stringify({ url: receiver.url, events: ['plant.created'] });
    assert.equal((await request(service, { path: '/webhooks', body })).status, 201);
    const before = await service.scrape();
    assert.equal(await create(service), 200);
    await receiver.waitFor(1);
    const failing = (scrape: Scrape): boolean =>
      [...scrape].some(([series, value]) => series.startsWith('plant_store_webhook_oldest_seconds') && value > 0);
    let after = before;
    while (!failing(after)) after = await service.scrape();
    await assertFiring(t, [before, after], {
      '28m': [],
      '58m': ['PlantStoreWebhookLagging'],
      '62m': ['PlantStoreWebhookFailing', 'PlantStoreWebhookLagging'],
      '23h': ['PlantStoreWebhookFailing', 'PlantStoreWebhookLagging'],
      '25h': ['PlantStoreCertificate', 'PlantStoreWebhookFailing', 'PlantStoreWebhookLagging'],
      '27h': ['PlantStoreBackupOld', 'PlantStoreCertificate', 'PlantStoreWebhookFailing', 'PlantStoreWebhookLagging'],
    });
  });

  it('has no other alert, and docs/operations.md is about each', (t) => {
    if (!hasTool(t, 'promtool')) return;
    promtool(['check', 'rules', alertsFile]);
    const names = rules.map(({ alert }) => alert);
    assert.deepEqual(names.toSorted(), [...fired].toSorted());
    const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
    assert.deepEqual(
      [...page.matchAll(/^\| `(PlantStore\w+)` /gm)].map(([, name]) => name),
      names,
    );
  });
});

describe('/metrics', () => {
  it('has what promtool checks: names, units, help', async (t) => {
    if (!hasTool(t, 'promtool')) return;
    const service = await startService(t, { env: { PLANT_STORE_METRICS_PORT: '0' } });
    const { port } = await service.findLog(({ msg }) => msg === 'Serving metrics');
    await create(service);
    const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
    const own = text.split('\n').filter((line) => !/^(?:# \w+ )?(?:nodejs|process)_/.test(line));
    promtool(['check', 'metrics'], `${own.join('\n')}\n`);
  });
});
