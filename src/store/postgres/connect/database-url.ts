/** Parses `postgres://user:password@host1:port1,host2:port2/database?sslmode=verify-full`. */

export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** The values of libpq: `require` encrypts without checking who answers. */
export type SslMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

export interface DatabaseAddress {
  /** At least one host. The service searches the host that accepts writes. */
  readonly hosts: readonly HostAddress[];
  readonly user: string;
  /** Absent: read from a file, or none is needed. */
  readonly password: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  /** Paths of PEM files. */
  readonly sslRootCert: string | undefined;
  readonly sslCert: string | undefined;
  readonly sslKey: string | undefined;
}

const sslModes: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full'] satisfies SslMode[];
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
/** What the service does anyway, as values of parameters that platforms write into their URLs. */
const done: Readonly<Record<string, readonly string[]>> = {
  target_session_attrs: ['any', 'read-write', 'primary'],
  channel_binding: ['disable', 'prefer'],
};
/** Why a parameter of libpq cannot be used, and what to do. */
const unsupported: Readonly<Record<string, string>> = {
  channel_binding: 'remove channel_binding, and use sslmode=verify-full to be sure of the server',
  target_session_attrs: 'remove target_session_attrs: the service always uses the host that accepts writes',
  connect_timeout: 'remove connect_timeout: the service has time limits of its own, and tries again',
  application_name: 'remove application_name: the service does not set one',
  host: socket(),
};
const defaultPort = 5432;

/** @throws Error that says what is wrong with the URL; it never contains the password. */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const match = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/.exec(url);
  const [, user = '', password, hosts = '', database = '', query = ''] = match ?? [];
  if (match === null) throw wrong('it must look like postgres://user:password@host:5432/database');
  if (/^%2f/i.test(hosts)) throw wrong(socket());
  const values = parseParameters(query);
  if (user === '') throw wrong('the user is missing');
  if (database === '') throw wrong('the name of the database is missing after the host');
  const sslMode = values.get('sslmode') ?? 'disable';
  if (!sslModes.includes(sslMode))
    throw wrong(
      `sslmode must be one of ${sslModes.join(', ')}${['prefer', 'allow'].includes(sslMode) ? `; ${sslMode} may send all without encryption: use require, or disable on a network that you trust` : ''}`,
    );
  return {
    hosts: hosts.split(',').map(parseHost),
    user: decode(user),
    password: password === undefined || password === '' ? undefined : decode(password),
    database: decode(database),
    sslMode: sslMode as SslMode,
    sslRootCert: values.get('sslrootcert'),
    sslCert: values.get('sslcert'),
    sslKey: values.get('sslkey'),
  };
}

/** The URL without its password and parameters, for messages and the log. */
export function toShownUrl({ hosts, user, database }: DatabaseAddress): string {
  const shown = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
  return `postgres://${encodeURIComponent(user)}@${shown.join(',')}/${encodeURIComponent(database)}`;
}

function parseHost(text: string): HostAddress {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text);
  const [, address, name = address, port = String(defaultPort)] = match ?? [];
  if (name === undefined) throw wrong('a host must be a name or an address, with [] around IPv6');
  if (Number(port) < 1 || Number(port) > 65_535) throw wrong('a port must be from 1 to 65535');
  return { host: name, port: Number(port) };
}

function parseParameters(query: string): ReadonlyMap<string, string> {
  const values = new Map(new URLSearchParams(query));
  for (const [name, value] of values) {
    if (done[name]?.includes(value) === true) continue;
    if (unsupported[name] !== undefined) throw wrong(unsupported[name]);
    if (!parameters.includes(name)) throw wrong(`the parameter ${name} is unknown; use ${parameters.join(', ')}`);
  }
  return values;
}

function socket(): string {
  return 'a Unix socket cannot be used; name a host, such as 127.0.0.1';
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Error('Invalid database URL: % must be followed by two hexadecimal digits', { cause });
  }
}

function wrong(reason: string): Error {
  return new Error(`Invalid database URL: ${reason}`);
}
