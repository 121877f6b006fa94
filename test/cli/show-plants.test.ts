/** How commands show plants: as a table, as lines of JSON, or as an array, also with texts that would leave their place. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toJsonArray, toJsonLines } from '../../src/cli/output/json-text.ts';
import { toPlantTable } from '../../src/cli/output/show-plants.ts';

const plants = [
  { id: -9223372036854775808n, name: 'a\u001b[2J', tag: '' },
  { id: 9007199254740993n, name: 'Basil' },
];

describe('toPlantTable()', () => {
  it('is a table that tells an empty tag from none, with escapes for what would move the cursor', () => {
    assert.equal(
      toPlantTable(plants, undefined),
      'ID                    NAME        TAG\n-9223372036854775808  a\\u{1b}[2J  ""\n9007199254740993      Basil\n',
    );
    assert.equal(
      toPlantTable([{ id: 7n, name: 'a', tag: 't', etag: '"v"' }], undefined),
      'ID  NAME  TAG  ETAG\n7   a     t    "v"\n',
    );
  });
});

describe('toJsonLines() and toJsonArray()', () => {
  it('have one plant a line, with exact ids', () => {
    const [first, second] = [
      '{"id":-9223372036854775808,"name":"a\\u001b[2J","tag":""}',
      '{"id":9007199254740993,"name":"Basil"}',
    ];
    assert.equal(toJsonLines(plants), `${first}\n${second}\n`);
    assert.equal(toJsonArray(plants), `[\n  ${first},\n  ${second}\n]\n`);
    assert.equal(toJsonArray([]), '[]\n');
  });
});
