/**
 * The check of every response in the tests reports each kind of violation. That it accepts what the
 * service sends is shown by all other tests.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errors } from '../../src/domain/error-registry.ts';
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

const stored: Answer = {
  method: 'GET',
  path: '/plants/7',
  status: 200,
  headers: { ...json, ETag: '"Gm3kq0V1xZc7T2b9yJ4LwA"' },
  body: '{"id":9007199254740993,"name":"Monstera","tag":"climber"}',
};

/** Responses of an export, as NDJSON and as CSV. */
function exported(mediaType: string, body: string): Answer {
  return { ...stored, path: '/plants/export', headers: { ...always, 'Content-Type': mediaType }, body };
}

const ndjson = (body: string): Answer => exported('application/x-ndjson', body);
const csv = (rows: string): Answer => exported('text/csv; charset=utf-8; header=present', `id,name,tag\r\n${rows}`);

const bearer = 'Bearer realm="plants"';

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
    /"numeric"/,
  ],
  ['an error number beyond int32', { ...refused('internal'), body: '{"error":2147483648,"message":"a"}' }, /"numeric"/],
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
    /Allow must list GET, HEAD, POST/,
  ],
  ['a stored plant without ETag', { ...stored, headers: json }, /ETag is missing/],
  ['a weak ETag', { ...stored, headers: { ...json, ETag: 'W/"Gm3kq0V1xZc7T2b9yJ4LwA"' } }, /ETag breaks "pattern"/],
  ['a stored plant without its id', { ...stored, body: '{"name":"a"}' }, /"required"/],
  ['a new plant without Location', { ...stored, method: 'PUT', status: 201 }, /Location is missing/],
  ['304 with a body', { ...stored, status: 304 }, /must not have one/],
  ['204 with a media type', { ...stored, method: 'DELETE', status: 204, headers: json, body: '' }, /not documented/],
  [
    'a malformed Link',
    { ...stored, path: '/plants', headers: { ...json, Link: '/plants?cursor=a' }, body: '[]' },
    /Link breaks/,
  ],
  [
    'a page too long',
    { ...stored, path: '/plants', headers: json, body: `[${'{"id":1,"name":""},'.repeat(1000)}{"id":1,"name":""}]` },
    /"maxItems"/,
  ],
  [
    'no Accept-Patch',
    refused('media_type_unsupported', { Accept: 'a/b' }, { method: 'PATCH', path: '/plants/7' }),
    /accept-patch belongs to/,
  ],
  [
    'an error that the operation does not list',
    refused('plant_invalid', {}, { method: 'GET', path: '/plants' }),
    /not among the examples/,
  ],
  ['bytes that are no UTF-8', { ...stored, body: new Uint8Array([0xff]) }, /no UTF-8/],
  ['NDJSON without its last LF', ndjson('{"id":1,"name":"a"}'), /does not end with LF/],
  ['NDJSON with a blank line', ndjson('\n'), /line 1 is no JSON/],
  ['a row without its id', ndjson('{"id":1,"name":"a"}\n{"name":"a"}\n'), /line 2 breaks "required"/],
  ['another row order of CSV', exported('text/csv', 'name,id,tag\r\n'), /header line is name,id,tag/],
  ['CSV with LF', exported('text/csv', 'id,name,tag\n'), /CRLF/],
  ['CSV with a bare quote', csv('1,a"b,\r\n'), /no CSV/],
  ['CSV that is cut', csv('1,a'), /no CSV/],
  ['a row of two fields', csv('1,a\r\n'), /row 1 has 2 fields/],
  ['a row whose id is no int64', csv('1,a,\r\n01,a,\r\n'), /row 2 has an id/],
  ['an unguarded formula', csv('1,"=1+1",\r\n'), /row 1 has a text that a spreadsheet/],
  ['a row whose name is too long', csv(`1,${'x'.repeat(1001)},\r\n`), /row 1 breaks "codePointsMax"/],
  ['a preflight without its methods', { ...created, method: 'OPTIONS', status: 204, body: '' }, /Allow-Methods/],
];

describe('checkAnswer()', () => {
  for (const [name, answer, violation] of bad) {
    it(`reports ${name}`, () => {
      assert.match(checkAnswer(contract, answer).join('\n'), violation);
    });
  }
});
