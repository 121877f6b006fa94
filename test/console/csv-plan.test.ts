/** Which column of a file is what, and what is pasted, without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quotePasted } from '../../console/src/import/convert-csv.ts';
import { changePlan, guessPlan, isPlain, toColumnNames, toHeader } from '../../console/src/import/csv-plan.ts';

const guess = (row: string) => guessPlan(row.split(','), 'utf-8', 7n);

describe('the guess', () => {
  for (const [row, hasHeadings, id, name, tag] of [
    ['id,name,tag', true, 0, 1, 2],
    [' Tag ,ID,NAME', true, 1, 2, 0],
    ['Nummer,Bezeichnung', true, 0, 1, 'none'],
    ['Artikel-Nr.,Artikel,Preis', true, 0, 1, 'none'],
    ['name,id,Number', true, 1, 0, 'none'],
    ['price,colour,category', true, 'new', 0, 2],
    ['Número,Nom', true, 0, 1, 'none'],
    ['7,Rose,sale', false, 0, 1, 2],
    ['Rose', false, 'new', 0, 'none'],
    ['Rose,sale', false, 'new', 0, 1],
    ['7', false, 'new', 0, 'none'],
    ['000123,Rose,sale', false, 0, 1, 2],
    ['A-1200,Rose,4.50', false, 'new', 1, 'none'],
    ['12,A-1200,Rose,sale', false, 0, 2, 3],
  ] as const)
    it(`of ${row}`, () => {
      const plan = guess(row);
      assert.deepEqual([plan.hasHeadings, plan.id, plan.name, plan.tag], [hasHeadings, id, name, tag]);
    });
});

describe('a plan', () => {
  it('has each column once', () => {
    const plan = guess('id,name,tag');
    const columns = (change: Parameters<typeof changePlan>[1], from = plan) => {
      const { id, name, tag } = changePlan(from, change, 3);
      return [id, name, tag];
    };
    assert.deepEqual(columns({ name: 2 }), [0, 2, 'none']);
    assert.deepEqual(columns({ name: 0 }), ['new', 0, 2]);
    assert.deepEqual(columns({ id: 1 }), [1, 0, 2]);
    assert.deepEqual(columns({ tag: 0 }), [0, 1, 'none']);
    assert.deepEqual(columns({ id: 0 }, guess('name,price,tag')), [0, 1, 2]);
    const { id, name } = changePlan(guess('Rose'), { id: 0 }, 1);
    assert.deepEqual([id, name], ['new', 0]);
  });

  it('names the columns for the service and for people', () => {
    const plan = guess('Preis,Bezeichnung,');
    const first = ['Preis', 'Bezeichnung', ''];
    assert.equal(toHeader(first, plan, ';'), 'id;"Preis";name;column 3');
    // A heading that the service knows would be a second column of it.
    assert.equal(toHeader(['Id', 'x'], { ...plan, id: 'new', name: 1 }, ','), 'id,column 1,name');
    assert.deepEqual(toColumnNames(first, plan), ['Preis', 'Bezeichnung', 'Column 3']);
    assert.deepEqual(toColumnNames(['Rose'], guess('Rose')), ['Column 1: Rose']);
  });

  for (const [row, change, isPlainFile] of [
    ['ID, name ,price', {}, true],
    ['id,name,tag', { tag: 'none' }, false],
    ['id,name', { encoding: 'windows-1252' }, false],
    ['id,name', { hasHeadings: false }, false],
    ['id,name,name', {}, false],
    ['nr,name', {}, false],
  ] as const)
    it(`is ${isPlainFile ? '' : 'not '}what the service reads itself: ${row} ${JSON.stringify(change)}`, () => {
      const first = row.split(',');
      assert.equal(isPlain(first, { ...guessPlan(first, 'utf-8', 1n), ...change }), isPlainFile);
    });
});

describe('what is pasted from a spreadsheet', () => {
  for (const [pasted, read] of [
    ['8001\tRosa "Peace"\tHerbs', '8001\t"Rosa ""Peace"""\tHerbs'],
    ['"Peace" Rosa\tx\r\n"Gloria\ty\r\n', '"""Peace"" Rosa"\tx\r\n"""Gloria"\ty\r\n'],
    ['"Peace" and "Love"\t1', '"""Peace"" and ""Love"""\t1'],
    ['1\t"two\nlines, ""quoted"""\t\n2\tIvy\t', '1\t"two\nlines, ""quoted"""\t\n2\tIvy\t'],
    ['1,"a, b"\n', '1,"a, b"\n'],
  ] as const)
    it(`has ${JSON.stringify(pasted)} as text`, () => {
      assert.equal(quotePasted(pasted), read);
    });
});
