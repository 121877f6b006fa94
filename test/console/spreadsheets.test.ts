/** Files as LibreOffice saves them in two countries, with a title above the headings and a sum at the end: what the import finds. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { toLeftOut } from '../../console/src/import/csv-plan.ts';
import { Importer } from '../../console/src/import/importer.ts';
import { countJoined, findUnread, type ImportState } from '../../console/src/import/import-state.ts';
import { startService } from '../support/start-service.ts';
import { openGate, until } from './gate.ts';

const { client } = openGate(await startService({ after }));

/** @param change of the text. */
async function check(name: string, change = (text: string) => text) {
  const importer = new Importer({
    client: () => client,
    findPlants: () => undefined,
    noteError: () => undefined,
    onEnd: () => undefined,
  });
  const reach = async (): Promise<ImportState> => {
    const state = await until(importer.state, ({ step }) => step === 'checked' || step === 'failed');
    assert.equal(state.step, 'checked', state.message ?? 'no message');
    return state;
  };
  const text = await readFile(join(import.meta.dirname, 'spreadsheets', name), 'latin1');
  await importer.choose(new File([Buffer.from(change(text), 'latin1')], name));
  return { importer, reach, state: await reach() };
}

/** A quote before the name of the plant. */
const openQuote = (text: string, plant: number) => text.replace(new RegExp(`(?=[^;,]* ${plant}[;,])`), '"');
const countRows = ({ report }: ImportState) => [report?.read, report?.created, report?.refused];

for (const [name, encoding, separator, leftOut, ids] of [
  [
    'german.csv',
    'windows-1252',
    ';',
    ['Preis'],
    { lines: [4, 5, 6, 7, 8], count: 300, examples: ['10.001', '10.002', '10.003', '10.004', '10.005'] },
  ],
  ['american.csv', 'utf-8', undefined, ['Price'], { lines: [], count: 0, examples: [] }],
] as const)
  describe(name, () => {
    it('has its plants between the headings and the sum, which can be imported, too', async () => {
      const { importer, reach, state } = await check(name);
      const { csv, preview = [] } = state.chosen ?? assert.fail();
      const { firstId, ...plan } = csv?.plan ?? assert.fail();
      assert.deepEqual(
        { ...plan, firstId: 1n, leftOut: toLeftOut(csv?.first ?? [], { ...plan, firstId }) },
        { encoding, separator, hasHeadings: true, firstId: 1n, id: 0, name: 1, tag: 2, start: 3, end: 304, leftOut },
      );
      assert.deepEqual([preview[1]?.line, preview[1]?.name, preview[1]?.tag], [5, 'Rübe 2', 'shade']);
      assert.deepEqual(state.findings?.repairable, ids);
      assert.deepEqual(countRows(state), ids.count > 0 ? [300n, 0n, 300n] : [300n, 300n, 0n]);
      await importer.setPlan({ repairsIds: true });
      const repaired = await reach();
      assert.deepEqual([...countRows(repaired), repaired.chosen?.preview?.[1]?.id], [300n, 300n, 0n, '10002']);
      await importer.setPlan({ end: undefined });
      assert.deepEqual(countRows(await reach()), [301n, 300n, 1n]);
    });

    for (const [row, first, last, read] of [
      // Up to the next quote, or to the end of the file with its sum.
      [111, 114, name === 'german.csv' ? 118 : 117, name === 'german.csv' ? 296n : 297n],
      [300, 303, 304, 300n],
    ] as const)
      it(`whose row ${row} has a quote without an end says how many rows it joins`, async () => {
        const { importer, reach } = await check(name, (text) => openQuote(text, row));
        await importer.setPlan({ repairsIds: true });
        const state = await reach();
        assert.deepEqual(findUnread(state), [[first, last]]);
        assert.deepEqual(countRows(state), [read, read - 1n, 1n]);
        assert.equal(countJoined(state), BigInt(last - first));
      });
  });
