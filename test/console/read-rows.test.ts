/** Refused rows that are taken from their file, without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRows } from '../../console/src/import/read-rows.ts';

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
