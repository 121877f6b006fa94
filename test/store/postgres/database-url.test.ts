/** Database URLs: what each part means, and that no message shows a password. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDatabaseUrl, toShownUrl } from '../../../src/store/postgres/connect/database-url.ts';

describe('parseDatabaseUrl()', () => {
  it('reads every part', () => {
    assert.deepEqual(
      parseDatabaseUrl(
        'postgres://gardener:p%40ss@one:5433,[::1],two.example:6000/plants%20db?sslmode=verify-full&sslrootcert=/etc/ca.pem&sslcert=c&sslkey=k',
      ),
      {
        hosts: [
          { host: 'one', port: 5433 },
          { host: '::1', port: 5432 },
          { host: 'two.example', port: 6000 },
        ],
        user: 'gardener',
        password: 'p@ss',
        database: 'plants db',
        sslMode: 'verify-full',
        sslRootCert: '/etc/ca.pem',
        sslCert: 'c',
        sslKey: 'k',
      },
    );
  });

  it('takes a URL without a password, and postgresql:// too', () => {
    const { password, sslMode, hosts } = parseDatabaseUrl('postgresql://gardener@db/plants');
    assert.deepEqual([password, sslMode, hosts], [undefined, 'disable', [{ host: 'db', port: 5432 }]]);
  });

  it('accepts what it does anyway', () => {
    const plain = parseDatabaseUrl('postgres://u@h/d');
    for (const more of ['target_session_attrs=read-write', 'target_session_attrs=primary', 'channel_binding=prefer'])
      assert.deepEqual(parseDatabaseUrl(`postgres://u@h/d?${more}`), plain);
  });

  for (const [url, reason] of [
    ['mysql://u:secret@h/d', 'it must look like postgres://user:password@host:5432/database'],
    ['postgres://h/d', 'the user is missing'],
    ['postgres://:secret@h/d', 'the user is missing'],
    ['postgres://u:secret@h', 'it must look like postgres://user:password@host:5432/database'],
    ['postgres://u:secret@h/', 'the name of the database is missing after the host'],
    ['postgres://u:secret@/d', 'a host must be a name or an address, with [] around IPv6'],
    ['postgres://u:secret@h,/d', 'a host must be a name or an address, with [] around IPv6'],
    ['postgres://u:secret@h:70000/d', 'a port must be from 1 to 65535'],
    [
      'postgres://u:secret@h/d?sslmode=prefer',
      'sslmode must be one of disable, require, verify-ca, verify-full; prefer may send all without encryption: use require, or disable on a network that you trust',
    ],
    ['postgres://u:secret@h/d?sslmode=on', 'sslmode must be one of disable, require, verify-ca, verify-full'],
    [
      'postgres://u:secret@h/d?channel_binding=require',
      'remove channel_binding, and use sslmode=verify-full to be sure of the server',
    ],
    [
      'postgres://u:secret@h/d?target_session_attrs=standby',
      'remove target_session_attrs: the service always uses the host that accepts writes',
    ],
    [
      'postgres://u:secret@h/d?connect_timeout=5',
      'remove connect_timeout: the service has time limits of its own, and tries again',
    ],
    ['postgres://u:secret@h/d?application_name=a', 'remove application_name: the service does not set one'],
    ['postgres:///d?host=/run/postgresql', 'a Unix socket cannot be used; name a host, such as 127.0.0.1'],
    ['postgres://u:secret@/d?host=/run/postgresql', 'a Unix socket cannot be used; name a host, such as 127.0.0.1'],
    ['postgres://u:secret@%2Frun%2Fpostgresql/d', 'a Unix socket cannot be used; name a host, such as 127.0.0.1'],
    [
      'postgres://u:secret@h/d?options=x',
      'the parameter options is unknown; use sslmode, sslrootcert, sslcert, sslkey',
    ],
    ['postgres://u:%zzsecret@h/d', '% must be followed by two hexadecimal digits'],
  ] as const) {
    it(`refuses ${url}`, () => {
      assert.throws(() => parseDatabaseUrl(url), { message: `Invalid database URL: ${reason}` });
    });
  }
});

describe('toShownUrl()', () => {
  it('has no password and no parameters', () => {
    const address = parseDatabaseUrl('postgres://u%20v:secret@h,[::1]:1/d?sslmode=require');
    assert.equal(toShownUrl(address), 'postgres://u%20v@h:5432,[::1]:1/d');
  });
});
