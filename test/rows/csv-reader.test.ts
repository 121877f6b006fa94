/** CsvReader: the fields of each row, or why it is none, in time proportional to the bytes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainCsvRow } from '../../src/rows/csv-errors.ts';
import { CsvReader } from '../../src/rows/csv-reader.ts';
import { countWork } from '../json/count-work.ts';

describe('CsvReader', () => {
  const fields = (csv: string): unknown[] => {
    const reader = new CsvReader();
    const rows = [...reader.read(Buffer.from(csv)), ...reader.end()];
    return rows.map((row) => ('content' in row ? row.content : row.error.code));
  };
  const cases: readonly (readonly [what: string, csv: string, rows: readonly unknown[]])[] = [
    ['nothing', '', []],
    ['blank lines', '\n\r\n\n', []],
    [
      'rows of nothing but separators',
      ';\na;b\n;\r\n;""\n;',
      [
        ['a', 'b'],
        [undefined, ''],
      ],
    ],
    ['an empty field and an empty one in quotes', ',""\n', [[undefined, '']]],
    ['quotes in quotes', '"a""b",""""\n', [['a"b', '"']]],
    ['line endings in quotes', '"a\nb\r\nc\rd"\n', [['a\nb\r\nc\rd']]],
    ['spaces', ' a , "\n1', ['csv_malformed', ['1']]],
    ['a quote in a field without', 'a"b\n1', ['csv_malformed', ['1']]],
    ['text after a closing quote', '"a"b,"c\n1', ['csv_malformed', ['1']]],
    ['a quote that is never closed', '1\n"a\n2\n', [['1'], 'csv_malformed']],
    ['a lone CR', 'a\rb\n1\n', ['csv_malformed', ['1']]],
    ['a lone CR after quotes', '"a"\rb\n1\n', ['csv_malformed', ['1']]],
    ['a CR at the very end', '1\n2\r', [['1'], 'csv_malformed']],
    ['a byte order mark', '\uFEFFid,name\n', [['id', 'name']]],
    ['a byte order mark before quotes', '\uFEFF"id"\n', [['id']]],
    ['a second byte order mark', '\uFEFF\uFEFFid\n', [['\uFEFFid']]],
    ['no line ending at the end', 'a,b', [['a', 'b']]],
    ['an empty field at the end', 'a,', [['a', undefined]]],
  ];
  for (const [what, csv, rows] of cases) it(`reads ${what}`, () => assert.deepEqual(fields(csv), rows));

  for (const [name, start, piece] of [
    ['quotes inside a quoted field', '1,"', '""'],
    ['quotes and line breaks inside a quoted field', '1,"', '""\n'],
    ['line breaks inside a quoted field', '1,"', '\n'],
    ['a plain field', '1,', 'ab'],
    ['quoted fields', '1', ',"a"'],
    ['empty fields', '1', ','],
    ['a malformed row', '1,a"', '"'],
    ['rows', '', '1,a\n'],
    ['blank lines', '', '\r\n'],
  ] as const)
    it(`takes time proportional to the length: ${name}`, () => {
      const text = `id,name\n${start}${piece.repeat(65_536 / piece.length)}`;
      const reader = new CsvReader(explainCsvRow);
      const { looks, characters } = countWork(() => [...reader.read(Buffer.from(text)), ...reader.end()]);
      assert.ok(looks > 0 && looks <= 6 * text.length, `${looks} looks`);
      assert.ok(characters <= 6 * text.length, `${characters} characters`);
    });
});
