/** The alerts and the metrics, checked by promtool: each alert fires for the state that it is for, and for no other. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { stringify } from 'yaml';
import { Metrics } from '../../src/observe/metrics.ts';
import { makeFolder } from '../support/clean-up.ts';
import { skipLoudly } from '../support/skip-loudly.ts';

const alerts = join(import.meta.dirname, '..', '..', 'deploy', 'alerts.yaml');

function hasTool(t: TestContext): boolean {
  if (spawnSync('promtool', ['--version']).status === 0) return true;
  skipLoudly(t, 'promtool (Debian: prometheus) is not installed');
  return false;
}

function run(args: readonly string[], input?: string): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

/** Series of a service that is well, a value each minute. */
const well: Readonly<Record<string, string>> = {
  'up{job="plant-store"}': '1x30',
  plant_store_store_up: '1x30',
  plant_store_store_full: '0x30',
  plant_store_data_free_bytes: '1000x30',
  plant_store_database_size_bytes: '1000x30',
  'http_server_request_duration_seconds_count{http_response_status_code="200"}': '0+6000x30',
  'http_server_request_duration_seconds_count{http_response_status_code="503"}': '0+50x30',
  'http_server_request_duration_seconds_bucket{le="1"}': '0+6000x30',
  'http_server_request_duration_seconds_bucket{le="2.5"}': '0+6050x30',
  'http_server_request_duration_seconds_bucket{le="+Inf"}': '0+6050x30',
  // Times begin at 0.
  plant_store_backup_last_success_timestamp_seconds: '-90000x30',
  plant_store_tls_not_after_timestamp_seconds: '1300000x30',
  plant_store_webhook_oldest_seconds: '3500x30',
};

/** What is different when an alert must fire. */
const states: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PlantStoreDown: { 'up{job="plant-store"}': '0x30' },
  PlantStoreFull: { plant_store_store_full: '1x30' },
  PlantStoreDiskLow: { plant_store_data_free_bytes: '100x30' },
  PlantStoreErrors: { 'http_server_request_duration_seconds_count{http_response_status_code="503"}': '0+70x30' },
  PlantStoreSlow: { 'http_server_request_duration_seconds_bucket{le="1"}': '0+5900x30' },
  PlantStoreBackupOld: { plant_store_backup_last_success_timestamp_seconds: '-95000x30' },
  PlantStoreCertificate: { plant_store_tls_not_after_timestamp_seconds: '1200000x30' },
  PlantStoreWebhookFailing: { plant_store_webhook_oldest_seconds: '3700x30' },
};

describe('deploy/alerts.yaml', () => {
  it('has rules that Prometheus takes, each of which fires for its state alone', async (t) => {
    if (!hasTool(t)) return;
    run(['check', 'rules', alerts]);
    const toTest = (state: Readonly<Record<string, string>>, firing: readonly string[]): object => ({
      interval: '1m',
      input_series: Object.entries({ ...well, ...state }).map(([series, values]) => ({ series, values })),
      promql_expr_test: Object.keys(states).map((name) => ({
        expr: `count(ALERTS{alertname="${name}",alertstate="firing"})`,
        eval_time: '20m',
        exp_samples: firing.includes(name) ? [{ labels: '{}', value: 1 }] : [],
      })),
    });
    const tests = [toTest({}, []), ...Object.entries(states).map(([name, state]) => toTest(state, [name]))];
    const file = join(await makeFolder(t), 'test.yaml');
    await writeFile(file, stringify({ rule_files: [alerts], evaluation_interval: '1m', tests }));
    run(['test', 'rules', file]);
  });
});

describe('/metrics', () => {
  it('has what promtool checks: names, units, help', async (t) => {
    if (!hasTool(t)) return;
    const metrics = new Metrics({ version: '1.0.0', node: '26.0.0' });
    metrics.requestEnded({ method: 'GET', route: '/', status: 200, seconds: 1, isStream: false, token: 'valid' });
    const text = await metrics.toText();
    const own = text.split('\n').filter((line) => !/^(?:# \w+ )?(?:nodejs|process)_/.test(line));
    run(['check', 'metrics'], `${own.join('\n')}\n`);
  });
});
