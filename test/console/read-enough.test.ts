/** How many pages of changes are read. The service is a list of pages here. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readEnough } from '../../console/src/history/read-enough.ts';
import type { PlantClient } from '../../src/client/client.ts';

const from = { order: 'desc' } as const;
const pages = new Map<unknown, { items: readonly string[]; next?: string }>([
  [from, { items: ['a', 'b'], next: 'second' }],
  ['second', { items: ['c'], next: 'third' }],
  ['third', { items: ['d'] }],
]);
const client = { changesPage: (address: unknown) => Promise.resolve(pages.get(address)) } as unknown as PlantClient;

describe('readEnough()', () => {
  for (const [what, pagesMax, enough, items, next] of [
    ['until there are enough', 9, 3, 'abc', 'third'],
    ['no further than the last page', 9, 9, 'abcd', undefined],
    ['no more pages than it may', 2, 9, 'abc', 'third'],
    ['one page if that is enough', 9, 2, 'ab', 'second'],
  ] as const)
    it(`reads ${what}`, async () => {
      const isEnough = ({ length }: readonly unknown[]): boolean => length >= enough;
      const read = await readEnough(client, from, AbortSignal.timeout(60_000), pagesMax, isEnough);
      assert.deepEqual([read.items, read.next], [[...items], next]);
    });
});
