/** The service behind real proxies, each with the configuration of deploy/proxy: only its ports and limits are others. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { runCli } from '../cli/run-cli.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { findFreePort } from '../support/find-free-port.ts';
import type { Service } from '../support/service-run.ts';
import { hasTool, type Tool } from '../support/has-tool.ts';
import { startService } from '../support/start-service.ts';

interface Proxy {
  readonly name: string;
  readonly program: Tool;
  /** In deploy/proxy. */
  readonly file: string;
  /** What an administrator may have changed in it. */
  readonly change?: readonly (readonly [from: string, to: string])[];
  /** Writes what the program needs beside the file, in its own folder. */
  readonly complete?: (text: string, folder: string) => string;
  readonly args: (config: string, folder: string) => readonly string[];
  /** Whether requests without a body wait while the service restarts. */
  readonly waits?: boolean;
}

const nginx = {
  program: 'nginx' as const,
  file: 'nginx.conf',
  complete: (text: string, folder: string) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
    return `daemon off; pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; ${paths}\n${text}}\n`;
  },
  args: (config: string, folder: string) => ['-c', config, '-p', folder, '-e', 'stderr'],
};

const proxies: readonly Proxy[] = [
  { ...nginx, name: 'nginx' },
  {
    ...nginx,
    name: 'nginx that buffers, and uses HTTP/1.0 towards the service',
    change: [
      ['proxy_http_version 1.1', 'proxy_http_version 1.0'],
      ['proxy_buffering off', 'proxy_buffering on'],
      ['proxy_request_buffering off', 'proxy_request_buffering on'],
    ],
  },
  {
    name: 'Caddy',
    program: 'caddy',
    file: 'Caddyfile',
    change: [['reverse_proxy', 'request_body {\n\t\t\tmax_size 1MB\n\t\t}\n\t\treverse_proxy']],
    complete: (text) => `{\n\tadmin off\n}\n${text}`,
    waits: true,
    args: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    file: 'haproxy.cfg',
    change: [['  use_backend', '  http-request deny deny_status 413 if { req.body_size gt 1048576 }\n  use_backend']],
    args: (config) => ['-db', '-f', config],
  },
];

const sizeMin = 3_000_000;
const rows = Array.from({ length: 4_000 }, (_, index) => `${index},${'Fern '.repeat(150)}${index},shade`);
const csv = ['id,name,tag', ...rows, ''].join('\n');
const root = await makeFolder({ after });
const csvFile = join(root, 'plants.csv');
writeFileSync(csvFile, csv);

for (const proxy of proxies)
  describe(proxy.name, () => {
    it('passes every answer on below its prefix, in time, also over a restart', { timeout: 180_000 }, async (t) => {
      if (!hasTool(t, proxy.program)) return;
      const [port, servicePort, folder] = [await findFreePort(), await findFreePort(), await makeFolder(t)];
      const dataDir = join(folder, 'data');
      const start = (): Promise<Service> =>
        startService(t, {
          dataDir,
          store: 'folder',
          env: { PORT: String(servicePort), PLANT_STORE_TRUSTED_PROXIES: '127.0.0.1' },
        });
      const service = await start();
      await startProxy(t, proxy, { folder, port, servicePort });
      const base = `http://127.0.0.1:${port}/garden`;
      const asked: string[] = [];
      const recordingFetch: typeof fetch = (input, init) => {
        asked.push(String(input instanceof Request ? input.url : input));
        return fetch(input, init);
      };
      const options = { url: base, token: service.token, fetch: recordingFetch };
      const client = new PlantClient({ ...options, retries: 100, backOffMsMax: 500 });

      // Also waits for the proxy.
      await client.create({ id: -3n, name: 'Moss' });
      await client.create({ id: -2n, name: 'Moss', tag: 'shade' });
      const { url, headers } = await send(`${base}/plants/-1`, service.token, { name: 'Moss' });
      const location = new URL(headers.get('location') ?? assert.fail('no Location'), url);
      assert.equal(location.href, `${base}/plants/-1`);
      assert.equal((await send(location, service.token)).status, 200);
      const page = await send(`${base}/plants?limit=1`, service.token);
      const [, link = ''] = /^<([^>]*)>/.exec(page.headers.get('link') ?? '') ?? [];
      assert.ok(new URL(link, page.url).href.startsWith(`${base}/plants?`), link);
      const ids: bigint[] = [];
      for await (const { id } of client.list({ pageSize: 1 })) ids.push(id);
      assert.deepEqual(ids, [-3n, -2n, -1n]);
      const description = (await (await send(`${base}/openapi.json`, service.token)).json()) as {
        servers: readonly { url: string }[];
      };
      assert.equal(description.servers[0]?.url, base);

      for (const [path, landing, status] of [
        ['/garden', '/garden/', 200],
        ['/gardens', '/gardens', 404],
        ['/plants', '/plants', 404],
      ] as const) {
        const response = await fetch(new URL(path, base));
        assert.deepEqual([new URL(response.url).pathname, response.status], [landing, status], path);
      }

      await followsLongLinks(client);
      await readsEventsInTime(base, service.token);
      await importsInParts(base, service.token);
      let exported = 0;
      for await (const { name } of client.export()) exported += Number(name.length > 3);
      assert.equal(exported, rows.length + 4);

      const changes = client.changes({ after: await latestPosition(client), pageSize: 1 });
      const first = changes.next();
      await client.create({ id: -10n, name: 'before' });
      assert.equal((await first).value?.id, -10n);
      const second = changes.next();
      await service.stop();
      const waiting = proxy.waits === true ? send(`${base}/plants/-10`, service.token) : undefined;
      let restarted = waiting === undefined ? undefined : start();
      assert.equal((await waiting)?.status ?? 200, 200);
      const patient = new PlantClient({
        ...options,
        retries: 1_000,
        backOffMsMax: 500,
        onRetry: () => void (restarted ??= start()),
      });
      await patient.create({ id: -11n, name: 'after' });
      assert.notEqual(restarted, undefined, 'the first try failed');
      assert.equal((await second).value?.id, -11n);
      await changes.return();
      for (const each of asked) assert.ok(each.startsWith(`${base}/plants`), each);

      if (proxy.program === 'haproxy')
        for (const each of [service, await restarted])
          await each?.findLog(({ operation, status }) => operation === 'getReadiness' && status === 200);
    });
  });

