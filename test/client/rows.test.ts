/** What the package exports for apps, and the rows of files that an app reads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as client from '../../src/client/client.ts';
import * as rows from '../../src/client/rows.ts';

const { RowSplitter, splitRows, toCells } = rows;

async function readCells(bytes: Uint8Array<ArrayBuffer>) {
  const splitter = new RowSplitter(true);
  const found: (readonly (string | undefined)[] | undefined)[] = [];
  for await (const row of splitRows(new Blob([bytes]).stream(), splitter)) found.push(toCells(row, splitter));
  return found;
}

describe('splitRows() and toCells()', () => {
  it('read rows with the separator of the first one, and find what is malformed', async () => {
    const text = new TextEncoder().encode('id;name\r\n7;"a;\n""b"""\n8;\n9;a"b\n10;last');
    assert.deepEqual(await readCells(text), [
      ['id', 'name'],
      ['7', 'a;\n"b"'],
      ['8', undefined],
      undefined,
      ['10', 'last'],
    ]);
  });

  it('replace bytes that are not UTF-8', async () => {
    assert.deepEqual(await readCells(new Uint8Array([0x4b, 0xe4])), [['K\ufffd']]);
  });
});

describe('the package', () => {
  it('exports these values to apps: to remove one breaks them', () => {
    const numbers = Object.entries(client).filter(([, value]) => typeof value === 'number');
    const others = Object.keys(client).filter((name) => !numbers.some(([number]) => number === name));
    assert.equal(client.plantIdTaken, 40_901);
    assert.equal(numbers.length, 13);
    assert.deepEqual(others.sort(), [
      'ConnectionError',
      'PlantClient',
      'PlantStoreError',
      'addReports',
      'areEqual',
      'csvHeader',
      'emptyReport',
      'findUndone',
      'fold',
      'getPlants',
      'importPrefix',
      'isReady',
      'makeGroup',
      'mayHaveBeenExecuted',
      'parseInt64',
      'parseJson',
      'pickPlant',
      'plantFields',
      'realEnvironment',
      'renamePrefix',
      'restorePrefix',
      'toCsvLine',
      'toGroup',
      'toJson',
      'toPlant',
      'toSearchTest',
      'toSearchText',
      'undoPrefix',
    ]);
    assert.deepEqual(Object.keys(rows).sort(), ['RowSplitter', 'compareRows', 'readPlantRows', 'splitRows', 'toCells']);
  });
});
