/** toPlantText(): the three forms, and texts that would leave their place. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toPlantForm, toPlantText } from '../../src/cli/output/show-plants.ts';

const plants = [
  { id: -9223372036854775808n, name: 'a\u001b[2J', tag: '' },
  { id: 9007199254740993n, name: 'Basil' },
];

describe('toPlantText()', () => {
  it('is a table that tells an empty tag from none, with escapes for what would move the cursor', () => {
    assert.equal(
      toPlantText(plants, 'table'),
      'ID                    NAME        TAG\n-9223372036854775808  a\\u{1b}[2J  ""\n9007199254740993      Basil\n',
    );
    assert.equal(
      toPlantText([{ id: 7n, name: 'a', tag: 't', etag: '"v"' }], 'table'),
      'ID  NAME  TAG  ETAG\n7   a     t    "v"\n',
    );
  });

  it('is one object a line, or one array, with exact ids', () => {
    const [first, second] = [
      '{"id":-9223372036854775808,"name":"a\\u001b[2J","tag":""}',
      '{"id":9007199254740993,"name":"Basil"}',
    ];
    assert.equal(toPlantText(plants, 'lines'), `${first}\n${second}\n`);
    assert.equal(toPlantText(plants, 'array'), `[\n  ${first},\n  ${second}\n]\n`);
    assert.equal(toPlantText([], 'array'), '[]\n');
  });
});

describe('toPlantForm()', () => {
  it('is a table on a terminal alone', () => {
    const output = { fd: 1, columns: undefined, write: () => undefined, writeAll: () => Promise.resolve(true) };
    assert.equal(toPlantForm({ ...output, isTTY: true }, false), 'table');
    assert.equal(toPlantForm({ ...output, isTTY: true }, true), 'array');
    assert.equal(toPlantForm({ ...output, isTTY: false }, false), 'lines');
  });
});
