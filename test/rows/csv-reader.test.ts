/** CsvReader: its work is proportional to the bytes, whatever they are. The rows that it reads are tested in bulk-readers.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CsvReader } from '../../src/rows/csv-reader.ts';
import { countWork } from '../json/count-work.ts';

describe('CsvReader', () => {
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
      const reader = new CsvReader();
      const { looks, characters } = countWork(() => [...reader.read(Buffer.from(text)), ...reader.end()]);
      assert.ok(looks > 0 && looks <= 6 * text.length, `${looks} looks`);
      assert.ok(characters <= 6 * text.length, `${characters} characters`);
    });
});
