/** RowScanner and CsvReader follow one grammar: they agree on every row of any bytes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CsvReader } from '../../src/rows/csv-reader.ts';
import { RowScanner } from '../../src/rows/row-scanner.ts';

describe('RowScanner', () => {
  it('ends rows on the lines where CsvReader does', () => {
    const bytes = fc.array(fc.constantFrom(...Buffer.from('",;\t\r\na1'), 0xc3, 0xa9, 0xff), { maxLength: 60 });
    const mark = [0xef, 0xbb, 0xbf];
    const bytesOfMark = fc.constantFrom(0, 1, 2, 3);
    fc.assert(
      fc.property(bytesOfMark, bytes, fc.nat({ max: 60 }), (marked, rest, cut) => {
        const all = Uint8Array.from([...mark.slice(0, marked), ...rest]);
        const reader = new CsvReader();
        const lines = [...reader.read(all), ...reader.end()].map(({ line }) => line);
        const scanner = new RowScanner(true);
        const starts: number[] = [];
        for (let at = 0; at < all.length; at++) {
          const rows = scanner.rows;
          scanner.scan(all.subarray(at, at + 1));
          if (scanner.rows > rows) starts.push(scanner.lines + 1);
        }
        // Blank lines are rows for the scanner only.
        assert.deepEqual(
          lines.filter((line) => line !== 1 && !starts.includes(line)),
          [],
        );
        const whole = new RowScanner(true);
        whole.scan(all.subarray(0, cut));
        whole.scan(all.subarray(cut));
        assert.deepEqual({ ...whole }, { ...scanner });
      }),
      { numRuns: 3_000 },
    );
  });

  it('ends a row with a byte order mark and a quote at its line, except at the start', () => {
    const scanner = new RowScanner(true);
    scanner.scan(Buffer.from('\n'));
    scanner.scan(Buffer.from('\uFEFF"a\nb\n'));
    assert.equal(scanner.rows, 3);
  });

  it('drops a byte order mark that arrives in parts', () => {
    const scanner = new RowScanner(true);
    for (const byte of Buffer.from('\uFEFF"i\nd",name\n1,a\n')) scanner.scan(Uint8Array.of(byte));
    assert.deepEqual([scanner.rows, scanner.lines], [2, 3]);
  });

  it('takes a line with nothing but a byte order mark as blank, not one with a part of it', () => {
    for (const [marked, headerLines] of [
      [3, 2],
      [2, 1],
    ] as const) {
      const scanner = new RowScanner(true);
      scanner.scan(Buffer.from('\uFEFF').subarray(0, marked));
      scanner.scan(Buffer.from('\nid,name\n'));
      assert.equal(scanner.headerLines, headerLines);
    }
  });

  it('takes the separator of the header line with it', () => {
    const scanner = new RowScanner(true);
    scanner.scan(Buffer.from('id;name\n1;"a'));
    const next = new RowScanner(true, scanner.position);
    next.scan(Buffer.from(',\n;"";b\n'));
    assert.deepEqual([next.rows, next.lines], [0, 2]);
  });
});
