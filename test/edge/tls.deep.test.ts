/** TLS: whatever works on the socket itself (refusals, lingering close, drain) works here, too. Does not check certificates. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runProcess } from '../cli/run-cli.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { request, type Target } from '../support/request.ts';
import { type Cleanup, makeFolder } from '../support/clean-up.ts';
import type { ServiceOptions } from '../support/service-run.ts';
import { type ServiceProcess, startProcess } from '../support/start-process.ts';
import { assertQuiet } from './assert-cases.ts';
import { createHead, head, host, live, plant } from './bytes.ts';
import { Connection, exchange } from './connection.ts';
import { certificate, privateKey } from './self-signed.ts';

const folder = await makeFolder({ after });
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
const service = await startSecure({ after });

async function startSecure(scope: Cleanup, env: ServiceOptions['env'] = {}): Promise<ServiceProcess & Target> {
  await writeFile(files.cert, certificate);
  await writeFile(files.key, privateKey, { mode: 0o600 });
  const service = await startProcess(scope, { env, flags: ['--tls-cert', files.cert, '--tls-key', files.key] });
  return { ...service, ca: certificate };
}

describe('a service with TLS', () => {
  it('creates, and returns its own address', async () => {
    assert.match(service.url, /^https:/);
    await assertServes(service);
    const description = await request(service, { path: '/openapi.json' });
    assert.ok(description.text.includes('"https://127.0.0.1:'), 'the description names another address');
    assert.equal(description.headers['strict-transport-security'], 'max-age=31536000');
  });

  it('answers malformed bytes with an Error, and closes', async () => {
    const connection = await Connection.open(service);
    await connection.send('BAD\r\n\r\n');
    const reply = await connection.answer('BAD', '/');
    assertError(reply, 'request_malformed');
    assert.equal(reply?.headers['strict-transport-security'], 'max-age=31536000');
    await connection.closed;
    await assertServes(service);
  });

  it('answers CONNECT, and closes', async () => {
    const connection = await Connection.open(service);
    await connection.send(head('CONNECT a:1 HTTP/1.1', [host]));
    assertError(await connection.answer('CONNECT', 'a:1'), 'path_unknown');
    await connection.closed;
    await assertServes(service);
  });

  it('answers a broken chunk of a request that asks for an upgrade, and closes', async () => {
    const connection = await Connection.open(service);
    const upgrade = ['Connection: Upgrade', 'Upgrade: h2c', 'Transfer-Encoding: chunked'];
    await connection.send(createHead(service, upgrade, 'zz\r\n'));
    assertError(await connection.answer(), 'request_malformed');
    await connection.closed;
    await assertServes(service);
  });

  it('lets a refused client that keeps sending read its response, then disconnects it', async () => {
    const connection = await Connection.open(service, true);
    const bytesMax = 32 * 1024 * 1024;
    const block = Buffer.alloc(64 * 1024, 'a');
    await connection.send(createHead(service, ['Content-Length: 1000000000000']));
    while (connection.bytesSent < bytesMax && (await connection.send(block)));
    assert.ok(connection.bytesSent < bytesMax, 'the service goes on reading');
    assertError(await connection.answer(), 'body_too_large');
    await connection.closed;
    await assertServes(service);
  });

  it('reports which file it cannot use, and creates no data folder', async () => {
    const broken = join(folder, 'broken.pem');
    await writeFile(broken, 'no PEM');
    const { cert, key } = files;
    const missing = join(folder, 'nosuch.pem');
    for (const [pair, reason] of [
      [[cert, broken], /^plant-store: Cannot use \S+broken\.pem: it must begin with a private key in PEM, .+\n$/],
      [[broken, key], /^plant-store: Cannot use \S+broken\.pem: it must begin with a certificate in PEM, .+\n$/],
      [[key, cert], /^plant-store: Cannot use \S+key\.pem: it must begin with a certificate in PEM, .+\n$/],
      [[cert, missing], /^plant-store: Cannot read \S+nosuch\.pem: no such file or folder\n$/],
      [[folder, key], /^plant-store: Cannot read \S+: it is a folder\n$/],
    ] as const) {
      const flags = ['--port', '0', '--data-dir', join(folder, 'data'), '--tls-cert', pair[0], '--tls-key', pair[1]];
      const { code, stderr } = await runProcess(['serve', ...flags]);
      assert.equal(code, 1);
      assert.match(stderr, reason);
      assert.ok(!existsSync(join(folder, 'data')));
    }
  });

  it('refuses a key that is not that of the certificate, of another kind too', async () => {
    for (const [kind, options] of [
      ['rsa', { modulusLength: 2048 }],
      ['ec', { namedCurve: 'P-256' }],
    ] as const) {
      const { privateKey: other } = generateKeyPairSync(kind as 'rsa', options as { modulusLength: number });
      const path = join(folder, `${kind}.pem`);
      await writeFile(path, other.export({ type: 'pkcs8', format: 'pem' }));
      const flags = ['--port', '0', '--data-dir', join(folder, 'data'), '--tls-cert', files.cert, '--tls-key', path];
      const { code, stderr } = await runProcess(['serve', ...flags]);
      assert.equal(code, 1, kind);
      assert.match(stderr, /Cannot use the certificate/);
    }
  });

  it('warns of a certificate that has expired', async (context) => {
    const later = 'data:text/javascript,const now = Date.now; Date.now = () => now() + 6e12';
    const flags = ['--tls-cert', files.cert, '--tls-key', files.key];
    const old = await startProcess(context, { flags, nodeArgs: ['--import', later] });
    await old.findLog(({ level, msg }) => level === 'error' && msg === 'Clients refuse the TLS certificate');
    assert.ok(!service.output().includes('Clients refuse'));
  });

  // Without the limit, Node closes it after two minutes.
  it('closes a handshake that is not completed in time', { timeout: 60_000 }, async (context) => {
    const env = { PLANT_STORE_HEADERS_TIMEOUT: '500ms' };
    const hasty = await startProcess(context, { env, flags: ['--tls-cert', files.cert, '--tls-key', files.key] });
    const socket = connect(hasty.port, '127.0.0.1').on('error', () => undefined);
    socket.write(Buffer.from('1603010200010001fc0303', 'hex'));
    socket.resume();
    await once(socket, 'close');
  });

  it('closes a connection that speaks plain HTTP, or disconnects in the handshake', async () => {
    const answer = await exchange(service, live);
    assert.ok(!answer.toString('latin1').startsWith('HTTP/'), 'it answers without TLS');
    await exchange(service, Buffer.from('1603', 'hex'));
    await assertServes(service);
  });

  it('completes a request in progress when it drains', async (context) => {
    const draining = await startSecure(context);
    const connection = await Connection.open(draining);
    const body = plant(nextId());
    await connection.send(createHead(draining, [`Content-Length: ${body.length}`], body.slice(0, 5)));
    const idle = await Connection.open(draining);
    await idle.send(live);
    await idle.answer('GET', '/livez');
    // Without a terminal, it is a wish to reload.
    draining.signal('SIGHUP');
    await draining.findLog(({ msg }) => msg === 'The TLS files have not changed');
    draining.signal('SIGTERM');
    await idle.closed;
    await connection.send(body.slice(5));
    assert.equal((await connection.answer())?.status, 200);
    assert.deepEqual(await draining.exited, { code: 0, signal: null });
  });

  it('closes a connection that has sent nothing since the handshake when it drains', async (context) => {
    // Longer than the drain time-out, so that no other time-out closes it.
    const env = { PLANT_STORE_HEADERS_TIMEOUT: '30s' };
    const draining = await startSecure(context, env);
    const silent = await Connection.open(draining);
    draining.signal('SIGTERM');
    assert.equal(await silent.closed, 'ended');
    assert.deepEqual(await draining.exited, { code: 0, signal: null });
    assert.ok(!draining.output().includes('"level":"warn"'), draining.output());
  });

  after(() => assertQuiet(service));
});
