/** A response as tests see it, checked: openapi.yaml, the common header fields, and no token in it. request.ts sends the requests. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import type { JsonValue } from '../../src/json/parse-json.ts';
import { parseJson } from '../../src/json/parse-json.ts';
import { checkAnswer } from './check-answer.ts';
import { checkPage, checkPolicy, isPage } from './check-page.ts';
import { contract } from './read-contract.ts';
import { canaryToken } from './service-run.ts';

/** The request of a response. */
export interface Asked {
  readonly method: string;
  /** The target as sent: with base path and query. */
  readonly path: string;
  readonly basePath: string;
}

export interface Reply {
  readonly status: number;
  /** By name in lower case; repeated fields are joined with a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** The body, decoded. */
  readonly text: string;
  /** The `error` member of an Error, otherwise undefined. */
  readonly number: number | undefined;
  /** The `message` member of an Error, otherwise undefined. */
  readonly message: string | undefined;
  /** Returns path and query of a relative reference, such as a Location. */
  readonly resolve: (reference?: string) => string;
  /** Parses the body exactly. */
  readonly json: () => JsonValue;
}

/** The policy of responses that are not pages: a browser may do nothing with them. */
const policy = "default-src 'none'; frame-ancestors 'none'";
/** Header fields that name software, which helps only attackers. */
const forbiddenHeaders = ['server', 'x-powered-by', 'via'];

/** @param fields in wire order. @throws AssertionError if the response violates a rule. */
export function toReply(
  asked: Asked,
  status: number,
  fields: readonly (readonly [string, string])[],
  body: Uint8Array,
): Reply {
  const headers: Record<string, string> = {};
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  const error = toError(headers, status, text);
  const reply = {
    status,
    headers,
    body,
    text,
    number: error?.error,
    message: error?.message,
    resolve: (reference = '') => {
      const { pathname, search } = new URL(reference, `http://plants.test${asked.path}`);
      return pathname + search;
    },
    json: () => parseJson(text),
  };
  if (status >= 200) assert.deepEqual(findViolations(asked, reply, fields), [], text);
  return reply;
}

function findViolations(asked: Asked, reply: Reply, fields: readonly (readonly [string, string])[]): string[] {
  const { status, headers, body, text } = reply;
  const about = `${asked.method} ${asked.path} answered ${status}:`;
  const page = { ...asked, status, headers };
  const violations = isPage(page) ? checkPage(page) : checkAnswer(contract, { ...asked, status, headers, body });
  if (!isPage(page)) {
    const csp = headers['content-security-policy'] ?? '';
    const isHtml = headers['content-type']?.startsWith('text/html') === true;
    if (isHtml ? checkPolicy(csp).length > 0 : csp !== policy) violations.push(`${about} it has no CSP`);
    const isDescription = /\/openapi\.(?:json|yaml)$/.test(asked.path) && status < 400;
    if (headers['cache-control'] !== (isDescription ? 'no-cache' : 'no-store'))
      violations.push(`${about} a cache may keep it`);
  }
  if (headers['x-content-type-options'] !== 'nosniff') violations.push(`${about} it may be sniffed`);
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(headers['x-request-id'] ?? '')) violations.push(`${about} it has no request id`);
  for (const name of forbiddenHeaders) if (name in headers) violations.push(`${about} it has the field ${name}`);
  const names = fields.map(([name]) => name.toLowerCase());
  if (new Set(names).size < names.length) violations.push(`${about} it has a header field twice`);
  if (status >= 400 && /\n\s+at |node_modules|\.[tj]s:\d/.test(text)) violations.push(`${about} it shows a stack`);
  if (Buffer.from(body).includes(canaryToken) || Object.values(headers).some((value) => value?.includes(canaryToken)))
    violations.push(`${about} it shows a token`);
  return violations;
}

/** The body has not been checked yet. */
function toError(
  headers: Reply['headers'],
  status: number,
  text: string,
): { error?: number; message?: string } | undefined {
  if (status < 400 || !headers['content-type']?.startsWith('application/json') || text === '') return undefined;
  return JSON.parse(text) as { error?: number; message?: string };
}
