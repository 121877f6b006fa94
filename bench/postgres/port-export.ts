/** Reads every plant at the store port, as a program: `port-export.ts URL`. Prints rows and seconds. */
import { openStore } from '../../src/store/open-store.ts';

const store = await openStore({ url: process.argv[2] ?? '' }, { limits: { writesMax: 1, bytesMax: 1 } });
let rows = 0;
const startedAt = performance.now();
for await (const batch of store.plants.snapshot({})) rows += batch.length;
console.log(JSON.stringify({ rows, seconds: (performance.now() - startedAt) / 1000 }));
await store.close();
