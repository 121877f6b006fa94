/** Which plants are read by their ids, and which are known. The service is a list of numbers here. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getPlants } from '../../src/client/get-plants.ts';

const toPlant = (id: bigint) => ({ id, name: `Plant ${id}` });

it('reads the plants that are not known, in the order of the ids, and leaves out those that do not exist', async () => {
  const asked: bigint[] = [];
  const get = (id: bigint) => {
    asked.push(id);
    return Promise.resolve(id < 20n ? { plant: toPlant(id), etag: '"x"' } : undefined);
  };
  const ids = [19n, 3n, 21n, 8n, 20n, 4n, 7n, 12n, 13n];
  const isKnown = (id: bigint) => id % 2n === 0n && id < 20n;
  const found = await getPlants({ get }, ids, (id) => (isKnown(id) ? toPlant(id) : undefined), undefined);
  assert.deepEqual(
    found.map(({ id }) => id),
    [19n, 3n, 8n, 4n, 7n, 12n, 13n],
  );
  assert.deepEqual(asked, [19n, 3n, 21n, 20n, 7n, 13n]);
});
