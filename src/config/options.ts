/**
 * The table of options: each is an environment variable, a flag of `serve`, and a row of
 * docs/reference/configuration.md. value-types.ts parses values, load-config.ts reads them.
 */
import type { Bounds, ValueTypeName } from './value-types.ts';

/** One option. Its key in the table is the member of `Config`, with the unit last. */
export interface Option extends Bounds {
  readonly env: string;
  readonly flag: `--${string}`;
  readonly type: ValueTypeName;
  /** Heading in help and on the reference page. */
  readonly group: OptionGroup;
  /** As a user would write it. Unset by default if absent. */
  readonly default?: string;
  /** One sentence without a full stop: what it does. */
  readonly help: string;
  /** The reason for the default, or a caveat; only for the reference page. */
  readonly note?: string;
  /** If true, its value is never shown, not even in its own error message. */
  readonly secret?: true;
}

export const optionGroups = ['Network', 'Store', 'Access', 'Webhooks', 'Log', 'Limits', 'Sandbox'] as const;
export type OptionGroup = (typeof optionGroups)[number];

export const options = {
  host: {
    env: 'PLANT_STORE_HOST',
    flag: '--host',
    type: 'host',
    group: 'Network',
    default: '127.0.0.1',
    help: 'Address to listen on',
    note: 'The default accepts connections from this machine only; `0.0.0.0` or `::` accepts them from anywhere.',
  },
  port: {
    env: 'PORT',
    flag: '--port',
    type: 'integer',
    group: 'Network',
    default: '3000',
    range: ['0', '65535'],
    help: 'Port to listen on; 0 is any free one',
  },
  basePath: {
    env: 'PLANT_STORE_BASE_PATH',
    flag: '--base-path',
    type: 'base-path',
    group: 'Network',
    default: '',
    help: 'Prefix of all paths of the service',
    note: 'For a proxy that forwards `/api/v1/...` unchanged. The `servers` of the served description follow it.',
  },
  tlsCertFile: {
    env: 'PLANT_STORE_TLS_CERT',
    flag: '--tls-cert',
    type: 'path',
    group: 'Network',
    help: 'File with the PEM certificate chain; with --tls-key it enables HTTPS',
  },
  tlsKeyFile: {
    env: 'PLANT_STORE_TLS_KEY',
    flag: '--tls-key',
    type: 'path',
    group: 'Network',
    help: 'File with the PEM private key of --tls-cert',
  },
  trustedProxies: {
    env: 'PLANT_STORE_TRUSTED_PROXIES',
    flag: '--trusted-proxies',
    type: 'addresses',
    group: 'Network',
    default: '',
    help: 'Addresses of proxies whose X-Forwarded-* fields are used',
    note: 'List only machines that set these fields themselves: a trusted proxy can claim any address.',
  },
  corsOrigins: {
    env: 'PLANT_STORE_CORS_ORIGINS',
    flag: '--cors-origins',
    type: 'origins',
    group: 'Network',
    default: '',
    help: 'Origins whose pages may call the service from a browser; * alone is any',
    note: '`*` does not make the service public: browsers do not send tokens by themselves, so a page needs one.',
  },
  dataDir: {
    env: 'PLANT_STORE_DATA_DIR',
    flag: '--data-dir',
    type: 'path',
    group: 'Store',
    default: 'data',
    help: 'Folder with all data of the service',
    note: 'Created at the first start, readable by its owner only; an existing one becomes so, or is refused if it contains other files. A relative path is relative to the working directory.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    flag: '--database-url',
    type: 'database-url',
    group: 'Store',
    help: 'PostgreSQL database for the plants, instead of the data folder',
    note: 'Such as `postgres://plants:secret@one,two:5433/plants?sslmode=verify-full&sslrootcert=ca.pem`: of several hosts, the one that accepts writes is used. Every user of the machine can see a password in a flag: prefer a password file. See [scaling](../scaling.md).',
    secret: true,
  },
  databasePasswordFile: {
    env: 'DATABASE_PASSWORD_FILE',
    flag: '--database-password-file',
    type: 'path',
    group: 'Store',
    help: 'File with the password of the database, read for each connection and used instead of the one in the URL',
  },
  migrate: {
    env: 'PLANT_STORE_MIGRATE',
    flag: '--migrate',
    type: 'flag',
    group: 'Store',
    default: 'false',
    help: 'Create or update the tables of the database before serving',
    note: 'For a single instance; with several, run `plant-store migrate` before you start them. A data folder is always brought up to date.',
  },
  changesMax: {
    env: 'PLANT_STORE_CHANGES_MAX',
    flag: '--changes-max',
    type: 'integer',
    group: 'Store',
    default: '1000000',
    range: ['1', '1000000000'],
    help: 'Number of changes to keep in the change log; older ones are removed',
    note: 'A change takes about 100 bytes of disk, and the texts of its plant.',
  },
  changesAgeMsMax: {
    env: 'PLANT_STORE_CHANGES_MAX_AGE',
    flag: '--changes-max-age',
    type: 'duration',
    group: 'Store',
    default: '30d',
    range: ['1m', '10000d'],
    help: 'Time to keep changes in the change log; older ones are removed',
  },
  initialToken: {
    env: 'PLANT_STORE_INITIAL_TOKEN',
    flag: '--initial-token',
    type: 'token',
    group: 'Access',
    help: 'First token of an empty store, with every scope',
    note: 'Read at the first start only. Without it and its file, a token is created and written to `initial-token` in the data folder. Every user of the machine can see flags: prefer the file.',
    secret: true,
  },
  initialTokenFile: {
    env: 'PLANT_STORE_INITIAL_TOKEN_FILE',
    flag: '--initial-token-file',
    type: 'path',
    group: 'Access',
    help: 'File with the first token, instead of --initial-token',
  },
  oidcIssuer: {
    env: 'PLANT_STORE_OIDC_ISSUER',
    flag: '--oidc-issuer',
    type: 'issuer',
    group: 'Access',
    help: 'OpenID provider whose access tokens (JWT) are accepted, besides the own tokens',
    note: 'Exactly as in the claim `iss`. Needs an audience. See [operations](../operations.md#sign-in-by-openid).',
  },
  oidcAudience: {
    env: 'PLANT_STORE_OIDC_AUDIENCE',
    flag: '--oidc-audience',
    type: 'word',
    group: 'Access',
    help: 'The name of this service at the OpenID provider, as in the claim aud',
    note: 'Not the id of a client: the tokens with which people sign in to that client would be accepted, too.',
  },
  oidcScopeClaim: {
    env: 'PLANT_STORE_OIDC_SCOPE_CLAIM',
    flag: '--oidc-scope-claim',
    type: 'word',
    group: 'Access',
    default: 'scope',
    help: 'Claim of a JWT with its scopes: a text with spaces between them, or an array',
  },
  rateLimit: {
    env: 'PLANT_STORE_RATE_LIMIT',
    flag: '--rate-limit',
    type: 'rate',
    group: 'Access',
    default: 'off',
    help: 'Maximum rate of requests per token, such as 100/s, or off',
    note: 'Each 4 KiB of a request and its response cost as much as a further request. They are charged after the response, so a token can owe up to the limit.',
  },
  webhookAllowPrivate: {
    env: 'PLANT_STORE_WEBHOOK_ALLOW_PRIVATE',
    flag: '--webhook-allow-private',
    type: 'flag',
    group: 'Webhooks',
    default: 'false',
    help: 'Let webhooks use http and addresses that are not public',
    note: 'With it, anyone who may manage webhooks can send requests to every host that the service reaches.',
  },
  webhookKeyFile: {
    env: 'PLANT_STORE_WEBHOOK_KEY_FILE',
    flag: '--webhook-key-file',
    type: 'path',
    group: 'Webhooks',
    help: 'File with the key that encrypts the secrets of webhooks: 32 bytes in Base64',
    note: 'Create one with `openssl rand -base64 32`. Without it, a key is created and written to `webhook-key` in the data folder. With a database, webhooks need this file, with the same key for all instances.',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    flag: '--log-level',
    type: 'choice',
    group: 'Log',
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    help: 'Minimum log level',
  },
  accessLog: {
    env: 'PLANT_STORE_ACCESS_LOG',
    flag: '--access-log',
    type: 'choice',
    group: 'Log',
    default: 'errors',
    choices: ['off', 'errors', 'all'],
    help: 'Requests that are logged at level info; errors is those with status 401, 403, 429, 500 or above',
    note: 'At most 10 lines a second of `errors`, then their number. Lines never have the target or the query. The others are logged at level debug.',
  },
  logFormat: {
    env: 'LOG_FORMAT',
    flag: '--log-format',
    type: 'choice',
    group: 'Log',
    default: 'auto',
    choices: ['auto', 'json', 'pretty'],
    help: 'Log format; auto is pretty on a terminal, json elsewhere',
  },
  bodyBytesMax: {
    env: 'PLANT_STORE_BODY_BYTES_MAX',
    flag: '--body-bytes-max',
    type: 'size',
    group: 'Limits',
    default: '64KiB',
    range: ['1KiB', '1MiB'],
    help: 'Maximum length of a request body; longer ones get 413',
    note: 'The plant with the longest name and tag takes about 24 KiB, with every character escaped.',
  },
  headersTimeoutMs: {
    env: 'PLANT_STORE_HEADERS_TIMEOUT',
    flag: '--headers-timeout',
    type: 'duration',
    group: 'Limits',
    default: '10s',
    range: ['100ms', '10m'],
    help: 'Time in which the header section must arrive',
    note: 'At most the request timeout.',
  },
  requestTimeoutMs: {
    env: 'PLANT_STORE_REQUEST_TIMEOUT',
    flag: '--request-timeout',
    type: 'duration',
    group: 'Limits',
    default: '30s',
    range: ['100ms', '1h'],
    help: 'Time in which the complete request must arrive',
  },
  keepAliveTimeoutMs: {
    env: 'PLANT_STORE_KEEP_ALIVE_TIMEOUT',
    flag: '--keep-alive-timeout',
    type: 'duration',
    group: 'Limits',
    default: '72s',
    range: ['100ms', '1h'],
    help: 'Time after which an idle connection is closed',
    note: 'Longer than the idle timeout of common load balancers (60 s), so that none uses a connection that is being closed.',
  },
  drainTimeoutMs: {
    env: 'PLANT_STORE_DRAIN_TIMEOUT',
    flag: '--drain-timeout',
    type: 'duration',
    group: 'Limits',
    default: '25s',
    range: ['100ms', '10m'],
    help: 'Time that requests in progress have after SIGTERM',
    note: 'Shorter than the usual kill timeout of orchestrators (30 s).',
  },
  connectionsMax: {
    env: 'PLANT_STORE_CONNECTIONS_MAX',
    flag: '--connections-max',
    type: 'integer',
    group: 'Limits',
    default: '10000',
    range: ['1', '1000000'],
    help: 'Maximum open connections; further ones are closed immediately',
    note: 'On Linux never more than the limit on open files (`ulimit -n`) less 64, which the store needs.',
  },
  queueWritesMax: {
    env: 'PLANT_STORE_QUEUE_WRITES_MAX',
    flag: '--queue-writes-max',
    type: 'integer',
    group: 'Limits',
    default: '10000',
    range: ['1', '1000000'],
    help: 'Maximum writes that wait for their commit; further ones get 503',
  },
  queueBytesMax: {
    env: 'PLANT_STORE_QUEUE_BYTES_MAX',
    flag: '--queue-bytes-max',
    type: 'size',
    group: 'Limits',
    default: '64MiB',
    // The lowest is the longest body, so that every plant can be accepted.
    range: ['1MiB', '4GiB'],
    help: 'Maximum bytes of waiting writes; further writes get 503',
  },
  sandbox: {
    env: 'PLANT_STORE_SANDBOX',
    flag: '--sandbox',
    type: 'flag',
    group: 'Sandbox',
    default: 'false',
    help: 'Serve a sandbox: any token sandbox-NAME has plants of its own, in memory',
    note: 'Uses no data folder and no database.',
  },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;

/** The names in the order of the table. */
export const optionNames = Object.keys(options) as OptionName[];

/** Variables of commands other than `serve`: known, so that they are not reported as misspelt. */
export const clientVariables = ['PLANT_STORE_URL', 'PLANT_STORE_TOKEN', 'PLANT_STORE_TOKEN_FILE'] as const;
