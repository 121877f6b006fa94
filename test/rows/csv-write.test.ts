/** CSV for spreadsheets: no text becomes a formula, whatever separator the file is read with, and each is read back as it was. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toCsvLine, withoutGuard } from '../../src/rows/csv-write.ts';

/** What Excel, LibreOffice and Google Sheets take for the start of a formula, white space aside. */
const formula = /^[=+\-@＝＋－＠]/;

/** What may be dropped before a formula. */
const dropped = /^[\s"\u200b-\u200f\u2060]+/;

/** The cells of a line as a careless program sees them: no quotes, no escapes. */
function cellsOf(line: string, separator: string): string[] {
  return line.split(/\r\n|\r|\n/).flatMap((row) => row.split(separator).map((cell) => cell.replace(dropped, '')));
}

const id = 1n;

/** Checks that the text is given back, and that no cell of its line is a formula, whatever the separator. */
function checkGuards(text: string): void {
  const field = toCsvLine({ id, name: text }).slice(2, -3);
  const plain = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
  assert.equal(withoutGuard(plain), text);
  for (const separator of [';', '\t'])
    for (const cell of [plain, ...cellsOf(plain, separator)])
      assert.doesNotMatch(cell.replace(dropped, ''), formula, JSON.stringify(text));
}

describe('toCsvLine()', () => {
  it('guards what some program takes for a formula', () => {
    const starts = [
      "=1+1|+1|-1|@A1|＝1|＋1|－1|＠A1|'=1| =1| '=1",
      '\ta|\ra|\t=1|\r=1|\n=1|\u00a0=1|\u200b+1|\ufeff@A1| \u200b "=1',
    ];
    const later = ['a;=1|a;＝1|a; =1|;;=1', 'a\t=1|a\n=1|a\r\n@x|a\n\u00a0=1'];
    for (const text of [...starts, ...later].join('|').split('|')) {
      checkGuards(text);
      assert.notEqual(toCsvLine({ id, name: text }).replaceAll('"', ''), `1,${text},\r\n`.replaceAll('"', ''));
    }
  });

  it('gives any text back, and guards it for each separator', () => {
    const text = fc
      .array(fc.constantFrom(...`=+-@;\t\r\n'",aé＝＋－＠ \u00a0\u200b\ufeff`), { maxLength: 12 })
      .map((units) => units.join(''));
    fc.assert(fc.property(text, checkGuards), { numRuns: 2_000 });
  });

  it('leaves ordinary texts as they are', () => {
    assert.equal(toCsvLine({ id, name: "Aloe 'vera' - x", tag: 'a=b' }), "1,Aloe 'vera' - x,a=b\r\n");
  });
});

describe('withoutGuard()', () => {
  it('leaves what is no guard', () => {
    for (const text of ["'", "'a", "a'=", "it's;ok", "x;'y"]) assert.equal(withoutGuard(text), text);
  });
});
