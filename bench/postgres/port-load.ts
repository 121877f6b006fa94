/** Creates at the store port, without HTTP, as a program. Its argument is a `DatabaseLoad` in JSON. */
import { openStore } from '../../src/store/open-store.ts';
import { plainPlantAt } from '../plants.ts';
import type { DatabaseLoad } from './database-load.ts';
import { LoadMeter } from './load-meter.ts';

const { url, first, inFlight, seconds } = JSON.parse(process.argv[2] ?? '') as DatabaseLoad;
const store = await openStore({ url }, { limits: { writesMax: 10_000, bytesMax: 67_108_864 } });
await store.ping();
let next = first;
const meter = new LoadMeter(seconds);
const work = async (): Promise<void> => {
  while (!meter.isOver()) await meter.time(() => store.plants.create(plainPlantAt(next++)));
};
await Promise.all(Array.from({ length: inFlight }, work));
console.log(JSON.stringify(meter.toResult(next - first)));
await store.close();
