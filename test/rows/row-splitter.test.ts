/** RowSplitter: rows and their lines, whatever the chunks; a byte order mark, the header line, rows of separators. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { rowBytesMax } from '../../src/rows/row-reader.ts';
import { RowSplitter } from '../../src/rows/row-splitter.ts';

/** What is seen of each row, its bytes as text. */
function split(
  isCsv: boolean,
  chunks: readonly Uint8Array[],
): [line: number, lines: number, text: string, blank: boolean][] {
  const splitter = new RowSplitter(isCsv);
  const seen = [...chunks.map((chunk) => splitter.split(chunk)), splitter.end()].flatMap((rows) => [
    ...rows.map(
      ({ line, lines, bytes, isBlank }) => [line, lines, Buffer.from(bytes).toString('latin1'), isBlank] as const,
    ),
  ]);
  return seen.map((row) => [...row]);
}

describe('RowSplitter', () => {
  for (const isCsv of [false, true])
    it(`gives back all bytes of ${isCsv ? 'CSV' : 'NDJSON'} in the same rows, whatever the chunks`, () => {
      const bytes = fc.array(fc.constantFrom(...Buffer.from('",;\t\r\na1'), 0xc3, 0xa9, 0xff), { maxLength: 60 });
      const mark = [0xef, 0xbb, 0xbf];
      fc.assert(
        fc.property(fc.constantFrom(0, 1, 2, 3), bytes, fc.nat({ max: 60 }), (marked, rest, cut) => {
          const all = Uint8Array.from([...mark.slice(0, marked), ...rest]);
          const rows = split(isCsv, [all]);
          assert.equal(rows.map(([, , text]) => text).join(''), Buffer.from(all).toString('latin1'));
          let line = 1;
          for (const [begins, lines, text] of rows) {
            assert.equal(begins, line);
            assert.equal(lines, text.split('\n').length - 1);
            line += lines;
          }
          assert.deepEqual(split(isCsv, [all.subarray(0, cut), all.subarray(cut)]), rows);
          assert.deepEqual(
            split(
              isCsv,
              [...all].map((byte) => Uint8Array.of(byte)),
            ),
            rows,
          );
        }),
        { numRuns: 1_000 },
      );
    });

  it('ends a row with a byte order mark and a quote at its line, except at the start', () => {
    assert.equal(split(true, [Buffer.from('\n\uFEFF"a\nb\n')]).length, 3);
    assert.equal(split(true, [Buffer.from('\uFEFF"a\nb"\n')]).length, 1);
  });

  it('takes rows of nothing but separators for blank', () => {
    const rows = split(true, [Buffer.from('\n;;;\nid;name\n;\r\n;""\n; \n,;\n;;')]);
    assert.deepEqual(
      rows.map(([, , , isBlank]) => isBlank),
      [true, true, false, true, false, false, false, true],
    );
  });

  it('keeps the header line, with one before it that names the separator', () => {
    for (const [text, header, separator] of [
      ['\n\nid,name\n1,a\n', 'id,name\n', ','],
      ['\uFEFFsep=;\r\nid;name\r\n1;a\r\n', '\uFEFFsep=;\r\nid;name\r\n', ';'],
      ['SEP=\t\nid\tna,me\n', 'SEP=\t\nid\tna,me\n', '\t'],
      [';;\nid,name\n', 'id,name\n', ','],
      ['sep=|\nid|name\n', 'sep=|\n', ','],
      ['id', '', ''],
    ] as const) {
      const splitter = new RowSplitter(true);
      Array.from(splitter.split(Buffer.from(text)));
      assert.equal(Buffer.from(splitter.header).toString(), header);
      if (header !== '') assert.equal(String.fromCharCode(splitter.separator), separator);
    }
  });

  it('keeps the beginning of a row that is too long, and its length', () => {
    const splitter = new RowSplitter(false);
    const long = Buffer.alloc(3 * rowBytesMax, 'a');
    const [row] = [...splitter.split(long), ...splitter.split(Buffer.from('\n'))];
    assert.equal(row?.length, long.length + 1);
    assert.ok(row.bytes.length > rowBytesMax + 1 && row.bytes.length < rowBytesMax + 10);
  });
});
