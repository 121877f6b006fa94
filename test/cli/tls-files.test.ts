/** The TLS files are read again, each minute and on demand; what cannot be used changes nothing. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect } from 'node:tls';
import { TlsFiles } from '../../src/cli/serve/tls-files.ts';
import { live } from '../edge/bytes.ts';
import { Connection } from '../edge/connection.ts';
import { certificate, privateKey, renewed } from '../edge/self-signed.ts';
import { makeFolder } from '../support/clean-up.ts';
import { recordLog } from '../support/record-log.ts';
import { startService } from '../support/start-service.ts';
import { stopClock } from '../support/stop-clock.ts';

/** The fingerprint of the certificate that a new connection gets. */
async function certificateAt(port: number): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

const [before, after] = [certificate, renewed.certificate].map((pem) => new X509Certificate(pem).fingerprint256);

describe('a service with TLS that is asked to reload', () => {
  it('uses the new files for new connections, keeps open ones, and keeps what it has if it cannot', async (t) => {
    const folder = await makeFolder(t);
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const write = async (cert: string, key: string): Promise<void> => {
      await writeFile(files.cert, cert);
      await writeFile(files.key, key);
    };
    await write(certificate, privateKey);
    const service = await startService(t, { flags: ['--tls-cert', files.cert, '--tls-key', files.key] });
    const open = await Connection.open({ ...service, ca: certificate });
    assert.equal(await certificateAt(service.port), before);

    await write(renewed.certificate, renewed.privateKey);
    service.reload();
    await service.findLog(({ msg }) => msg === 'Renewed the TLS certificate');
    assert.equal(await certificateAt(service.port), after);

    // The new certificate, and not yet its key.
    await write(certificate, renewed.privateKey);
    for (let times = 0; times < 2; times += 1) service.reload();
    const { reason } = await service.findLog(({ level }) => level === 'error');
    assert.match(String(reason), /^Cannot use the certificate .* with the key .*: /);
    assert.equal(await certificateAt(service.port), after);

    await write(renewed.certificate, renewed.privateKey);
    service.reload();
    await service.findLog(({ msg }) => msg === 'The TLS files can be used again');
    assert.equal(service.logLines.filter(({ level }) => level === 'error').length, 1);
    await open.send(live);
    assert.equal((await open.answer('GET', '/livez'))?.status, 200);
  });
});

describe('a service that is asked to reload', () => {
  it('without TLS says that there is nothing to read', async (t) => {
    const service = await startService(t);
    service.reload();
    await service.findLog(({ msg }) => msg.startsWith('Nothing to reload'));
  });

  it('as a sandbox uses the new files, too', async (t) => {
    const folder = await makeFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await writeFile(cert, certificate);
    await writeFile(key, privateKey);
    const flags = ['--sandbox', '--tls-cert', cert, '--tls-key', key];
    const service = await startService(t, { store: 'folder', flags });
    await writeFile(cert, renewed.certificate);
    await writeFile(key, renewed.privateKey);
    service.reload();
    await service.findLog(({ msg }) => msg === 'Renewed the TLS certificate');
    assert.equal(await certificateAt(service.port), after);
  });
});

describe('TlsFiles', () => {
  it('keeps a certificate that is valid in place of one that is not, and says when it has expired itself', async () => {
    const { log, lines } = await recordLog('info');
    let [now, tls] = [Date.now(), { cert: renewed.certificate, key: renewed.privateKey }];
    const { validFromDate, validToDate } = new X509Certificate(renewed.certificate);
    const files = new TlsFiles({ cert: certificate, key: privateKey }, { read: async () => tls, now: () => now, log });
    const used: string[] = [];
    files.watch(({ cert }) => used.push(cert));
    const look = async (at: Date, plusMs: number): Promise<unknown[]> => {
      now = at.getTime() + plusMs;
      files.reload();
      await nextTurn();
      return lines.splice(0).map(({ msg }) => msg);
    };
    assert.deepEqual(await look(validFromDate, -1), [
      'Cannot use the TLS files; the service keeps the certificate that it has',
    ]);
    assert.deepEqual(used, []);
    assert.deepEqual(await look(validFromDate, 0), ['Renewed the TLS certificate', 'The TLS files can be used again']);
    assert.deepEqual(used, [renewed.certificate]);
    assert.deepEqual(await look(validToDate, 1), [
      'Clients refuse the TLS certificate',
      'The TLS files have not changed',
    ]);
    // The first certificate expires earlier.
    tls = { cert: certificate, key: privateKey };
    assert.deepEqual(await look(validToDate, -1), ['The TLS certificate is valid']);
    assert.deepEqual(used, [renewed.certificate]);
    files.close();
  });

  it('looks each minute, and once more if the files may have changed meanwhile', async (t) => {
    const pass = stopClock(t, { apis: ['setInterval'] });
    const { log } = await recordLog('silent');
    const pending: ((key: string) => void)[] = [];
    const read = async (): Promise<{ cert: string; key: string }> =>
      new Promise((resolve) => pending.push((key) => resolve({ cert: certificate, key })));
    const files = new TlsFiles({ cert: certificate, key: 'a' }, { read, now: () => Date.now(), log });
    const used: string[] = [];
    files.watch(({ key }) => used.push(key));
    pass(59_999);
    assert.equal(pending.length, 0);
    pass(1);
    assert.equal(pending.length, 1);
    for (let times = 0; times < 3; times += 1) files.reload();
    assert.equal(pending.length, 1);
    pending[0]?.('b');
    await nextTurn();
    assert.equal(pending.length, 2);
    pending[1]?.('c');
    await nextTurn();
    assert.deepEqual(used, ['b', 'c']);
    assert.equal(pending.length, 2);
    files.close();
    pass(60_000);
    assert.equal(pending.length, 2);
  });
});
