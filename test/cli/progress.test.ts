/** Progress: what is drawn on a terminal and elsewhere, and how often; a clock that stands still between updates. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Progress, toDuration, toProgressText, toSize } from '../../src/cli/output/progress.ts';

function draw(
  isTTY: boolean,
  columns: number | undefined,
  totalBytes: number | undefined,
  ticksMs: readonly number[],
): string[] {
  const written: string[] = [];
  const output = {
    fd: 2,
    isTTY,
    columns,
    write: (text: string) => void written.push(text),
    writeAll: (bytes: Uint8Array) => Promise.resolve(written.push(Buffer.from(bytes).toString()) > 0),
  };
  let now = 1_000;
  const progress = new Progress(output, () => now, totalBytes);
  for (const [index, tick] of ticksMs.entries()) {
    now += tick;
    progress.update({ bytes: (index + 1) * 1_000_000, rows: BigInt(index + 1) * 20_000n });
  }
  progress.clear();
  return written;
}

describe('Progress', () => {
  it('redraws one line on a terminal, ten times a second, and wipes it', () => {
    assert.deepEqual(draw(true, 120, 4_000_000, [100, 99, 901]), [
      '\r[######..................] 25%, 1.0 MB, 20,000 rows, 200,000 rows/s, 0 s left\u001b[K',
      '\r[##################......] 75%, 3.0 MB, 60,000 rows, 54,545 rows/s, 0 s left\u001b[K',
      '\r\u001b[K',
    ]);
  });

  it('shows what fits the terminal, and never half a word', () => {
    for (const [columns, line] of [
      [100, '[######..................] 25%, 1.0 MB, 20,000 rows, 20,000 rows/s, 3 s left'],
      [78, '[######..................] 25%, 1.0 MB, 20,000 rows, 20,000 rows/s, 3 s left'],
      [77, '[######..................] 25%, 1.0 MB, 20,000 rows, 20,000 rows/s, 3 s left'],
      [76, '25%, 1.0 MB, 20,000 rows, 20,000 rows/s, 3 s left'],
      [45, '25%, 1.0 MB, 20,000 rows, 3 s left'],
      [30, '25%, 20,000 rows, 3 s left'],
      [20, '25%, 20,000 rows'],
      [10, '25%'],
      [2, ''],
    ] as const) {
      assert.equal(draw(true, columns, 4_000_000, [1_000])[0], `\r${line}\u001b[K`, `${columns} columns`);
      assert.ok(line.length < columns);
    }
  });

  it('writes a plain line every five seconds elsewhere, without a sign of a terminal', () => {
    assert.deepEqual(draw(false, undefined, 4_000_000, [4_999, 1, 4_999]), [
      '50%, 2.0 MB, 40,000 rows, 8,000 rows/s, 5 s left\n',
    ]);
  });

  it('says nothing of the end when there is none to see', () => {
    assert.deepEqual(draw(false, undefined, undefined, [10_000]), ['1.0 MB, 20,000 rows, 2,000 rows/s\n']);
  });

  it('writes nothing when the work is short', () => {
    assert.deepEqual(draw(true, 80, 4_000_000, [99]), []);
  });
});

describe('toProgressText()', () => {
  it('has no rate before any time has passed, and no time left at the end', () => {
    assert.equal(toProgressText({ bytes: 10, rows: 1n }, 0, 10), '100%, 10 B, 1 row');
    assert.equal(toProgressText({ bytes: 0, rows: 0n }, 0, 0), '0 B, 0 rows');
  });
});

describe('toSize() and toDuration()', () => {
  it('choose their units', () => {
    assert.deepEqual([0, 999, 1_000, 1_500_000, 2e9, 3e12, 4e15].map(toSize), [
      '0 B',
      '999 B',
      '1.0 kB',
      '1.5 MB',
      '2.0 GB',
      '3.0 TB',
      '4000.0 TB',
    ]);
    assert.deepEqual([0.4, 59, 60, 3_599, 3_600, 90_000].map(toDuration), [
      '0 s',
      '59 s',
      '1 min 0 s',
      '59 min 59 s',
      '1 h 0 min',
      '25 h 0 min',
    ]);
  });
});
