/** Fills a data folder or a database with plants through the store port, as a program: `seed.ts FOLDER|URL ROWS`. */
import { openStore } from '../src/store/open-store.ts';
import { plantAt } from './plants.ts';

/** Rows per write, as of an import over HTTP. */
const chunkRows = 500;
/** Concurrent writes: as many as PostgreSQL commits at once. */
const writesAtOnce = 4;

const [location = '', rowsText = ''] = process.argv.slice(2);
const rows = Number(rowsText);
const store = await openStore(location.startsWith('postgres:') ? { url: location } : { folder: location }, {
  limits: { writesMax: 100, bytesMax: 67_108_864 },
});
let next = 0;
const work = async (): Promise<void> => {
  while (next < rows) {
    const first = next;
    const count = Math.min(chunkRows, rows - first);
    next += count;
    const plants = Array.from({ length: count }, (_, offset) => plantAt(first + offset));
    await store.plants.import(plants, { onConflict: 'fail', dryRun: false });
  }
};
await Promise.all(Array.from({ length: writesAtOnce }, work));
if ((await store.plants.count()) !== rows) throw new Error('Not every plant was stored');
await store.close();
