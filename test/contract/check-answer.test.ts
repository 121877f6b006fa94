/** The check that every answer of every test goes through: good answers pass, and each kind of bad one is named. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errors } from '../../src/domain/errors.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { checkAnswer } from '../support/check-answer.ts';
import type { Answer } from '../support/check-answer.ts';
import { contract } from '../support/read-contract.ts';

const always = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const json = { ...always, 'Content-Type': 'application/json; charset=utf-8' };
const created: Answer = {
  method: 'POST',
  path: '/plants',
  status: 200,
  headers: json,
  body: '{"name":"Monstera","tag":"climber"}',
};

function refused(code: ErrorCode, headers: Answer['headers'] = {}, request: Partial<Answer> = {}): Answer {
  const { number, message } = errors[code];
  const body = JSON.stringify({ error: number, message });
  return { ...created, status: Math.floor(number / 100), headers: { ...json, ...headers }, body, ...request };
}

const bearer = 'Bearer realm="plants"';
const rates = { RateLimit: '"token";r=0;t=1', 'RateLimit-Policy': '"token";q=100;w=1' };

const good: [name: string, answer: Answer][] = [
  ['a plant', created],
  ['a plant in bytes', { ...created, body: new TextEncoder().encode('{"name":"Grünlilie"}') }],
  ['a replay', { ...created, headers: { ...json, 'idempotent-replayed': 'true' } }],
  ['below a base path', { ...created, path: '/api/v1/plants?x=1', basePath: '/api/v1' }],
  [
    'an error with a detail',
    { ...refused('plant_invalid'), body: `{"error":40010,"message":"${errors.plant_invalid.message}. It is."}` },
  ],
  [
    'a token in the wrong place',
    refused('credentials_misplaced', { 'WWW-Authenticate': `${bearer}, error="invalid_request"` }),
  ],
  ['no token', refused('token_missing', { 'WWW-Authenticate': bearer })],
  [
    'a missing scope',
    refused('scope_missing', { 'WWW-Authenticate': `${bearer}, error="insufficient_scope", scope="plants:write"` }),
  ],
  ['another media type', refused('media_type_unsupported', { Accept: 'application/json' })],
  ['a compressed body', refused('content_encoding_unsupported', { 'Accept-Encoding': 'identity' })],
  ['too many requests', refused('rate_limited', { 'Retry-After': '1', ...rates })],
  ['a busy store', refused('store_busy', { 'Retry-After': '1' })],
  ['an unknown path', refused('path_unknown', {}, { path: '/nothing' })],
  ['a path outside of the base path', refused('path_unknown', {}, { basePath: '/api/v1' })],
  ['a method that is not there', refused('method_not_allowed', { Allow: 'POST' }, { method: 'DELETE' })],
  ['a malformed request', refused('request_malformed', {}, { method: '', path: '' })],
  ['a draining service on an unknown path', refused('shutting_down', { 'Retry-After': '1' }, { path: '/nothing' })],
  ['HEAD', { ...created, method: 'HEAD', path: '/livez', body: '' }],
  [
    'a page',
    { ...created, method: 'GET', path: '/', headers: { ...always, 'content-type': 'text/html' }, body: '<p>' },
  ],
  [
    'a preflight',
    { ...created, method: 'OPTIONS', status: 204, headers: { 'access-control-allow-methods': 'POST' }, body: '' },
  ],
];

const bad: [name: string, answer: Answer, violation: RegExp][] = [
  ['an undocumented status', { ...created, status: 201 }, /status is not documented/],
  ['a documented error that this operation cannot answer', refused('path_unknown'), /status is not documented/],
  ['a success without an operation', { ...created, path: '/nothing' }, /status is not documented/],
  ['another media type', { ...created, headers: { ...json, 'Content-Type': 'text/plain' } }, /text\/plain/],
  [
    'another charset',
    { ...created, headers: { ...json, 'Content-Type': 'application/json; charset=latin1' } },
    /latin1/,
  ],
  ['no media type', { ...created, headers: always }, /no Content-Type/],
  ['no Cache-Control', { ...created, headers: { ...json, 'Cache-Control': undefined } }, /Cache-Control is missing/],
  ['another Cache-Control', { ...created, headers: { ...json, 'Cache-Control': 'public' } }, /"const".*public/],
  ['a Retry-After that is no number', refused('store_busy', { 'Retry-After': 'soon' }), /Retry-After breaks/],
  ['no Retry-After', refused('store_busy'), /Retry-After is missing/],
  ['no WWW-Authenticate', refused('token_invalid'), /WWW-Authenticate is missing/],
  [
    'WWW-Authenticate where it does not belong',
    refused('body_missing', { 'WWW-Authenticate': `${bearer}, error="invalid_request"` }),
    /alone/,
  ],
  ['no Accept with 41501', refused('media_type_unsupported'), /accept belongs to/],
  [
    'Accept with 41502',
    refused('content_encoding_unsupported', { Accept: 'a/b', 'Accept-Encoding': 'identity' }),
    /accept belongs/,
  ],
  ['a body that is no JSON', { ...created, body: '{' }, /no JSON/],
  ['a body without its required member', { ...created, body: '{"tag":"a"}' }, /"required"/],
  ['a member of another type', { ...created, body: '{"name":"a","tag":null}' }, /"type" at \/tag/],
  ['a text that is too long', { ...created, body: JSON.stringify({ name: 'x'.repeat(1001) }) }, /"codePointsMax"/],
  [
    'an error number that is no integer',
    { ...refused('internal'), body: '{"error":500.5,"message":"a"}' },
    /"integerBounds"/,
  ],
  [
    'an error number beyond int32',
    { ...refused('internal'), body: '{"error":2147483648,"message":"a"}' },
    /"integerBounds"/,
  ],
  [
    'an error number outside of the registry',
    { ...refused('internal'), body: '{"error":50099,"message":"a"}' },
    /50099/,
  ],
  ['a message of another error', { ...refused('internal'), body: '{"error":50001,"message":"a"}' }, /message of 50001/],
  ['an error of another status', { ...refused('plant_id_taken'), status: 400 }, /another status/],
  ['a body after HEAD', { ...created, method: 'HEAD', path: '/livez', body: '{}' }, /must not have one/],
  ['no Allow', refused('method_not_allowed', {}, { method: 'PUT' }), /Allow/],
  [
    'an Allow that lists others',
    refused('method_not_allowed', { Allow: 'GET' }, { method: 'PUT' }),
    /Allow must list POST/,
  ],
  ['a preflight without its methods', { ...created, method: 'OPTIONS', status: 204, body: '' }, /Allow-Methods/],
];

describe('checkAnswer()', () => {
  for (const [name, answer] of good) {
    it(`passes ${name}`, () => {
      assert.deepEqual(checkAnswer(contract, answer), []);
    });
  }

  for (const [name, answer, violation] of bad) {
    it(`names ${name}`, () => {
      assert.match(checkAnswer(contract, answer).join('\n'), violation);
    });
  }
});
