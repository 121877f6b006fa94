/** How much of the changes is read. The service is a list of them here, and leaves groups out as the real one does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readEnough } from '../../console/src/copy/read-enough.ts';
import type { Change, PlantClient } from '../../src/client/client.ts';

/** A change for each letter, newest first: capitals are of groups. */
function toClient(letters: string, pageSize: number) {
  const changes = [...letters].map((letter, at) => ({
    ...{ position: String(at), letter, id: BigInt(at) },
    ...(letter === letter.toUpperCase() ? { group: letter } : {}),
  }));
  const sent: string[] = [];
  const changesPage = ({ after, exceptGroup }: { readonly after?: string; readonly exceptGroup?: string[] }) => {
    sent.push(exceptGroup?.join('') ?? '');
    const rest = changes
      .slice(Number(after ?? -1) + 1)
      .filter(({ group = '' }) => exceptGroup?.includes(group) !== true);
    const items = rest.slice(0, pageSize);
    const groupPlants = exceptGroup?.map((wanted) => changes.filter(({ group }) => group === wanted).length);
    return Promise.resolve({
      items,
      position: rest.length > pageSize ? items.at(-1)?.position : undefined,
      groupPlants,
    });
  };
  return { client: { changesPage } as unknown as PlantClient, sent };
}

const toLetters = (items: readonly Change[]): string =>
  (items as unknown as { letter: string }[]).map(({ letter }) => letter).join('');

describe('readEnough()', () => {
  for (const [what, letters, wanted, expected] of [
    ['until there are enough', 'abcdefgh', { pagesMax: 9, enough: 3 }, { items: 'abcd', next: '3' }],
    ['no further than the last page', 'abc', { pagesMax: 9, enough: 9 }, { items: 'abc', next: undefined }],
    ['no more pages than it may', 'abcdefgh', { pagesMax: 2, enough: 9 }, { items: 'abcd', next: '3' }],
    ['all of a group', 'aGGGGb', { pagesMax: 9, enough: 6 }, { items: 'aGGGGb', next: undefined }],
    [
      'a part of each group and its number, whatever is between',
      'aGGGbGHGHGGHHc',
      { pagesMax: 9, enough: 6, isGrouped: true },
      { items: 'aGbHc', next: undefined, plants: { G: 7, H: 4 } },
    ],
    [
      'the number of each group, although there are enough',
      'aGGGGGGbcde',
      { pagesMax: 9, enough: 1, isGrouped: true },
      { items: 'aG', next: '1', plants: { G: 6 } },
    ],
    [
      'the number of each group, although it may read no more pages',
      'GHGHGHab',
      { pagesMax: 1, enough: 9, isGrouped: true },
      { items: 'GH', next: '1', plants: { G: 3, H: 3 } },
    ],
  ] as const)
    it(`reads ${what}`, async () => {
      const { enough, ...rest } = { isGrouped: false, ...wanted };
      const isEnough = ({ length }: readonly unknown[]): boolean => length >= enough;
      const { client } = toClient(letters, 2);
      const read = await readEnough(client, { ...rest, isEnough }, undefined, AbortSignal.timeout(60_000));
      const counted = { plants: 'plants' in expected ? expected.plants : {} };
      assert.deepEqual(
        [toLetters(read.items), read.next, Object.fromEntries(read.plants ?? [])],
        [expected.items, expected.next, counted.plants],
      );
    });
});
