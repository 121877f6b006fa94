/** loadConfig(): every option with valid and invalid values, precedence, and all errors at once; findNearest(). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNearest } from '../../src/config/find-nearest.ts';
import { UsageError } from '../../src/config/usage-error.ts';
import { loadConfig, loadOptions } from '../../src/config/load-config.ts';
import { clientVariables, optionNames, options } from '../../src/config/options.ts';
import type { Option, OptionName } from '../../src/config/options.ts';

function findProblems(flags: Record<string, string | undefined>, env: Record<string, string | undefined> = {}) {
  try {
    loadConfig(flags, env);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    assert.equal(error.message, error.problems.join('\n'));
    return error.problems;
  }
  return [];
}

const longToken = `${'a'.repeat(511)}=`;

const same = (...texts: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(texts.map((text) => [text, text]));
const flag = { good: { true: true, false: false }, bad: ['yes', '1', 'True'] };

/** Accepted texts with their values, and rejected ones, at each limit and just past it. */
const samples: Record<OptionName, { good: Readonly<Record<string, unknown>>; bad: readonly string[] }> = {
  host: {
    good: same('0.0.0.0', '::', '::1', 'fe80::1%eth0', 'localhost', 'plants.example.org', 'my_host'),
    bad: ['http://localhost', 'localhost:80', '[::1]', '256.0.0.1', '1.2.3', 'a b', '-a', 'a..b', 'a'.repeat(254)],
  },
  port: {
    good: { 0: 0, 65535: 65535 },
    bad: ['65536', '-1', '80.0', '0x50', ' 80', '80 ', '1e3', 'http', '99999999999999999999'],
  },
  oidcIssuer: {
    good: {},
    bad: ['login.example.org', 'http://login.example.org', 'https://a?b', 'https://a#b', 'https://me:x@a', 'ftp://a'],
  },
  oidcAudience: { good: {}, bad: ['a b', 'a\u0001', 'a'.repeat(1_001)] },
  oidcScopeClaims: {
    good: { scope: ['scope'], 'scp, https://a.example/roles': ['scp', 'https://a.example/roles'] },
    bad: ['a b', 'a,', '"', '\\', 'ä', 'a'.repeat(201)],
  },
  basePath: {
    good: same('/api', '/api/v1', '/~a.b_c-d'),
    bad: ['/a b', ...'/ /api/ api //api /a//b /a/../b /. /a%20b /a?b http://a/b'.split(' ')],
  },
  webhookAllowPrivate: flag,
  migrate: flag,
  sandbox: flag,
  sandboxIdleMs: { good: { '1m': 60_000, '30d': 2_592_000_000 }, bad: ['59s', '31d', 'off'] },
  sandboxMemoryBytesMax: { good: { '1MiB': 1_048_576, '1024GiB': 1_099_511_627_776 }, bad: ['1023KiB', '1025GiB'] },
  sandboxSpaceBytesMax: { good: { '256KiB': 262_144, '1GiB': 1_073_741_824 }, bad: ['255KiB', '2GiB'] },
  sandboxChangesMax: { good: { 1: 1, 1000000000: 1_000_000_000 }, bad: ['0', '1000000001'] },
  sandboxFollowersMax: { good: { 1: 1, 1000: 1_000 }, bad: ['0', '1001'] },
  sandboxRate: {
    good: { off: 'off', '10/m': { requestsMax: 10, periodMs: 60_000 } },
    bad: ['0/s', 'none'],
  },
  sandboxNewSpacesRate: {
    good: { off: 'off', '10/m': { requestsMax: 10, periodMs: 60_000 } },
    bad: ['0/s', 'none'],
  },
  webhookKeyFile: { good: same('/run/secret'), bad: [] },
  // Valid only as a pair, which has its own test.
  tlsCertFile: { good: {}, bad: [] },
  tlsKeyFile: { good: {}, bad: [] },
  trustedProxies: {
    good: {
      '10.0.0.1': ['10.0.0.1'],
      '10.0.0.0/8, ::1,fd00::/8': ['10.0.0.0/8', '::1', 'fd00::/8'],
      '0.0.0.0/1,1.1.1.1/32,::/1,::1/128': ['0.0.0.0/1', '1.1.1.1/32', '::/1', '::1/128'],
    },
    bad: '10.0.0.0/0 10.0.0.0/33 ::/129 10.0.0 proxy 10.0.0.1, , fe80::1%eth0 10.0.0.0/8/8 10.0.0.0/'.split(' '),
  },
  corsOrigins: {
    good: {
      '*': ['*'],
      'https://example.org': ['https://example.org'],
      'http://localhost:5173 , https://a.example': ['http://localhost:5173', 'https://a.example'],
      'http://[::1]:8080': ['http://[::1]:8080'],
    },
    bad: [
      ...'example.org https://example.org/ https://example.org/a https://Example.org https://example.org:443'.split(
        ' ',
      ),
      ...'*,https://a.example null ftp://a.example https:// https://*.example.org'.split(' '),
      'https://a.example,,https://b.example',
    ],
  },
  dataDir: { good: same('/var/lib/plants', 'a b'), bad: [] },
  databaseUrl: {
    good: same(
      'postgres://a:b@c:1,d/e?sslmode=require',
      'postgresql://a@b/c',
      'postgres://a@b/c?sslrootcert=/etc/ca.pem',
      'postgres:///c?host=/run/postgresql',
    ),
    bad: [
      'postgres://a/b\n\n',
      'postgres://a\tb/c',
      ...'postgres:// postgres://a mysql://a/b data postgres://a/b/c'.split(' '),
    ],
  },
  databasePasswordFile: { good: same('/run/secret'), bad: [] },
  initialToken: {
    good: same('a', 'aZ09-._~+/==', longToken),
    bad: [`a${longToken}`, 'a b', 'a=b', '=', 'ä', 'a\n\n', '\na'],
  },
  initialTokenFile: { good: same('/run/secrets/token'), bad: [] },
  rateLimit: {
    good: {
      off: 'off',
      '1/s': { requestsMax: 1, periodMs: 1000 },
      '100/m': { requestsMax: 100, periodMs: 60_000 },
      '1000000/h': { requestsMax: 1_000_000, periodMs: 3_600_000 },
    },
    bad: ['0/s', '1000001/h', '100', '100/', '/s', '1.5/s', '100/d', '100 / s', 'OFF'],
  },
  logLevel: {
    good: same('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    bad: ['verbose', '30'],
  },
  logFormat: { good: same('auto', 'json', 'pretty'), bad: ['text'] },
  accessLog: { good: same('off', 'errors', 'all'), bad: ['on', 'true'] },
  metricsPort: { good: { 0: 0, 9464: 9464 }, bad: ['-1', '65536', 'off'] },
  metricsHost: { good: same('127.0.0.1', '::1'), bad: ['a b'] },
  bodyBytesMax: {
    good: { 1024: 1024, '1KiB': 1024, '65536B': 65_536, '1MiB': 1_048_576 },
    bad: ['1023', '1048577', '2MiB', '64kb', '64K', '1.5KiB', '-1', '64 KiB'],
  },
  headersTimeoutMs: {
    good: { '100ms': 100, '30s': 30_000 },
    bad: ['99ms', '11m', '10', '1.5s', '10S', '10 s', '-1s', '0'],
  },
  requestTimeoutMs: { good: { '10s': 10_000, '1h': 3_600_000 }, bad: ['99ms', '61m', '2h', '30'] },
  keepAliveTimeoutMs: { good: { '100ms': 100, '60m': 3_600_000 }, bad: ['99ms', '3601s', '72'] },
  drainDelayMs: { good: { '0s': 0, '60s': 60_000 }, bad: ['61s', '5', '-1s'] },
  drainTimeoutMs: { good: { '100ms': 100, '2m': 120_000, '10m': 600_000 }, bad: ['99ms', '601s', '25'] },
  connectionsMax: { good: { 1: 1, 1000000: 1_000_000 }, bad: ['0', '1000001', 'many'] },
  changesMax: { good: { 1: 1, 1000000000: 1_000_000_000 }, bad: ['0', '1000000001', '-1', 'off'] },
  changesAgeMsMax: { good: { '1m': 60_000, '10000d': 864_000_000_000 }, bad: ['59s', '10001d', '30'] },
  queueWritesMax: { good: { 1: 1, 1000000: 1_000_000 }, bad: ['0', '1000001', '1k'] },
  queueBytesMax: {
    good: { '1MiB': 1_048_576, '4GiB': 4_294_967_296 },
    bad: ['1048575', '4294967297', '5GiB'],
  },
};

describe('options', () => {
  it('has the documented defaults', () => {
    assert.deepEqual(loadConfig({}, {}), {
      host: '127.0.0.1',
      port: 3000,
      basePath: '',
      trustedProxies: [],
      corsOrigins: [],
      dataDir: 'data',
      rateLimit: 'off',
      logLevel: 'info',
      logFormat: 'auto',
      accessLog: 'errors',
      metricsHost: '127.0.0.1',
      bodyBytesMax: 65_536,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      keepAliveTimeoutMs: 72_000,
      drainDelayMs: 0,
      drainTimeoutMs: 25_000,
      connectionsMax: 10_000,
      webhookAllowPrivate: false,
      migrate: false,
      oidcScopeClaims: ['scope'],
      sandbox: false,
      sandboxIdleMs: 3_600_000,
      sandboxMemoryBytesMax: 536_870_912,
      sandboxSpaceBytesMax: 1_048_576,
      sandboxChangesMax: 1_000,
      sandboxFollowersMax: 5,
      sandboxRate: { requestsMax: 100, periodMs: 1_000 },
      sandboxNewSpacesRate: { requestsMax: 10, periodMs: 60_000 },
      changesMax: 1_000_000,
      changesAgeMsMax: 2_592_000_000,
      queueWritesMax: 10_000,
      queueBytesMax: 67_108_864,
      warnings: [],
    });
  });

  for (const name of optionNames) {
    const option: Option = options[name];
    // Some options need a database, or a sandbox.
    const beside = ['migrate', 'databasePasswordFile'].includes(name)
      ? { '--database-url': 'postgres://a/b' }
      : name.startsWith('sandbox') && name !== 'sandbox'
        ? { '--sandbox': 'true' }
        : {};
    for (const [text, value] of Object.entries(samples[name].good)) {
      it(`accepts ${option.flag} ${text.slice(0, 40)}, as flag and as variable`, () => {
        assert.deepEqual(loadConfig({ ...beside, [option.flag]: text }, {})[name], value);
        for (const end of ['', '\n', '\r\n'])
          assert.deepEqual(loadConfig(beside, { [option.env]: text + end })[name], value);
      });
    }
    for (const text of samples[name].bad) {
      it(`rejects ${option.flag} ${JSON.stringify(text.slice(0, 40))} and names its source`, () => {
        for (const [source, problems] of [
          [option.flag, findProblems({ [option.flag]: text })],
          [
            option.env,
            option.shared === true
              ? loadConfig({}, { [option.env]: text }).warnings
              : findProblems({}, { [option.env]: text }),
          ],
        ] as const) {
          assert.equal(problems.length, 1, problems.join('\n'));
          assert.match(problems[0] ?? '', new RegExp(`^Cannot use ${source}( ".*")?: must be .`));
          assert.doesNotMatch(problems[0] ?? '', /\n/);
        }
      });
    }
    const [text, value] = Object.entries(samples[name].good)[0] ?? [];
    if (text !== undefined) {
      it(`lets ${option.flag} override ${option.env}`, () => {
        assert.deepEqual(loadConfig({ ...beside, [option.flag]: text }, { [option.env]: 'of no use \n' })[name], value);
      });
    }
    it(`treats an empty ${option.env} as unset`, () => {
      assert.deepEqual(loadConfig({}, { [option.env]: '' }), loadConfig({}, {}));
    });
  }

  it('accepts an empty flag where empty has a meaning, and rejects it elsewhere', () => {
    const empty = Object.fromEntries(optionNames.map((name) => [options[name].flag, '']));
    const problems = findProblems(empty).map((problem) => /^Cannot use (\S+) /.exec(problem)?.[1]);
    for (const flag of ['--base-path', '--cors-origins', '--trusted-proxies'])
      assert.ok(!problems.includes(flag), flag);
    for (const flag of ['--host', '--port', '--data-dir', '--rate-limit', '--log-level', '--body-bytes-max']) {
      assert.ok(problems.includes(flag), flag);
    }
    assert.deepEqual(loadConfig({ '--cors-origins': '' }, { PLANT_STORE_CORS_ORIGINS: '*' }).corsOrigins, []);
  });

  it('reports all errors at once, in the order of the table', () => {
    const problems = findProblems(
      { '--prot': '', '--port': '99999', '--host': 'a b', '--tls-key': 'key.pem', '--log-level': 'loud' },
      { LOG_LEVEL: 'info', PLANT_STORE_DATADIR: 'x', PORT: 'not looked at' },
    );
    assert.deepEqual(
      problems.map((problem) => problem.replace(/:.*/, '')),
      [
        'Cannot use --host "a b"',
        'Cannot use --port "99999"',
        'Cannot use --log-level "loud"',
        'Cannot use --prot',
        'Cannot use PLANT_STORE_DATADIR',
        'Cannot use --tls-cert (PLANT_STORE_TLS_CERT) and --tls-key (PLANT_STORE_TLS_KEY)',
      ],
    );
    assert.equal(problems[1], 'Cannot use --port "99999": must be an integer from 0 to 65535');
  });
});

describe('options that need or exclude each other', () => {
  it('refuses the metrics of a sandbox, which has none', () => {
    const flags = { '--sandbox': 'true', '--metrics-port': '9464' };
    assert.throws(() => loadConfig(flags, {}), /Cannot use --metrics-port with --sandbox/);
  });

  it('accepts both the issuer and the audience of OpenID, or neither', () => {
    const values = { '--oidc-issuer': 'https://a.example/realms/shop', '--oidc-audience': 'urn:plants' };
    for (const issuer of ['https://a.example', 'http://127.0.0.1:9000', 'http://[::1]/', values['--oidc-issuer']])
      assert.equal(loadConfig({ ...values, '--oidc-issuer': issuer }, {}).oidcIssuer, issuer);
    for (const [flag, value] of Object.entries(values))
      assert.deepEqual(findProblems({ [flag]: value }), [
        'Cannot use --oidc-issuer (PLANT_STORE_OIDC_ISSUER) and --oidc-audience (PLANT_STORE_OIDC_AUDIENCE): must be both set, or neither',
      ]);
  });

  it('accepts both TLS files or neither', () => {
    const { tlsCertFile, tlsKeyFile } = loadConfig({ '--tls-cert': 'a.pem' }, { PLANT_STORE_TLS_KEY: 'b.pem' });
    assert.deepEqual([tlsCertFile, tlsKeyFile], ['a.pem', 'b.pem']);
    for (const half of ['--tls-cert', '--tls-key']) {
      assert.deepEqual(findProblems({ [half]: 'a.pem' }), [
        'Cannot use --tls-cert (PLANT_STORE_TLS_CERT) and --tls-key (PLANT_STORE_TLS_KEY): must be both set, or neither',
      ]);
    }
  });

  it('rejects two sources of the first token, and a header time-out longer than that of the request', () => {
    assert.match(
      findProblems({ '--initial-token-file': 'a' }, { PLANT_STORE_INITIAL_TOKEN: 'b' }).join('\n'),
      /^Cannot use --initial-token .*must not be both set$/,
    );
    assert.deepEqual(findProblems({ '--headers-timeout': '5s', '--request-timeout': '5s' }), []);
    assert.match(
      findProblems({ '--headers-timeout': '5001ms', '--request-timeout': '5s' }).join('\n'),
      /^Cannot use --headers-timeout .*must not be longer than the second$/,
    );
  });

  it('rejects options of a database without one, until one is named', () => {
    const url = { DATABASE_URL: 'postgres://a/b' };
    const hint = 'without a database: name one with --database-url (DATABASE_URL)';
    for (const [flag, variable, text] of [
      ['--migrate', 'PLANT_STORE_MIGRATE', 'true'],
      ['--database-password-file', 'DATABASE_PASSWORD_FILE', '/run/secret'],
    ] as const) {
      const problems = [`Cannot use ${flag} (${variable}) ${hint}`];
      assert.deepEqual(findProblems({ [flag]: text }), problems);
      assert.deepEqual(findProblems({}, { [variable]: text, PLANT_STORE_DATA_DIR: '/data' }), problems);
      assert.deepEqual(findProblems({ [flag]: text }, url), []);
      // A folder that a flag names overrides the environment, but contradicts a flag.
      assert.deepEqual(findProblems({ '--data-dir': 'a' }, { [variable]: text }), []);
      assert.deepEqual(findProblems({ '--data-dir': 'a', [flag]: text }), problems);
      assert.deepEqual(findProblems({ '--data-dir': 'a', [flag]: text }, url), problems);
      assert.deepEqual(findProblems({ '--data-dir': 'a', [flag]: text, '--database-url': url.DATABASE_URL }), []);
    }
    assert.deepEqual(findProblems({}, { PLANT_STORE_MIGRATE: 'false' }), []);
  });

  it('rejects a first token that another machine can guess, until it is longer or the host is this machine', () => {
    const [weak, strong] = ['a'.repeat(19), 'a'.repeat(20)];
    for (const host of ['0.0.0.0', '::', 'plants.example.org', '10.0.0.1']) {
      const [problem, ...others] = findProblems({ '--host': host, '--initial-token': weak });
      assert.match(
        problem ?? '',
        /^Cannot use --initial-token .* and --host .*; use a longer one, or listen on 127\.0\.0\.1$/,
      );
      assert.deepEqual(others, []);
      assert.deepEqual(findProblems({ '--host': host, '--initial-token': strong }), []);
    }
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      assert.deepEqual(findProblems({ '--host': host, '--initial-token': weak }), []);
  });
});

describe('variables of the environment', () => {
  it('warns of variables that platforms set for any program, and uses the default; takes capitals', () => {
    const read = (env: Record<string, string>): unknown[] => {
      const { logLevel, logFormat, warnings } = loadConfig({}, env);
      return [logLevel, logFormat, ...warnings];
    };
    assert.deepEqual(read({ LOG_LEVEL: 'WARN', LOG_FORMAT: 'Json' }), ['warn', 'json']);
    assert.deepEqual(read({ LOG_LEVEL: 'warning', LOG_FORMAT: 'text' }), [
      'info',
      'auto',
      'Cannot use LOG_LEVEL "warning": must be one of trace, debug, info, warn, error, fatal, silent; using info',
      'Cannot use LOG_FORMAT "text": must be one of auto, json, pretty; using auto',
    ]);
    // Without the right one, the service would be where nobody looks, or have another store.
    for (const env of [{ PORT: 'http' }, { DATABASE_URL: 'mysql://db/plants' }])
      assert.equal(findProblems({}, env).length, 1, JSON.stringify(env));
  });

  it('ignores the variables that Kubernetes sets for Services named plant-store and plant-store-read', () => {
    for (const service of ['PLANT_STORE', 'PLANT_STORE_READ']) {
      const env = {
        [`${service}_SERVICE_HOST`]: '10.96.0.1',
        [`${service}_SERVICE_PORT`]: '3000',
        [`${service}_SERVICE_PORT_HTTP`]: '3000',
        [`${service}_PORT`]: 'tcp://10.96.0.1:3000',
        [`${service}_PORT_3000_TCP`]: 'tcp://10.96.0.1:3000',
        [`${service}_PORT_3000_TCP_PROTO`]: 'tcp',
        [`${service}_PORT_3000_TCP_PORT`]: '3000',
        [`${service}_PORT_3000_TCP_ADDR`]: '10.96.0.1',
        [`${service}_PORT_53_UDP_ADDR`]: '10.96.0.1',
      };
      assert.deepEqual(loadConfig({}, env), loadConfig({}, {}));
    }
    // Near to one of these, and still misspelt.
    for (const [name, value] of Object.entries({
      PLANT_STORE_PORT: '8080',
      PLANT_STORE_SERVICE: 'x',
      PLANT_STORE_SERVICE_PORTS: '1',
      PLANT_STORE_PORT_3000: '1',
      PLANT_STORE_PORT_3000_TCP_HOST: 'x',
      PLANT_STORE_DATADIR: 'tcp://10.96.0.1:3000',
    }))
      assert.equal(findProblems({}, { [name]: value }).length, 1, name);
  });

  for (const [name, meant] of [
    ['PLANT_STORE_DATADIR', 'PLANT_STORE_DATA_DIR'],
    ['PLANT_STORE_PORT', 'PORT'],
    ['PLANT_STORE_LOG_LEVEL', 'LOG_LEVEL'],
    ['PLANT_STORE_CORS_ORIGIN', 'PLANT_STORE_CORS_ORIGINS'],
    ['PLANT_STORE_TOKENFILE', 'PLANT_STORE_TOKEN_FILE'],
    ['PLANT_STORE_COLOUR_OF_THE_SKY', undefined],
  ] as const) {
    it(`rejects the unknown variable ${name} and suggests ${meant ?? 'nothing'}`, () => {
      const guess = meant === undefined ? '' : `; did you mean ${meant}?`;
      assert.deepEqual(findProblems({}, { [name]: 'x' }), [`Cannot use ${name}: there is no such option${guess}`]);
      assert.deepEqual(findProblems({}, { [name]: '' }), []);
    });
  }

  it('knows the variables of clients, and ignores those of other programs and shells', () => {
    const env = Object.fromEntries(
      [...clientVariables, 'PLANT', 'plant_store_x', 'HOST', 'HOSTNAME'].map((name) => [name, 'x']),
    );
    assert.deepEqual(loadConfig({}, env), loadConfig({}, {}));
  });

  it('never shows a secret', () => {
    const secret = 'canary token with spaces';
    for (const problems of [
      findProblems({ '--initial-token': secret }),
      findProblems({}, { PLANT_STORE_INITIAL_TOKEN: secret }),
      findProblems({ '--initial-tokn': secret }, { PLANT_STORE_INITIAL_TOKN: secret }),
    ]) {
      assert.ok(problems.length > 0);
      assert.doesNotMatch(problems.join('\n'), /canary/);
    }
  });
});

describe('loadOptions()', () => {
  it('reads only the named options', () => {
    assert.deepEqual(loadOptions(['dataDir'], {}, { PORT: 'bad', PLANT_STORE_TLS_KEY: 'a.pem' }), { dataDir: 'data' });
  });

  it('rejects misspelt variables like loadConfig()', () => {
    assert.throws(() => loadOptions(['dataDir'], {}, { PLANT_STORE_DATADIR: 'x' }), UsageError);
  });
});

describe('findNearest()', () => {
  const candidates = ['--port', '--host', '--data-dir', '--tls-key'];
  for (const [name, nearest] of [
    ['--port', '--port'],
    ['--prot', '--port'],
    ['--porrt', '--port'],
    ['--pot', '--port'],
    ['--part', '--port'],
    ['--dat-dri', '--data-dir'],
    ['port', '--port'],
    ['--', undefined],
    ['-x', undefined],
    ['--colour', undefined],
    [`--${'port'.repeat(100_000)}`, undefined],
  ] as const) {
    it(`finds ${nearest ?? 'nothing'} for ${name.slice(0, 20)}`, () => {
      assert.equal(findNearest(name, candidates, '--'), nearest);
    });
  }
});
