/** toTable(): alignment, and texts that would leave their cell. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTable } from '../../src/cli/output/to-table.ts';

describe('toTable()', () => {
  it('aligns columns by code points and leaves no space at the end', () => {
    const rows = [
      ['ID', 'NAME', 'X'],
      ['1', '🌵é', ''],
      ['22', 'longer', 'y'],
    ];
    assert.equal(toTable(rows), 'ID  NAME    X\n1   🌵é\n22  longer  y\n');
  });

  it('makes the widest columns narrower to fit a width, and counts wide characters', () => {
    const rows = [
      ['ID', 'NAME', 'TAG'],
      ['9223372036854775807', '多肉植物多肉植物多肉植物', 'x'.repeat(50)],
    ];
    assert.equal(
      toTable(rows, { width: 50, uncut: [0] }),
      `ID                   NAME           TAG\n9223372036854775807  多肉植物多肉…  ${'x'.repeat(13)}…\n`,
    );
    assert.equal(toTable([['a', 'b']], { width: 1 }), 'a  b\n');
  });

  it('takes any number of rows', () => {
    const rows = 200_000;
    assert.equal(toTable(Array.from({ length: rows }, () => ['x'])), 'x\n'.repeat(rows));
  });

  it('shows what would move the cursor or turn the line as an escape', () => {
    assert.equal(toTable([['a\u001b[2Jb\n\u202ec\u2028\u061c']]), 'a\\u{1b}[2Jb\\u{a}\\u{202e}c\\u{2028}\\u{61c}\n');
  });
});
