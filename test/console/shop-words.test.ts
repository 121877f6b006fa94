/** Why a row of an import is refused, as the console says it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toShopWords } from '../../console/src/import/shop-words.ts';
import { PlantClient, type RowFormat } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';

it('toShopWords() says why without the words of the schema', async (test) => {
  const { url, token } = await startService(test);
  const client = new PlantClient({ url, token });
  await client.create({ id: 7n, name: 'Taken' });
  const say = async (mediaType: RowFormat, rows: readonly string[]): Promise<readonly string[]> => {
    // Of these letters, only \xff is not valid UTF-8.
    const { errors } = await client.import(new Blob([Buffer.from(rows.join('\n'), 'latin1')]), { mediaType });
    return errors.map(({ error, message }) => toShopWords(error, message));
  };
  const long = 'n'.repeat(1_001);
  assert.deepEqual(
    await say('text/csv', [
      'id,name,tag',
      '000123,a,',
      '9.007E+015,b,',
      '7,c,',
      `8,${long},`,
      '9,d,e,f',
      '1,a"b,',
      '1,a\0,',
      '1,\xff,',
      '10,"g',
    ]),
    [
      'The id must be written without leading zeros',
      'The id must have digits only: in a spreadsheet, format its column as a number without decimals',
      'A plant with this id is there already, with another name or tag',
      'The name must have at most 1000 characters',
      'The row has 4 fields, the headings 3',
      'A quote is wrong, or the number of fields differs from the headings',
      'Remove the character U+0000 from the name',
      'The row is not valid UTF-8. In a spreadsheet, save the file as "CSV UTF-8"',
      'A quote is never closed',
    ],
  );
  const invalid = ['"x","name":""', '1.5,"name":""', '1', '1,"name":5', '1,"name":"\\ud800"', '1,"id":1', '1,'];
  assert.deepEqual(await say('application/x-ndjson', [...invalid.map((rest) => `{"id":${rest}}`), '[1]', '"\xff"']), [
    'The id must be a number without quotes',
    'The id must be a whole number',
    'The name is missing',
    'The name must be a text in quotes',
    "The row is not valid JSON: expected a whole character at position 16, found '\\'",
    "The row is not valid JSON: expected a name that the row does not have yet at position 8, found '\"'",
    "The row is not valid JSON: expected a name in double quotes at position 8, found '}'",
    'The row must begin with { and end with }',
    'The row is not valid UTF-8',
  ]);
});
