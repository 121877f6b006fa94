/** How many requests it takes to read plants by their ids. The service is a list of numbers here. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readPlants } from '../../console/src/many/read-plants.ts';

/** A service with plants 0 to count - 1, and the requests that it got. */
function serve(count: number) {
  const requests: string[] = [];
  const toPlant = (id: number) => ({ id: BigInt(id), name: `Plant ${id}` });
  return {
    requests,
    count: () => Promise.resolve(BigInt(count)),
    get: (id: bigint) => {
      requests.push(`plant ${id}`);
      return Promise.resolve(id >= 0n && id < count ? { plant: toPlant(Number(id)), etag: '"x"' } : undefined) as never;
    },
    listPage: (options: unknown) => {
      requests.push('page');
      const start = typeof options === 'string' ? Number(options) : 0;
      const items = Array.from({ length: Math.min(1_000, count - start) }, (_, at) => toPlant(start + at));
      return Promise.resolve({ items, next: start + 1_000 < count ? String(start + 1_000) : undefined });
    },
  };
}

const { signal } = new AbortController();
const ids = (count: number, step: number) => Array.from({ length: count }, (_, at) => BigInt((count - 1 - at) * step));

for (const [what, stored, wanted, requestsMax] of [
  ['few plants', 5_000, ids(10, 7), 10],
  ['a link of 500 plants, 499 of which are gone', 1, ids(500, 100_000), 1],
  ['500 plants of a shop', 20_000, ids(500, 40), 20],
  ['500 plants at the beginning of many', 40_000, ids(500, 3), 2],
  ['500 plants of a million', 1_000_000, ids(500, 2_000), 500],
] as const)
  it(`reads ${what} with at most ${requestsMax} requests, in the order of the ids`, async () => {
    const service = serve(stored);
    const counts: number[] = [];
    const found = await readPlants(service, wanted, signal, (count) => counts.push(count));
    const expected = wanted.filter((id) => id < stored);
    assert.deepEqual(
      found.map(({ id }) => id),
      expected,
    );
    assert.ok(service.requests.length <= requestsMax, `${service.requests.length} requests`);
    assert.ok(counts.length > 0 && counts.every((count) => count <= wanted.length));
  });
