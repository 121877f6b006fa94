/** Refused rows that are taken from their file, without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guessPlan, toLeftOut } from '../../console/src/import/csv-plan.ts';
import { readRows, toRowsFile } from '../../console/src/import/read-rows.ts';

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

it('toRowsFile() keeps the headings, and adds the reason of each row in a column that an import leaves out', async () => {
  const file = new Blob(['id;name;tag;"Preis €"\r\nx;a;;5\r\n2;b;;\r\n3;"c;;7\r\n']);
  const rows = await readRows(file, 'text/csv', [2, 4]);
  const text = await (await toRowsFile(file, 'text/csv', rows, new Map([[2, 'Not "x"; digits']]))).text();
  assert.equal(text, 'id;name;tag;"Preis €";"reason"\nx;a;;5;"Not ""x""; digits"\n3;"c;;7\n');
  const headings = ['id', 'name', 'tag', 'Preis €', 'reason'];
  assert.deepEqual(toLeftOut(headings, guessPlan(headings, 'utf-8', 1n)), ['Preis €', 'reason']);
});
