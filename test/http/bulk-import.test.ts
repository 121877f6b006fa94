/**
 * POST /plants/import through a socket: the outcome of each row in both formats, and the report.
 * bulk-readers.test.ts tests the readers, and each reason to refuse a row.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { assertError } from '../support/assert-reply.ts';
import { csv, importRows, ndjson, type Report, sendImport } from '../support/bulk.ts';
import { nextId } from '../support/plants.ts';
import type { Reply } from '../support/reply.ts';
import { readPlants } from '../support/store-under-test.ts';
import { request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

const service = await startService({ after });

function report(counts: Partial<Report>): Report {
  const none = { read: 0, created: 0, unchanged: 0, replaced: 0, skipped: 0, refused: 0, errors: [] };
  return { ...none, ...counts };
}

async function stored(ids: readonly bigint[]): Promise<(NewPlant | undefined)[]> {
  const plants = await readPlants(service.dataDir);
  return ids.map((id) => plants.get(id));
}

/**
 * The outcomes of five rows: another name for a stored plant (line 2), a new plant (3), a name that
 * is too long (4), another name for the new plant (5), and a plant that is already stored (6). A
 * dry run compares each with the stored plants, not with earlier rows.
 */
const [taken2, tooLong4, taken5] = [
  [2, 'plant_id_taken'],
  [4, 'plant_invalid'],
  [5, 'plant_id_taken'],
] as const;
const conflicts: readonly (readonly [query: string, counts: Partial<Report>, names: readonly string[]])[] = [
  ['', { created: 1, refused: 3, errors: [taken2, tooLong4, taken5] }, ['two', 'three']],
  ['?onConflict=skip&dryRun=false', { created: 1, skipped: 2, refused: 1, errors: [tooLong4] }, ['two', 'three']],
  ['?onConflict=replace', { created: 1, replaced: 2, refused: 1, errors: [tooLong4] }, ['deux', 'trois']],
  ['?dryRun=true', { created: 2, refused: 2, errors: [taken2, tooLong4] }, ['two']],
  ['?dryRun=true&onConflict=skip', { created: 2, skipped: 1, refused: 1, errors: [tooLong4] }, ['two']],
  ['?onConflict=replace&dryRun=true', { created: 2, replaced: 1, refused: 1, errors: [tooLong4] }, ['two']],
];

