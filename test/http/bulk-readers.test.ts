/** The row readers without a service: they read every written plant, however its bytes are split, and an error affects its row only. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ErrorCode, ServiceError } from '../../src/domain/errors.ts';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { csvHeader, toCsvLine } from '../../src/rows/csv-write.ts';
import { openRows } from '../../src/http/operations/import-rows.ts';
import { toStoredPlantJson } from '../../src/http/operations/plants.ts';
import { rowBytesMax } from '../../src/rows/row-reader.ts';
import { contract } from '../support/read-contract.ts';

type Form = 'text/csv' | 'application/x-ndjson';
type Seen = readonly [line: number, what: NewPlant | ErrorCode];

const toPlant = contract.parseBody('importPlants', 'plant_invalid');

/** @param cuts where to split the bytes into chunks. */
function read(form: Form, bytes: Uint8Array, cuts: readonly number[] = []): Seen[] {
  const reader = openRows(form, toPlant);
  const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
  const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
  const rows = [...chunks.flatMap((chunk) => [...reader.read(chunk)]), ...reader.end()];
  return rows.map((row) => [row.line, 'content' in row ? row.content : row.error.code]);
}

function plantsOf(seen: readonly Seen[]): NewPlant[] {
  return seen.map(([line, what]) => {
    if (typeof what === 'string') assert.fail(`line ${line}: ${what}`);
    const { id, name, tag } = what;
    return tag === undefined ? { id, name } : { id, name, tag };
  });
}

