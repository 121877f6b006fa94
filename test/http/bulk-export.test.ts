/** GET /plants/export through a socket: contents, formats, and the round trip with an import. bulk-streams.deep.test.ts tests streaming. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { toStoredPlantJson } from '../../src/http/operations/plants.ts';
import { csv, exportPlants, importRows, ndjson } from '../support/bulk.ts';
import { readPlants } from '../support/store-under-test.ts';
import { request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const path = '/plants/export';

/** Everything that a format could lose: signs, quotes, line endings, formulas, and texts that look like numbers. */
const plants: readonly NewPlant[] = [
  { id: -(2n ** 63n), name: 'least' },
  { id: -12n, name: '', tag: '' },
  { id: 0n, name: '=HYPERLINK("http://a","b")', tag: '+1' },
  { id: 1n, name: '-2', tag: '@SUM(1)' },
  { id: 2n, name: '\ta', tag: '\ra' },
  { id: 3n, name: "'", tag: "'a" },
  { id: 4n, name: "'=1", tag: "''" },
  { id: 5n, name: 'a,b', tag: '"c"' },
  { id: 6n, name: 'a\nb\r\nc\r', tag: '\n' },
  { id: 7n, name: '007', tag: ' 1 ' },
  { id: 8n, name: 'Ébène 😀\u2028', tag: '\uFEFF' },
  { id: 9n, name: 'ebony', tag: 'wood' },
  { id: 10n, name: 'Ebenholz', tag: 'wood' },
  { id: 9007199254740993n, name: 'beyond doubles' },
  { id: 2n ** 63n - 1n, name: 'most', tag: 'x'.repeat(1_000) },
];

const csvText = [
  'id,name,tag',
  '-9223372036854775808,least,',
  '-12,,""',
  '0,"\'=HYPERLINK(""http://a"",""b"")",\'+1',
  "1,'-2,'@SUM(1)",
  '2,\'\ta,"\'\ra"',
  "3,'',''a",
  "4,''=1,'''",
  '5,"a,b","""c"""',
  '6,"a\nb\r\nc\r","\'\n"',
  '7,007, 1 ',
  '8,Ébène 😀\u2028,\uFEFF',
  '9,ebony,wood',
  '10,Ebenholz,wood',
  '9007199254740993,beyond doubles,',
  `9223372036854775807,most,${'x'.repeat(1_000)}`,
  '',
].join('\r\n');

describe('exportPlants', () => {
  it('of an empty store is empty and complete', async (t) => {
    const service = await startService(t);
    assert.deepEqual(await exportPlants(service, ndjson), { text: '', trailers: { 'plants-exported': '0' } });
    assert.deepEqual(await exportPlants(service, csv), {
      text: 'id,name,tag\r\n',
      trailers: { 'plants-exported': '0' },
    });
    const { text } = await exportPlants(service, csv, '?byteOrderMark=true');
    assert.equal(text, '\uFEFFid,name,tag\r\n');
    assert.equal((await exportPlants(service, ndjson, '?byteOrderMark=true')).text, '');
  });

  describe('with plants', () => {
    before(async () => {
      const body = plants.toReversed().map((plant) => `${toStoredPlantJson(plant)}\n`);
      assert.equal((await importRows(service, ndjson, body.join(''))).created, plants.length);
    });

    it('returns each plant once, in ascending order, as NDJSON', async () => {
      const { text, trailers } = await exportPlants(service, ndjson);
      assert.equal(text, plants.map((plant) => `${toStoredPlantJson(plant)}\n`).join(''));
      assert.deepEqual(trailers, { 'plants-exported': String(plants.length) });
    });

    it('returns them as CSV, with a guard against formulas', async () => {
      const { text, trailers } = await exportPlants(service, csv);
      assert.equal(text, csvText);
      assert.deepEqual(trailers, { 'plants-exported': String(plants.length) });
    });

    for (const form of [csv, ndjson]) {
      it(`round-trips through an import of its ${form}`, async (context) => {
        const other = await startService(context);
        const { text } = await exportPlants(service, form);
        const { created, read } = await importRows(other, form, text);
        assert.deepEqual([created, read], [plants.length, plants.length]);
        assert.deepEqual(await readPlants(other.dataDir), new Map(plants.map((plant) => [plant.id, plant])));
        assert.equal((await importRows(service, form, text)).unchanged, plants.length);
      });
    }

    const filters: readonly (readonly [query: string, ids: readonly bigint[]])[] = [
      ['?tag=wood', [9n, 10n]],
      ['?tag=', [-12n]],
      ['?tag=none', []],
      ['?name=EBEN', [8n, 10n]],
      ['?name=eb&tag=wood', [9n, 10n]],
      ['?name=', plants.map(({ id }) => id)],
      ['?color=green', plants.map(({ id }) => id)],
    ];
    for (const [query, ids] of filters) {
      it(`returns the plants that match ${query}`, async () => {
        const { text, trailers } = await exportPlants(service, csv, query);
        const found = [...text.matchAll(/(?<=\r\n)(-?\d+),/g)].map(([, id = '']) => BigInt(id));
        assert.deepEqual(found, ids);
        assert.deepEqual(trailers, { 'plants-exported': String(ids.length) });
      });
    }

    const forms: readonly (readonly [accept: string | undefined, type: string | undefined])[] = [
      [undefined, ndjson],
      ['*/*', ndjson],
      ['text/*', `${csv}; charset=utf-8`],
      ['text/csv;q=0.5, application/x-ndjson;q=0.4', `${csv}; charset=utf-8`],
      ['text/csv, application/x-ndjson', ndjson],
      ['application/*', ndjson],
      // Generated clients accept the type of the errors alone.
      ['application/json', ndjson],
      ['application/json, text/csv;q=0.1', `${csv}; charset=utf-8`],
      ['application/json;q=0', undefined],
      ['text/csv;q=0', undefined],
      ['text/html', undefined],
    ];
    for (const [accept, type] of forms) {
      it(`answers Accept: ${accept ?? '(none)'} with ${type ?? '406'}`, async () => {
        for (const method of ['GET', 'HEAD']) {
          const reply = await request(service, { method, path, headers: { accept } });
          assert.equal(reply.status, type === undefined ? 406 : 200);
          assert.equal(reply.headers['content-type'], type ?? 'application/json');
          assert.equal(reply.headers['content-length'] === undefined, type !== undefined);
          if (method === 'HEAD') assert.equal(reply.text, '');
        }
      });
    }

    it('closes an HTTP/1.0 connection after the last plant', async () => {
      const head = `GET ${path} HTTP/1.0\r\nAuthorization: Bearer ${service.token}\r\nAccept: text/csv\r\n\r\n`;
      const [reply] = await sendRaw(service, head);
      assert.equal(reply?.text, csvText);
      assert.equal(reply.headers['trailer'], undefined);
    });
  });
});