describe('importPlants', () => {
  for (const [query, counts, names] of conflicts) {
    for (const type of [csv, ndjson]) {
      it(`handles each row of ${type} as "${query}" says`, async () => {
        const [one, two, three, four] = [nextId(), nextId(), nextId(), nextId()];
        await importRows(service, ndjson, `{"id":${one},"name":"one"}\n{"id":${two},"name":"two","tag":""}`);
        const rows = [`${two},deux`, `${three},three`, `${four},${'x'.repeat(1_001)}`, `${three},trois`, `${one},one`];
        const toJson = (row: string): string => row.replace(/(.*),(.*)/, '{"id":$1,"name":"$2"}');
        const body = type === csv ? ['id,name', ...rows] : ['', ...rows.map(toJson)];
        const wanted = report({ read: 5, unchanged: 1, ...counts });
        assert.deepEqual(await importRows(service, type, body.join('\n'), query), wanted);
        const [secondName = '', thirdName] = names;
        assert.deepEqual(await stored([one, two, three, four]), [
          { id: one, name: 'one' },
          secondName === 'two' ? { id: two, name: 'two', tag: '' } : { id: two, name: secondName },
          thirdName === undefined ? undefined : { id: three, name: thirdName },
          undefined,
        ]);
      });
    }
  }

  it('stores texts and ids exactly, and distinguishes an absent tag from an empty one', async () => {
    const ids = [nextId(), nextId(), nextId(), nextId(), nextId(), -(2n ** 63n), 2n ** 63n - 1n] as const;
    const body =
      `name,note,id,tag\r\n007,x,${ids[0]},\r\n"007",,${ids[1]},""\r\n" \n""é""",x,${ids[2]},"0"\r\n` +
      `'=1+1,x,${ids[3]},'a\r\n,,${ids[4]},''b\r\n'',x,${ids[5]},'\r\n"x",x,${ids[6]},"'\r"`;
    assert.deepEqual(await importRows(service, csv, `\uFEFF${body}`), report({ read: 7, created: 7 }));
    assert.deepEqual(await stored(ids), [
      { id: ids[0], name: '007' },
      { id: ids[1], name: '007', tag: '' },
      { id: ids[2], name: ' \n"é"', tag: '0' },
      { id: ids[3], name: '=1+1', tag: "'a" },
      { id: ids[4], name: '', tag: "'b" },
      { id: ids[5], name: "'", tag: "'" },
      { id: ids[6], name: 'x', tag: '\r' },
    ]);
  });

  const invalidRows: readonly (readonly [what: string, type: string, row: string, code: ErrorCode])[] = [
    ['a NUL', ndjson, '{"id":1,"name":"\\u0000"}', 'text_nul'],
    ['too many bytes', csv, `1,${'x'.repeat(70_000)},`, 'row_too_long'],
  ];
  for (const [what, type, row, code] of invalidRows) {
    it(`refuses a row of ${type} with ${what}, and accepts the others`, async () => {
      const [idBefore, idAfter] = [nextId(), nextId()];
      const rowOf = (id: bigint): string => (type === csv ? `${id},ok,\r\n` : `{"id":${id},"name":"ok"}\r\n`);
      const head = type === csv ? 'id,name,tag\r\n' : '\r\n';
      const body = Buffer.concat([head, rowOf(idBefore), row, '\r\n', rowOf(idAfter)].map((each) => Buffer.from(each)));
      const wanted = report({ read: 3, created: 2, refused: 1, errors: [[3, code]] });
      assert.deepEqual(await importRows(service, type, body), wanted);
      assert.deepEqual(await stored([idBefore, idAfter, 1n]), [
        { id: idBefore, name: 'ok' },
        { id: idAfter, name: 'ok' },
        undefined,
      ]);
    });
  }

  it('lists the first 1,000 refused rows in the order of the body, and counts all', async () => {
    const [id, first] = [nextId(), nextId()];
    const rows = Array.from({ length: 3_000 }, (_, index) =>
      index % 3 === 0 ? `${id},other` : index % 3 === 1 ? 'x' : `${id},same`,
    );
    const { errors, ...counts } = await importRows(service, csv, `id,name\n${id},same\n${first},a\n${rows.join('\n')}`);
    const { errors: _, ...wanted } = report({ read: 3_002, created: 2, unchanged: 1_000, refused: 2_000 });
    assert.deepEqual(counts, wanted);
    assert.deepEqual(
      errors,
      Array.from({ length: 1_000 }, (_, index) => [
        4 + 3 * Math.floor(index / 2) + (index % 2),
        index % 2 === 0 ? 'plant_id_taken' : 'csv_malformed',
      ]),
    );
  });

  it('accepts empty content, like the export of an empty store', async () => {
    assert.deepEqual(await importRows(service, ndjson, ''), report({}));
    assert.deepEqual(await importRows(service, ndjson, ['\n\r\n', ' \t']), report({}));
    assert.deepEqual(await importRows(service, csv, 'id,name'), report({}));
    assertError(await sendImport(service, csv, ''), 'csv_header_invalid');
    assertError(await sendImport(service, csv, 'id|name\n1|a\n'), 'csv_header_invalid');
    assertError(await request(service, { method: 'POST', path: '/plants/import' }), 'body_missing');
  });

  it('responds on a connection that stays open, although the header line was refused early', async () => {
    const head = `POST /plants/import HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: text/csv\r\n`;
    const next = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
    const replies = await sendRaw(
      service,
      [`${head}Content-Length: 65536\r\n\r\nno header\n`, 'x'.repeat(65_526), next],
      {
        requests: [
          { method: 'POST', path: '/plants/import' },
          { method: 'GET', path: '/livez' },
        ],
      },
    );
    assertError(replies[0], 'csv_header_invalid');
    assert.equal(replies[1]?.status, 200);
    const [chunked] = await sendRaw(service, `${head}Transfer-Encoding: chunked\r\n\r\na\r\nno header\n\r\n`);
    assertError(chunked, 'csv_header_invalid');
    assert.equal(chunked?.headers['connection'], 'close');
  });

  it('requests the body if the client waits for 100', async () => {
    const head = `POST /plants/import HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: text/csv\r\nExpect: 100-continue\r\nContent-Length: 7\r\n\r\n`;
    const replies = await sendRaw(service, [head, 'id,name']);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [100, 200],
    );
  });

  it('accepts parameters of the media type, but no other charset than UTF-8', async () => {
    assertError(await sendImport(service, `${csv}; charset=utf-16`, 'id,name'), 'media_type_unsupported');
    assert.equal((await sendImport(service, `${csv}; charset=UTF-8; header=present`, 'id,name')).status, 200);
  });

  it('accepts a body much longer than that of one plant', async () => {
    const rows = Array.from({ length: 3_000 }, () => nextId());
    const body = `id,name\n${rows.map((id) => `${id},${'a'.repeat(100)}`).join('\n')}`;
    assert.deepEqual(await importRows(service, csv, body), report({ read: 3_000, created: 3_000 }));
    assert.deepEqual(await importRows(service, csv, body), report({ read: 3_000, unchanged: 3_000 }));
  });
});

describe('the places of importPlants', () => {
  it('are eight for one token, until its client is gone', async () => {
    const head =
      `POST /plants/import HTTP/1.1\r\nHost: plants\r\nAuthorization: Bearer ${service.token}\r\n` +
      `Content-Type: ${ndjson}\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const open = Array.from({ length: 8 }, () => connect(service.port, '127.0.0.1'));
    for (const socket of open) socket.write(head);
    // Each has its place once it is asked for the body.
    for (const socket of open) await once(socket, 'data');
    const path = '/plants/import?dryRun=true';
    const sendEmpty = (): Promise<Reply> =>
      request(service, { method: 'POST', path, body: '', headers: { 'content-type': ndjson } });
    assertError(await sendEmpty(), 'store_busy');
    for (const socket of open) socket.destroy();
    await until(async () => (await sendEmpty()).status === 200, 'a place is free');
  });
});
