/** Content-Type, Content-Encoding and Accept, one table each. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import type { RequestOptions } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

type Field = string | string[] | undefined;

/** Sends a plant and checks the file: stored if and only if it was 200. */
async function create(headers: RequestOptions['headers'], code?: ErrorCode): Promise<void> {
  const id = nextId();
  const reply = await request(service, { body: `{"id":${id},"name":"a"}`, headers: headers ?? {} });
  if (code === undefined) assert.equal(reply.status, 200, reply.text);
  else assertError(reply, code);
  assert.equal((await readPlants(service.dataDir)).has(id), code === undefined);
  if (code === 'media_type_unsupported') assert.equal(reply.headers['accept'], 'application/json');
  if (code === 'content_encoding_unsupported') assert.equal(reply.headers['accept-encoding'], 'identity');
}

const wrongType = 'media_type_unsupported';
const contentTypes: readonly (readonly [value: Field, code?: ErrorCode])[] = [
  ['application/json'],
  ['Application/JSON'],
  ['application/json; charset=utf-8'],
  ['application/json; charset=utf8'],
  ['application/json; charset="UTF8"'],
  ['application/json;charset="UTF-8"'],
  ['application/json ; Charset=Utf-8'],
  ['application/json; version=1'],
  [undefined, wrongType],
  ['', wrongType],
  ['text/plain', wrongType],
  ['text/json', wrongType],
  ['application/jsonx', wrongType],
  ['application/json-patch+json', wrongType],
  ['application/merge-patch+json', wrongType],
  ['application/vnd.plants+json', wrongType],
  ['application/x-www-form-urlencoded', wrongType],
  ['multipart/form-data; boundary=x', wrongType],
  ['*/*', wrongType],
  ['application/*', wrongType],
  ['json', wrongType],
  ['application/json, text/plain', wrongType],
  ['application/json; charset=utf-16', wrongType],
  ['application/json; charset=iso-8859-1', wrongType],
  ['application/json; charset=us-ascii', wrongType],
  ['application/json; charset=', wrongType],
  ['application/json; charset=utf-8; charset=utf-16', wrongType],
];

const wrongCoding = 'content_encoding_unsupported';
const contentEncodings: readonly (readonly [value: Field, code?: ErrorCode])[] = [
  ['identity'],
  ['Identity'],
  [''],
  ['gzip', wrongCoding],
  ['x-gzip', wrongCoding],
  ['deflate', wrongCoding],
  ['br', wrongCoding],
  ['zstd', wrongCoding],
  ['utf-8', wrongCoding],
  ['identity, gzip', wrongCoding],
];

const refused = 'not_acceptable';
const accepts: readonly (readonly [value: Field, code?: ErrorCode])[] = [
  [undefined],
  // The grammar allows an empty list, which excludes nothing.
  [''],
  ['*/*'],
  ['application/*'],
  ['application/json'],
  ['APPLICATION/JSON'],
  ['application/json; charset=utf-8'],
  ['application/json; charset=utf8'],
  ['application/json; charset="UTF8"'],
  ['text/html, application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  ['application/json;q=0.001'],
  ['*/*;q=0, application/json'],
  ['text/html;q=1 , */* ; q=0.1'],
  [','],
  [' , ,application/json'],
  ['application/json;q=1;x=y'],
  ['text/html', refused],
  ['text/*', refused],
  ['application/xml', refused],
  ['application/problem+json', refused],
  ['application/json;q=0', refused],
  ['*/*;q=0', refused],
  ['application/json;q=0, */*', refused],
  ['application/*;q=0, */*;q=1', refused],
  ['json', refused],
  ['application/json;q=nan', refused],
];

function toName(value: Field): string {
  return value === undefined ? '(absent)' : JSON.stringify(value);
}

describe('createPlant', () => {
  for (const [value, code] of contentTypes)
    it(`${code === undefined ? 'accepts' : 'refuses'} Content-Type ${toName(value)}`, () =>
      create({ 'content-type': value }, code));
  for (const [value, code] of contentEncodings)
    it(`${code === undefined ? 'accepts' : 'refuses'} Content-Encoding ${toName(value)}`, () =>
      create({ 'content-encoding': value }, code));
  for (const [value, code] of accepts)
    it(`${code === undefined ? 'accepts' : 'refuses'} Accept ${toName(value)}`, () => create({ accept: value }, code));

  it('refuses two Content-Type fields, equal or not', async () => {
    for (const second of ['application/json', 'text/plain']) {
      const body = `{"id":${nextId()},"name":"a"}`;
      const [reply] = await sendRaw(
        service,
        `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\nContent-Length: ${body.length}\r\n` +
          `Content-Type: application/json\r\nContent-Type: ${second}\r\n\r\n${body}`,
      );
      assertError(reply, wrongType);
    }
  });

  it('refuses a compressed body unread, even one that would expand to 100 MB', async () => {
    const plant = gzipSync(`{"id":${nextId()},"name":"a"}`);
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    for (const body of [plant, bomb]) {
      assertError(await request(service, { body, headers: { 'content-encoding': 'gzip' } }), wrongCoding);
    }
    assertError(await request(service, { body: plant }), 'body_not_utf8');
    await assertServes(service);
  });

  it('reports a missing body, whatever the media type', async () => {
    for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-type': undefined }]) {
      assertError(await request(service, { body: '', headers }), 'body_missing');
    }
    assertError(await request(service, { method: 'POST', path: '/plants' }), 'body_missing');
    assertError(await request(service, { body: [] }), 'body_missing');
  });
});
