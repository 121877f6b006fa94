/** Why a row of an import is refused, as the console says it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toShopWords } from '../../console/src/import/shop-words.ts';
import { PlantClient } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';

it('toShopWords() says why without the words of the schema', async (test) => {
  const { url, token } = await startService(test);
  const client = new PlantClient({ url, token });
  await client.create({ id: 7n, name: 'Taken' });
  const rows = `000123,a,\nx,b,\n7,c,\n8,${'n'.repeat(1_001)},\n9,d,e,f\n10,"g`;
  const { errors } = await client.import(`id,name,tag\n${rows}`, { mediaType: 'text/csv' });
  assert.deepEqual(
    errors.map(({ error, message }) => toShopWords(error, message)),
    [
      'The id must be written without leading zeros',
      'The id must consist of digits, after a minus if it is negative',
      'A plant with this id is there already, with another name or tag',
      'The name must have at most 1000 characters',
      'The row has 4 fields, the headings 3',
      'A quote is never closed',
    ],
  );
});
