/** The files of deploy/ and the workflows, each checked by the tool or the schema that it is for. proxies.deep.test.ts runs the proxies. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments, parseDocument } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import { options } from '../../src/config/options.ts';
import { certificate, privateKey } from '../edge/self-signed.ts';
import { makeFolder } from '../support/clean-up.ts';
import { hasTool } from '../support/has-tool.ts';
import { startProcess } from '../support/start-process.ts';

const root = join(import.meta.dirname, '..', '..');
const deploy = join(root, 'deploy');
const read = (...path: string[]): string => readFileSync(join(deploy, ...path), 'utf8');

/** Classes whose objects check themselves against the schemas of Kubernetes. */
const kinds = { Deployment, Job, PodDisruptionBudget, Service, StatefulSet };

describe('deploy/systemd', () => {
  it('has units that systemd takes', async (t) => {
    if (!hasTool(t, 'systemd-analyze')) return;
    const folder = await makeFolder(t);
    const command = join(folder, 'bin', 'plant-store');
    mkdirSync(join(folder, 'bin'));
    writeFileSync(command, '#!/bin/sh\n');
    chmodSync(command, 0o755);
    const names = readdirSync(join(deploy, 'systemd'));
    assert.deepEqual(names.toSorted(), [
      'plant-store-backup-hourly.service',
      'plant-store-backup-hourly.timer',
      'plant-store-backup.service',
      'plant-store-backup.timer',
      'plant-store.service',
    ]);
    for (const name of names)
      writeFileSync(join(folder, name), read('systemd', name).replaceAll('/opt/plant-store/bin/plant-store', command));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...names], { cwd: folder, encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
    for (const name of names.filter((each) => each.endsWith('.service'))) {
      // The threshold is 2.0 of 10: the unit says which restrictions it leaves out, besides the
      // network.
      const args = ['security', '--offline=true', '--threshold=20', name];
      const security = spawnSync('systemd-analyze', args, { cwd: folder, encoding: 'utf8' });
      assert.equal(security.status, 0, security.stdout);
    }
  });

  it('has backups that differ in their folder and their number only', () => {
    const [nightly = [], hourly = []] = ['backup', 'backup-hourly'].map((name) =>
      read('systemd', `plant-store-${name}.service`).split('\n'),
    );
    const others = hourly.map((line) =>
      line
        .replaceAll(/(plant-store|backup)-hourly/g, '$1')
        .replace(' each hour', '')
        .replace('--keep 48', '--keep 14'),
    );
    assert.deepEqual(others, nightly);
  });
});

describe('deploy/shop', () => {
  it('has units that systemd takes of a user', async (t) => {
    if (!hasTool(t, 'systemd-analyze')) return;
    const folder = await makeFolder(t);
    const names = readdirSync(join(deploy, 'shop'));
    assert.deepEqual(names.toSorted(), [
      'plant-store-backup.service',
      'plant-store-backup.timer',
      'plant-store.service',
    ]);
    // npm may be where systemd does not look.
    for (const name of names)
      writeFileSync(join(folder, name), read('shop', name).replace('=npm ', `="${process.execPath}" `));
    const env = { ...process.env, XDG_RUNTIME_DIR: folder };
    const args = ['--user', 'verify', ...names];
    const { status, stderr } = spawnSync('systemd-analyze', args, { cwd: folder, env, encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
});

describe('deploy/container', () => {
  it('has a file of services that Compose takes', (t) => {
    if (!hasTool(t, 'docker-compose')) return;
    const args = ['--file', join(deploy, 'container', 'compose.yaml'), 'config', '--quiet'];
    const { status, stderr } = spawnSync('docker-compose', args, { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
});

describe('deploy/container/Containerfile', () => {
  it('has a health check that follows scheme, port and base path', async (t) => {
    const [, command = ''] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(read('container', 'Containerfile')) ?? [];
    const [, ...args] = JSON.parse(command) as readonly string[];
    const check = (env: Readonly<Record<string, string>>): number | null =>
      spawnSync(process.execPath, args, { env, timeout: 60_000 }).status;
    const folder = await makeFolder(t);
    const tls = { PLANT_STORE_TLS_CERT: join(folder, 'cert.pem'), PLANT_STORE_TLS_KEY: join(folder, 'key.pem') };
    writeFileSync(tls.PLANT_STORE_TLS_CERT, certificate);
    writeFileSync(tls.PLANT_STORE_TLS_KEY, privateKey);
    for (const env of [{}, { ...tls, PLANT_STORE_BASE_PATH: '/api' }] as const) {
      const service = await startProcess(t, { env });
      const PORT = String(service.port);
      assert.equal(check({ ...env, PORT }), 0);
      assert.equal(check({ PORT, PLANT_STORE_BASE_PATH: '/other' }), 1);
      await service.stop();
      assert.equal(check({ ...env, PORT }), 1);
    }
  });
});

describe('deploy/kubernetes', () => {
  it('leaves the service the time that it takes to stop', () => {
    for (const name of readdirSync(join(deploy, 'kubernetes'))) {
      const text = read('kubernetes', name);
      const [, delay = ''] = /PLANT_STORE_DRAIN_DELAY, value: (\w+)/.exec(text) ?? [];
      const [, grace] = /terminationGracePeriodSeconds: (\d+)/.exec(text) ?? [];
      const { drainDelayMs, drainTimeoutMs } = loadConfig({}, { PLANT_STORE_DRAIN_DELAY: delay });
      assert.ok(drainDelayMs >= 5_000 && drainDelayMs + drainTimeoutMs + 5_000 <= Number(grace) * 1_000, name);
    }
  });

  for (const name of readdirSync(join(deploy, 'kubernetes')))
    it(`has objects that Kubernetes takes: ${name}`, () => {
      const documents = parseAllDocuments(read('kubernetes', name));
      assert.ok(documents.length >= 2);
      for (const document of documents) {
        assert.deepEqual(document.errors, []);
        const object = document.toJS() as { readonly apiVersion: string; readonly kind: keyof typeof kinds };
        const checked = new kinds[object.kind](object as never);
        checked.validate();
        assert.deepEqual([checked.apiVersion, checked.kind], [object.apiVersion, object.kind]);
      }
    });
});

describe('the workflows', () => {
  it('run commands that exist, and the package on the oldest and the newest Node that it allows', () => {
    const texts = ['check.yml', 'release.yml'].map((name) =>
      readFileSync(join(root, '.github', 'workflows', name), 'utf8'),
    );
    const [check = '', release = ''] = texts;
    for (const text of texts) assert.deepEqual(parseDocument(text).errors, []);
    const { jobs } = parse(check) as { readonly jobs: { readonly package: { readonly strategy: unknown } } };
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    assert.deepEqual(jobs.package.strategy, { matrix: { node: ['24.16.0', 26] } });
    assert.equal(engines.node, '^24.16.0 || >=26.0.0');
    for (const text of [check, release])
      assert.ok(text.includes('.ci/run') && statSync(join(root, '.ci', 'run')).isFile());
  });
});

describe('every file to deploy', () => {
  it('sets only variables that the service has', () => {
    const known = new Set<string>(Object.values(options).map(({ env }) => env));
    const files = readdirSync(deploy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const used = files.flatMap((file) =>
      [...readFileSync(join(file.parentPath, file.name), 'utf8').matchAll(/\b(?:PLANT_STORE|DATABASE)_[A-Z_]+/g)].map(
        ([variable]) => variable,
      ),
    );
    assert.ok(used.length >= 10);
    assert.deepEqual(
      used.filter((variable) => !known.has(variable)),
      [],
    );
  });
});
