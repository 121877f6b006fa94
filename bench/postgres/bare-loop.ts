/**
 * The baseline of creates, as a program: connections that each insert one row after another, with
 * the driver of the service and without HTTP. Its argument is a `DatabaseLoad` in JSON.
 */
import { Client } from 'pg';
import { toWords } from '../../src/store/search-tokens.ts';
import type { LoadResult } from '../load.ts';
import { plainPlantAt } from '../plants.ts';
import type { DatabaseLoad } from './database-load.ts';
import { LoadMeter } from './load-meter.ts';

const statements = {
  plants: `INSERT INTO plants (id, name, tag, words)
    VALUES ($1, $2, $3, array_to_tsvector(string_to_array($4, ' '))) ON CONFLICT DO NOTHING`,
  'plants and changes': `WITH inserted AS (
      INSERT INTO plants (id, name, tag, words)
      VALUES ($1, $2, $3, array_to_tsvector(string_to_array($4, ' '))) ON CONFLICT DO NOTHING RETURNING id, name, tag
    )
    INSERT INTO change_batches (at, ids, names, tags, tokens)
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8, ARRAY[id], ARRAY[name], ARRAY[tag], ARRAY[NULL]
    FROM inserted`,
} as const;

const { url, first, inFlight, seconds, tables = 'plants' } = JSON.parse(process.argv[2] ?? '') as DatabaseLoad;
const clients = await Promise.all(
  Array.from({ length: inFlight }, async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    return client;
  }),
);
let next = first;
const meter = new LoadMeter(seconds);
await Promise.all(
  clients.map(async (client) => {
    while (!meter.isOver()) {
      const { id, name, tag } = plainPlantAt(next++);
      await meter.time(() =>
        client.query({
          name: 'insert',
          text: statements[tables],
          values: [id.toString(), name, tag, toWords(name).join(' ')],
        }),
      );
    }
  }),
);
const result: LoadResult = meter.toResult(next - first);
console.log(JSON.stringify(result));
await Promise.all(clients.map((client) => client.end()));