const latestPosition = async (client: PlantClient): Promise<string> =>
  (await client.changesPage({ after: 'now' })).position ?? assert.fail('no position');

function send(url: string | URL, token: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(url, { headers, ...(body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) }) });
}

/** The longest tag takes 12,000 bytes in a query, and in the link to the next page. */
async function followsLongLinks(client: PlantClient): Promise<void> {
  const tag = '🌱'.repeat(1_000);
  for (const id of [-8n, -7n]) await client.create({ id, name: 'Ivy', tag });
  const ids: bigint[] = [];
  for await (const { id } of client.list({ tag, pageSize: 1 })) ids.push(id);
  assert.deepEqual(ids, [-8n, -7n]);
}

/** A proxy that holds events back fails here by the limit of the test: the stream has no end. */
async function readsEventsInTime(base: string, token: string): Promise<void> {
  const stop = new AbortController();
  const response = await fetch(`${base}/plants/changes?after=now`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: stop.signal,
  });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  await send(`${base}/plants/-5`, token, { name: 'Event' });
  let text = '';
  for await (const chunk of response.body ?? assert.fail('no body')) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('"id":-5,')) break;
  }
  stop.abort();
}

/** The proxy refuses the file in one piece, and so the command line sends it in parts. */
async function importsInParts(base: string, token: string): Promise<void> {
  assert.ok(csv.length > sizeMin);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
  const inOne = await fetch(`${base}/plants/import`, { method: 'POST', headers, body: csv }).then(
    ({ status }) => status,
    () => 'reset',
  );
  assert.notEqual(inOne, 200);
  const { code, stdout, stderr } = await runCli(['import', csvFile, '--url', base], { PLANT_STORE_TOKEN: token });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /4,000 rows read: .* created, .* unchanged, 0 replaced, 0 skipped, 0 refused/);
}

async function startProxy(
  t: TestContext,
  { program, file, change = [], complete = (text) => text, args }: Proxy,
  { folder, port, servicePort }: { readonly folder: string; readonly port: number; readonly servicePort: number },
): Promise<void> {
  const shown = readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'proxy', file), 'utf8');
  const ports = [
    [/8080(?!\/)/, `${port}`],
    ['127.0.0.1:3000', `127.0.0.1:${servicePort}`],
  ] as const;
  let text = shown.replaceAll(/^\s*#.*\n/gm, '');
  for (const [from, to] of [...ports, ...change]) {
    assert.notEqual(text.search(from), -1, `${file} has ${from}`);
    text = text.replace(from, to);
  }
  const config = join(folder, file);
  writeFileSync(config, complete(text, folder));
  chmodSync(folder, 0o755);
  const child = spawn(program, args(config, folder), {
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close');
  void ended.then(() => {
    if (!isEnding) process.stderr.write(output);
  });
  let isEnding = false;
  cleanUp(t, async () => {
    isEnding = true;
    child.kill('SIGTERM');
    await ended;
  });
}
