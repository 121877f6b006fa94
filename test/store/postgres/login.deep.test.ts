/** Logging in to a real server: TLS with a certificate that fits or does not, and a password that changes in its file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { rootCertificates } from 'node:tls';
import { Connection, type Login } from '../../../src/store/postgres/connect/connection.ts';
import { parseDatabaseUrl } from '../../../src/store/postgres/connect/database-url.ts';
import { toLogin } from '../../../src/store/postgres/connect/login.ts';
import { certificate, privateKey } from '../../edge/self-signed.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { runAsAdmin, toLogin as toTestLogin } from './open-temporary-database.ts';
import { startOwnServer } from './servers.ts';
import { until } from '../../support/until.ts';

const unverified = { code: /^(UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/ };
/** The certificate is for localhost and 127.0.0.1: this is the same address under a name that it does not have. */
const otherHost = '127.1';

describe('logging in', () => {
  let folder = '';
  let server = '';
  const pathOf = (name: string): string => join(folder, name);
  const connect = async (parameters: string, host = 'localhost', passwordFile?: string): Promise<string> => {
    const url = `${server.replace('127.0.0.1', host)}/postgres?${parameters}`;
    const address = parseDatabaseUrl(url);
    const [first] = address.hosts;
    assert.ok(first);
    const connection = await Connection.open(first, await toLogin(address, passwordFile));
    const { rows } = await connection.run('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()', [], 60_000);
    await connection.close();
    return rows[0]?.[0] === true ? 'encrypted' : 'plain';
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
    server = await startOwnServer(18);
    writeFileSync(pathOf('ca.crt'), certificate);
    writeFileSync(pathOf('other.crt'), rootCertificates[0] ?? '');
    for (const [name, pem] of [
      ['server.crt', certificate],
      ['server.key', privateKey],
    ] as const) {
      const encoded = Buffer.from(pem).toString('base64');
      await runAsAdmin(server, `COPY (SELECT '${encoded}') TO PROGRAM 'umask 077; base64 -d > ${name}'`);
    }
    await runAsAdmin(server, 'ALTER SYSTEM SET ssl = on');
    await runAsAdmin(server, 'SELECT pg_reload_conf()');
    const isEncrypted = async (): Promise<boolean> => (await connect('sslmode=require')) === 'encrypted';
    await until(() => isEncrypted().catch(() => false), 'the server has its certificate');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('verify-full accepts the certificate of the right authority for the right host', async () => {
    assert.equal(await connect(`sslmode=verify-full&sslrootcert=${pathOf('ca.crt')}`), 'encrypted');
  });

  it('verify-full refuses another host, another authority, and a certificate that nobody vouches for', async () => {
    await assert.rejects(connect(`sslmode=verify-full&sslrootcert=${pathOf('ca.crt')}`, otherHost), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    await assert.rejects(connect(`sslmode=verify-full&sslrootcert=${pathOf('other.crt')}`), unverified);
    await assert.rejects(connect('sslmode=verify-full'), unverified);
  });

  it('verify-ca does not compare the host, and refuses another authority', async () => {
    assert.equal(await connect(`sslmode=verify-ca&sslrootcert=${pathOf('ca.crt')}`, otherHost), 'encrypted');
    await assert.rejects(connect(`sslmode=verify-ca&sslrootcert=${pathOf('other.crt')}`), unverified);
  });

  it('require encrypts, disable does not', async () => {
    assert.deepEqual([await connect('sslmode=require'), await connect('sslmode=disable')], ['encrypted', 'plain']);
  });

  it('the password file is read for each connection', async () => {
    const file = pathOf('password');
    const { password, username } = new URL(server);
    const withoutPassword = server;
    server = server.replace(`:${password}@`, '@');
    try {
      writeFileSync(file, `${password}\n`);
      assert.equal(await connect('', 'localhost', file), 'plain');
      writeFileSync(file, 'wrong');
      await assert.rejects(connect('', 'localhost', file), { code: '28P01' });
      await assert.rejects(connect('', 'localhost', pathOf('missing')), {
        message: `Cannot read the password of the database from ${pathOf('missing')}: no such file or folder`,
      });
      for (const empty of ['', '\n']) {
        writeFileSync(file, empty);
        await assert.rejects(connect('', 'localhost', file), /the server asks for a password; name a file/);
      }
      await assert.rejects(connect(''), /the server asks for a password; name a file/);
      await assert.rejects(connect(`sslmode=verify-ca&sslrootcert=${pathOf('none')}`), {
        message: `Cannot read sslrootcert of the database from ${pathOf('none')}: no such file or folder`,
      });
      assert.equal(username, 'postgres');
    } finally {
      server = withoutPassword;
    }
  });

  it('a server that wants TLS is not tried again and again: the start ends, and says what helps', async () => {
    const admin = (sql: string): Promise<void> => runAsAdmin(server, sql);
    const setHba = (type: string): Promise<void> =>
      admin(`COPY (SELECT '${type} all all all scram-sha-256') TO PROGRAM 'cat > pg_hba.conf'`);
    const { address, login } = toTestLogin(`${server}/postgres`);
    const open = (tls: Login['tls']) =>
      openPostgresStore(
        address,
        { ...login, tls },
        { limits: { writesMax: 1, bytesMax: 1 }, onEvent: () => undefined },
      );
    await setHba('hostssl');
    await admin('SELECT pg_reload_conf()');
    await assert.rejects(open(false), /no encryption; if the server wants TLS, add sslmode=verify-full to the URL$/);
    await assert.rejects(open({}), /: self-signed certificate.*; see sslmode and sslrootcert in the URL$/);
  });
});
