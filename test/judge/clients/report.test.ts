/** docs/clients.md has the clients and the calls that the judge has, so that it shows what a run has found of each. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clients } from './clients.ts';
import { readTables, toTitle, writeTables } from './report.ts';
import { steps } from './steps.ts';

const page = await readFile(join(import.meta.dirname, '../../../docs/clients.md'), 'utf8');

describe('docs/clients.md', () => {
  it('has a row for each client, with its version, and a column for each call', () => {
    const [about = [], calls = []] = readTables(page);
    const wanted = Object.values(clients).map((client) => [toTitle(client), client.version]);
    assert.deepEqual(
      about.slice(1).map((cells) => cells.slice(0, 2)),
      wanted,
    );
    assert.deepEqual(calls[0]?.slice(1), Object.keys(steps));
    assert.deepEqual(
      calls.slice(1).map(([title]) => title),
      wanted.map(([title]) => title),
    );
  });
});

describe('writeTables()', () => {
  it('replaces the rows of the judged clients and keeps the others', () => {
    const verdict = {
      missing: ['createPlant'],
      calls: { get: { outcome: 'other', plain: 'got | nothing', other: 'by hand' } },
    } as const;
    const written = readTables(writeTables(page, new Map([['go-ogen', verdict]])));
    const isOgen = ([title]: readonly string[]): boolean => title === 'Go, ogen';
    assert.deepEqual(
      written.map((table) => table.filter((row) => !isOgen(row))),
      readTables(page).map((table) => table.filter((row) => !isOgen(row))),
    );
    assert.deepEqual(written[2]?.filter(isOgen), [['Go, ogen', 'get', '`got \\| nothing`', 'by hand']]);
  });
});
