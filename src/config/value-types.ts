/** The types of option values: their description in words, and their parsers. Pure. */
import { isIP } from 'node:net';

/** Maximum number of requests per token and period. */
export interface RateLimit {
  readonly requestsMax: number;
  readonly periodMs: number;
}

/** What a type needs from its option. */
export interface Bounds {
  /** Minimum and maximum value, inclusive, as a user would write them. */
  readonly range?: readonly [string, string];
  /** The values of a `choice`. */
  readonly choices?: readonly string[];
}

interface ValueType<Value> {
  /** The placeholder in the help text. Undefined for a flag without a value, which means "true". */
  readonly argument: string | undefined;
  /** Completes the sentence "must be ...". */
  wanted(bounds: Bounds): string;
  /** Returns undefined if the text is invalid. */
  parse(text: string, bounds: Bounds): Value | undefined;
}

export const valueTypes = {
  host: {
    argument: 'host',
    wanted: () => 'a host name or IP address, without scheme, port or brackets',
    parse: (text) => (isHost(text) ? text : undefined),
  } satisfies ValueType<string>,

  path: {
    argument: 'path',
    wanted: () => 'a path that is not empty',
    parse: (text) => (text === '' ? undefined : text),
  } satisfies ValueType<string>,

  'database-url': {
    argument: 'url',
    wanted: () => 'a URL such as postgres://user:password@host:5432/database',
    // The store says what is wrong with one that has no host, as for a Unix socket.
    parse: (text) => (/^postgres(ql)?:\/\/[^/?\p{Cc}]*\/[^/?\p{Cc}]+(\?\P{Cc}*)?$/u.test(text) ? text : undefined),
  } satisfies ValueType<string>,

  'base-path': {
    argument: 'path',
    wanted: () =>
      'empty, or a path such as /api/v1: it begins with "/", does not end with one, and has only A-Z a-z 0-9 . _ ~ -',
    parse: (text) => (isBasePath(text) ? text : undefined),
  } satisfies ValueType<string>,

  token: {
    argument: 'token',
    wanted: () => 'a bearer token: 1 to 512 characters of A-Z a-z 0-9 - . _ ~ + /, then perhaps "="',
    // RFC 6750, section 2.1: b64token.
    parse: (text) => (text.length <= 512 && /^[A-Za-z0-9\-._~+/]+=*$/.test(text) ? text : undefined),
  } satisfies ValueType<string>,

  issuer: {
    argument: 'url',
    wanted: () => 'an https URL without query, such as https://login.example.org; http only for this machine',
    parse: (text) => (isIssuer(text) ? text : undefined),
  } satisfies ValueType<string>,

  word: {
    argument: 'text',
    wanted: () => '1 to 1000 characters without spaces and control characters',
    parse: (text) => (/^[^\s\p{Cc}]{1,1000}$/u.test(text) ? text : undefined),
  } satisfies ValueType<string>,

  claims: {
    argument: 'list',
    wanted: () =>
      'a comma-separated list of claims, such as scp,roles, of ASCII characters other than spaces, quotes and backslashes',
    parse: (text) => (text === '' ? undefined : parseList(text, isClaim)),
  } satisfies ValueType<readonly string[]>,

  choice: {
    argument: 'word',
    wanted: ({ choices = [] }) => `one of ${choices.join(', ')}`,
    parse: (text, { choices = [] }) => choices.find((choice) => choice === text.toLowerCase()),
  } satisfies ValueType<string>,

  flag: {
    argument: undefined,
    wanted: () => 'true or false; as a flag it takes no value',
    parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  } satisfies ValueType<boolean>,

  integer: {
    argument: 'number',
    wanted: ({ range }) => `an integer${rangeInWords(range)}`,
    parse: (text, { range }) => within(range, parseInteger, text),
  } satisfies ValueType<number>,

  duration: {
    argument: 'duration',
    wanted: ({ range }) => `a duration with its unit (ms, s, m, h or d)${rangeInWords(range)}`,
    parse: (text, { range }) => within(range, parseDuration, text),
  } satisfies ValueType<number>,

  size: {
    argument: 'size',
    wanted: ({ range }) => `a number of bytes${rangeInWords(range)}, also in KiB, MiB or GiB`,
    parse: (text, { range }) => within(range, parseSize, text),
  } satisfies ValueType<number>,

  rate: {
    argument: 'rate',
    wanted: () => 'off, or a number from 1 to 1000000 and a period of s, m or h, such as 100/s',
    parse: parseRate,
  } satisfies ValueType<RateLimit | 'off'>,

  origins: {
    argument: 'list',
    wanted: () =>
      'a comma-separated list of origins such as https://example.org (http or https, lower case, no path, no default port), or * alone',
    parse: (text) => (text === '*' ? ['*'] : parseList(text, isOrigin)),
  } satisfies ValueType<readonly string[]>,

  addresses: {
    argument: 'list',
    wanted: () => 'a comma-separated list of IP addresses and networks such as 10.0.0.1 or 10.0.0.0/8',
    parse: (text) => parseList(text, isNetwork),
  } satisfies ValueType<readonly string[]>,
};

export type ValueTypeName = keyof typeof valueTypes;

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const unitBytes = { '': 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** Parses `500ms`, `10s`, `2m`, `1h`, `90d` to milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * unitMs[unit as keyof typeof unitMs];
}

function parseSize(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,12})(|B|KiB|MiB|GiB)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * unitBytes[unit as keyof typeof unitBytes];
}

function parseInteger(text: string): number | undefined {
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

function parseRate(text: string): RateLimit | 'off' | undefined {
  if (text === 'off') return 'off';
  const [, digits, unit] = /^(\d{1,7})\/([smh])$/.exec(text) ?? [];
  const requestsMax = Number(digits);
  if (digits === undefined || requestsMax < 1 || requestsMax > 1_000_000) return undefined;
  return { requestsMax, periodMs: unitMs[unit as 's' | 'm' | 'h'] };
}

/** Empty text is the empty list. Spaces around items are allowed, empty items are not. */
function parseList(text: string, isItem: (item: string) => boolean): readonly string[] | undefined {
  const items = text.trim() === '' ? [] : text.split(',').map((item) => item.trim());
  return items.every(isItem) ? items : undefined;
}

function within(range: Bounds['range'], parse: (text: string) => number | undefined, text: string): number | undefined {
  const value = parse(text);
  if (value === undefined || range === undefined) return value;
  const [lowest = -Infinity, highest = Infinity] = range.map((end) => parse(end));
  return value >= lowest && value <= highest ? value : undefined;
}

function rangeInWords(range: Bounds['range']): string {
  return range === undefined ? '' : ` from ${range[0]} to ${range[1]}`;
}

function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const isHostName = text.length <= 253 && /^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$/.test(text);
  // Digits and dots only are a misspelt IPv4 address: resolving 256.0.0.1 would time out slowly.
  return isHostName && !/^[\d.]+$/.test(text) && !text.includes('..');
}

function isBasePath(text: string): boolean {
  return /^(\/[A-Za-z0-9._~-]+)*$/.test(text) && !text.split('/').some((part) => part === '.' || part === '..');
}

function isOrigin(text: string): boolean {
  // Browsers send the normal form; anything else, patterns too, would never match.
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isLoopback)) && username === '';
}

/** A claim has only the characters of an error_description (RFC 6750, section 3). */
function isClaim(text: string): boolean {
  return /^[!#-&(-+\--[\]-~]{1,200}$/.test(text);
}

function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (bits === 0) return false;
  // A prefix of 0 would trust the entire internet.
  return prefix === undefined || (Number(prefix) >= 1 && Number(prefix) <= bits);
}