/** Texts with the special characters of CSV, JSON and spreadsheets, and any others. */
const text = fc
  .oneof(
    fc
      .array(fc.constantFrom(...'",\r\n\t\'=+-@;\\/ aé€😀\uFEFF\u2028'), { maxLength: 12 })
      .map((each) => each.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  .filter((each) => !each.includes('\0'));
const plant: fc.Arbitrary<NewPlant> = fc.record(
  { id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), name: text, tag: text },
  { requiredKeys: ['id', 'name'], noNullPrototype: true },
);
const cuts = fc.array(fc.nat(), { maxLength: 20 });

const written: Record<Form, (plants: readonly NewPlant[]) => string> = {
  'text/csv': (plants) => csvHeader + plants.map(toCsvLine).join(''),
  'application/x-ndjson': (plants) => plants.map((each) => `${toStoredPlantJson(each)}\n`).join(''),
};

/** Rows that are refused for what is in them. */
const refusedRows: Record<Form, readonly (readonly [row: string, code: ErrorCode])[]> = {
  'text/csv': [
    ['1,a', 'csv_malformed'],
    ['one,a,', 'plant_id_invalid'],
    [',a,', 'plant_id_invalid'],
    [`1,${'x'.repeat(1_001)},`, 'plant_invalid'],
    ['1,a\0,', 'text_nul'],
    ['1,\xc3,', 'body_not_utf8'],
  ],
  'application/x-ndjson': [
    ['{"id":1,"name":"a"', 'json_malformed'],
    ['[]', 'plant_invalid'],
    ['{"id":9223372036854775808,"name":"a"}', 'plant_id_invalid'],
    [String.raw`{"id":1,"name":"\u0000"}`, 'text_nul'],
    ['{"id":1,"name":"\xff"}', 'body_not_utf8'],
  ],
};

for (const form of ['text/csv', 'application/x-ndjson'] as const) {
  describe(`the reader of ${form}`, () => {
    it('reads what was written, for any plants and any chunks', () => {
      fc.assert(
        fc.property(fc.array(plant, { maxLength: 8 }), cuts, (plants, places) => {
          const bytes = Buffer.from(written[form](plants));
          const inside = places.map((place) => place % (bytes.length + 1));
          assert.deepEqual(plantsOf(read(form, bytes, inside)), plants);
        }),
        { numRuns: 500 },
      );
    });

    it('counts the bytes of a row, not its characters', () => {
      const name = '\u20ac'.repeat(Math.ceil(rowBytesMax / 3));
      const text = form === 'text/csv' ? `id,name,tag\n1,${name},\n` : `\n{"id":1,"name":"${name}"}\n`;
      assert.deepEqual(read(form, Buffer.from(text)), [[2, 'row_too_long']]);
    });

    it('refuses a row for what is in it, and reads the next one', () => {
      const [head, next] = form === 'text/csv' ? ['id,name,tag', '2,b,'] : ['', '{"id":2,"name":"b"}'];
      for (const [row, code] of refusedRows[form]) {
        const [one, two] = read(form, Buffer.from([head, row, next].join('\n'), 'latin1'));
        assert.deepEqual(one, [2, code]);
        assert.deepEqual(plantsOf([two ?? [0, 'internal']]), [{ id: 2n, name: 'b' }]);
      }
    });

    it('accepts a row of 65,536 bytes, refuses a longer one, and reads the next one', () => {
      const rowOf = (bytes: number): string =>
        form === 'text/csv' ? `1,a,,${'x'.repeat(bytes - 5)}` : `{"id":1,"name":"a","x":"${'x'.repeat(bytes - 26)}"}`;
      const next = form === 'text/csv' ? '2,b,,' : '{"id":2,"name":"b"}';
      const head = form === 'text/csv' ? 'id,name,tag,note\n' : '';
      const first = form === 'text/csv' ? 2 : 1;
      assert.equal(Buffer.byteLength(rowOf(rowBytesMax)), rowBytesMax);
      for (const ending of ['\n', '\r\n']) {
        // The second and the third end before the line ending of the longest row, and inside it.
        for (const chunkBytes of [1_000, rowBytesMax, rowBytesMax + 1, 1_000_000]) {
          const outcomes = [rowBytesMax, rowBytesMax + 1, 3 * rowBytesMax].map((bytes) => {
            const all = Buffer.from(`${head}${rowOf(bytes)}${ending}${next}${ending}`);
            const chunks = Math.floor((all.length - head.length) / chunkBytes);
            const places = Array.from({ length: chunks }, (_, k) => head.length + (k + 1) * chunkBytes);
            const [one, two] = read(form, all, places);
            assert.deepEqual(plantsOf([two ?? [0, 'internal']]), [{ id: 2n, name: 'b' }]);
            assert.equal(two?.[0], first + 1);
            return typeof one?.[1] === 'string' ? one[1] : one?.[1].id;
          });
          assert.deepEqual(outcomes, [1n, 'row_too_long', 'row_too_long'], `chunks of ${chunkBytes} bytes`);
        }
      }
    });
  });
}

describe('the reader of application/x-ndjson', () => {
  it('drops a byte order mark, which does not count for the length of the row', () => {
    const [start, end] = ['{"id":1,"name":"a","x":"', '"}\n'];
    const longest = `${start}${'x'.repeat(rowBytesMax + 1 - start.length - end.length)}${end}`;
    for (const text of ['{"id":1,"name":"a"}', longest])
      for (const places of [[], [1], [3]])
        assert.deepEqual(plantsOf(read('application/x-ndjson', Buffer.from(`\uFEFF${text}`), places)), [
          { id: 1n, name: 'a' },
        ]);
    assert.deepEqual(read('application/x-ndjson', Buffer.from('\uFEFF')), []);
    assert.deepEqual(read('application/x-ndjson', Buffer.from(`\uFEFFx${longest}`)), [[1, 'row_too_long']]);
  });

  it('refuses a line of 65,536 bytes that goes on after a CR', () => {
    const line = '{"id":1,"name":"a"}'.padEnd(rowBytesMax);
    assert.deepEqual(read('application/x-ndjson', Buffer.from(`${line}\r2\n`)), [[1, 'row_too_long']]);
  });
});

describe('the reader of text/csv', () => {
  it('numbers a row by its first line, also after quoted line breaks', () => {
    const csv = 'id,name\r\n1,"a\nb\r\nc"\r\n\r\nx,y\n2,"\n\n"z\n3,\n"\n';
    assert.deepEqual(
      read('text/csv', Buffer.from(csv)).map(([line, what]) => [line, typeof what === 'string' ? what : what.id]),
      [
        [2, 1n],
        [6, 'plant_id_invalid'],
        [7, 'csv_malformed'],
        [10, 3n],
        [11, 'csv_malformed'],
      ],
    );
  });

  const basil = { id: 1n, name: 'Basil; green', tag: 'herb,' };
  for (const [about, csv] of [
    ['commas', 'id,name,tag\n1,Basil; green,"herb,"\n'],
    ['semicolons', 'id;name;tag\n1;"Basil; green";herb,\n'],
    ['TABs', 'id\tname\ttag\n1\tBasil; green\therb,\n'],
    ['a separator in quotes before the first outside', '"no;te";tag;id;name\n;herb,;1;"Basil; green"\n'],
    [
      'names in capitals and with spaces',
      '\uFEFF ID , "Name ",TAG\n1,Basil; green,"herb,"\n'.replace('"Name "', 'Name '),
    ],
    ['semicolons, which a line for a spreadsheet names', '\uFEFFsep=;\r\nid;name;tag\r\n1;"Basil; green";herb,\r\n'],
    ['semicolons, which such a line in quotes names', '"sep=;"\r\nid;name;tag\r\n1;"Basil; green";herb,\r\n'],
    ['blank lines first', '\r\n\nid;name;tag\n1;"Basil; green";herb,'],
  ] as const) {
    it(`reads columns that are named or separated by ${about}`, () => {
      assert.deepEqual(plantsOf(read('text/csv', Buffer.from(csv))), [basil]);
    });
  }

  it('refuses other encodings, and says what to do', () => {
    const text = 'id,name\n1,a\n';
    for (const bytes of [
      Buffer.from(`\uFEFF${text}`, 'utf16le'),
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
      Buffer.from(text, 'utf16le').swap16(),
      Buffer.from('id,name,größe\n1,a,b\n', 'latin1'),
    ]) {
      assert.throws(
        () => read('text/csv', bytes),
        (error) =>
          error instanceof ServiceError && error.code === 'csv_header_invalid' && error.message.includes('CSV UTF-8'),
      );
    }
  });

  it('says of line endings that are CR alone, and of another separator, what to do', () => {
    const long = `id,name\r${'1,a\r'.repeat(20_000)}`;
    for (const [csv, message] of [
      ['id,name\r1,a\r', /LF or CRLF/],
      ['id,name\r', /LF or CRLF/],
      [long, /LF or CRLF/],
      ['sep=|\nid|name\n1|a\n', /comma, semicolon or tab/],
    ] as const)
      assert.throws(
        () => read('text/csv', Buffer.from(csv)),
        (error) => error instanceof ServiceError && error.code === 'csv_header_invalid' && message.test(error.message),
      );
    const reader = openRows('text/csv', toPlant);
    const [row] = reader.read(Buffer.from('id,name\n1,a\r2,b\n'));
    assert.match(row !== undefined && 'error' in row ? row.error.message : '', /LF or CRLF/);
  });

  it('reports which lines an unclosed quote includes', () => {
    const details = (csv: string): unknown[] => {
      const reader = openRows('text/csv', toPlant);
      const rows = [...reader.read(Buffer.from(csv)), ...reader.end()];
      return rows.map((row) => ['error' in row ? row.error.message.replace(/^.*?\. /, '') : row.content.id]);
    };
    const head = 'id,name,tag\n';
    assert.deepEqual(details(`${head}1,"a,b\n2,c,d\n3,e,f\n`), [
      ['A quote is never closed, so the next 2 lines were read as part of its field'],
    ]);
    assert.deepEqual(details(`${head}1,"a,b\n2,"c",d\n3,e,f\n`), [
      ['A quote may lack its end, so the next line was read as part of its field'],
      [3n],
    ]);
    assert.deepEqual(details(`${head}1,"a,b\n2,c,d"\n3,e,f\n`), [
      ['It has 2 fields, the header line 3. A field spans 2 lines; a quote may lack its end'],
      [3n],
    ]);
    assert.deepEqual(details(`${head}1,a,"b`), [['A quote is never closed']]);
    assert.deepEqual(details(`${head}1,"a\nb","c\n`), [['A quote 1 line further down is never closed']]);
    assert.deepEqual(details(`${head}1,a,"b\r\n2,c`), [
      ['A quote is never closed, so the next line was read as part of its field'],
    ]);
  });

  it('says of a row of CSV that is no UTF-8 what to do', () => {
    const reader = openRows('text/csv', toPlant);
    const [row] = reader.read(Buffer.from('id,name\n1,\xc4pfel\n', 'latin1'));
    const message = row !== undefined && 'error' in row ? row.error.message : '';
    assert.match(message, /^The body is not valid UTF-8\. In a spreadsheet, save the file as "CSV UTF-8"$/);
  });

  it('refuses a header line that does not name the columns', () => {
    for (const csv of [
      '',
      '\n\n',
      'id\n',
      'name,tag\n',
      'id,name,id\n',
      'id,name,tag,tag\n',
      'id,"name\n',
      'id,name\xff\n',
      'id|name\n1|a\n',
      'Id,ID,name\n',
    ]) {
      assert.throws(
        () => read('text/csv', Buffer.from(csv, 'latin1')),
        (error) => error instanceof ServiceError && error.code === 'csv_header_invalid',
        csv,
      );
    }
  });
});
