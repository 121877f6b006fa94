/** Refused rows that are taken from their file, without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cells, guessPlan, toLeftOut } from '../../console/src/import/csv-plan.ts';
import { readRows, toRowsFile } from '../../console/src/import/read-rows.ts';
import { RowSplitter, splitRows, toCells } from '../../src/client/rows.ts';

/** Counts how often it is read. */
class CountedFile extends Blob {
  reads = 0;

  override stream(): ReturnType<Blob['stream']> {
    this.reads += 1;
    return super.stream();
  }
}

describe('readRows()', () => {
  it('finds rows by the lines they begin on', async () => {
    const file = new CountedFile(['id,name\n1,Aloe\n2,"Fern\nof the north"\n3,Ivy\n']);
    const rows = await readRows(file, 'text/csv', [3, 5]);
    assert.deepEqual(
      [...rows],
      [
        [3, { text: '2,"Fern\nof the north"', lastLine: 4 }],
        [5, { text: '3,Ivy', lastLine: 5 }],
      ],
    );
    assert.equal(file.reads, 1);
  });

  it('does not read the file when no row is wanted', async () => {
    const file = new CountedFile(['id,name\n1,Aloe\n']);
    assert.deepEqual([...(await readRows(file, 'text/csv', []))], []);
    assert.equal(file.reads, 0);
  });
});

describe('toRowsFile()', () => {
  it('keeps the headings, and adds the reason of each row in a column that an import leaves out', async () => {
    const file = new Blob(['id;name;tag;"Preis €"\r\nx;"a\nb";;5\r\n2;b;;\r\n3;"c;d"\r\n']);
    const rows = await readRows(file, 'text/csv', [2, 5]);
    const reasons = new Map([
      [2, 'Not "x"; digits'],
      [5, 'Too few'],
    ]);
    const text = await (await toRowsFile(file, 'text/csv', rows, reasons)).text();
    assert.equal(text, 'id;name;tag;"Preis €";"reason"\nx;"a\nb";;5;"Not ""x""; digits"\n3;"c;d";;;"Too few"\n');
    const headings = ['id', 'name', 'tag', 'Preis €', 'reason'];
    assert.deepEqual(toLeftOut(headings, guessPlan(headings, 'utf-8', 1n)), ['Preis €', 'reason']);
  });

  for (const [what, end] of [
    ['to the next quote', '4;d;;8\r\n\r\n5;"e";;9'],
    ['to the end of the file', '4;d;;8\r\n5;e'],
  ] as const)
    it(`makes rows again of those that a quote without an end has joined, up ${what}`, async () => {
      const file = new Blob([`sep=;\r\nid;name;tag;price\r\n3;"c;;7\r\n${end}\r\n`]);
      const rows = await readRows(file, 'text/csv', [3]);
      const text = await (await toRowsFile(file, 'text/csv', rows, new Map([[3, 'No end']]))).text();
      const repaired: Cells[] = [];
      const splitter = new RowSplitter(true);
      for await (const row of splitRows(new Blob([text.replace('"c', 'c')]).stream(), splitter))
        if (!row.isBlank) repaired.push((toCells(row, splitter) ?? []).map((cell = '') => cell));
      assert.deepEqual(repaired, [
        ['id', 'name', 'tag', 'price', 'reason'],
        ['3', 'c', '', '7', 'No end'],
        ['4', 'd', '', '8', ''],
        ['5', 'e', '', end.includes('9') ? '9' : '', ''],
      ]);
    });
});
