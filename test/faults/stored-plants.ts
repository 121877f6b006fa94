/** Stores with known plants, as a closed or a killed service leaves them, and the comparison with what must be in one. */
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { checkStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { readPlants } from '../support/store-under-test.ts';

const limits = { writesMax: 1_000, bytesMax: 64 * 1024 * 1024 };
const plantsPerCommit = 20;

export function makePlants(count: number, name: string): NewPlant[] {
  return Array.from({ length: count }, (_, index) => {
    return { id: BigInt(index), name: `${name} ${index}`, tag: `tag ${index % 7}` };
  });
}

/** Stores the plants in many commits. `isKilled` leaves them in the log, as a killed service does. */
export async function storePlants(
  folder: string,
  plants: readonly NewPlant[],
  { isKilled = false } = {},
): Promise<void> {
  const store = await openStore({ folder }, { limits });
  for (let first = 0; first < plants.length; first += plantsPerCommit) {
    const rows = plants.slice(first, first + plantsPerCommit);
    await store.plants.import(rows, { onConflict: 'replace', dryRun: false });
  }
  const files = isKilled ? ['plants.db', 'plants.db-wal'] : [];
  // Nobody writes at this moment: the files are what a kill would leave.
  for (const name of files) await copyFile(join(folder, name), join(folder, `${name}.killed`));
  await store.close();
  for (const name of files) {
    await copyFile(join(folder, `${name}.killed`), join(folder, name));
    await rm(join(folder, `${name}.killed`));
  }
}

/** Starts and closes a store on the folder. Returns what a check finds after that. */
export async function openAndCheck(folder: string): Promise<string[]> {
  const store = await openStore({ folder }, { limits });
  await store.close();
  return [...(await checkStore({ folder })).problems];
}

/** Returns a line when the folder does not hold exactly these plants. */
export async function compare(folder: string, wanted: readonly NewPlant[]): Promise<string[]> {
  const found = await readPlants(folder);
  const missing = wanted.filter(({ id, name }) => found.get(id)?.name !== name);
  const hasAll = missing.length === 0 && found.size === wanted.length;
  return hasAll ? [] : [`${missing.length} of ${wanted.length} plants are missing, and ${found.size} are there`];
}

/** Opens a copy of a database file, with its log, as a store, and compares it with what it may hold. */
export async function compareFile(file: string, ...allowed: readonly (readonly NewPlant[])[]): Promise<string[]> {
  const folder = `${file}.opened`;
  await mkdir(folder);
  try {
    await copyFile(file, join(folder, 'plants.db'));
    await copyFile(`${file}-wal`, join(folder, 'plants.db-wal')).catch(() => undefined);
    const faults = await openAndCheck(folder);
    const differences = await Promise.all(allowed.map((plants) => compare(folder, plants)));
    return differences.some((each) => each.length === 0) ? faults : [...faults, ...differences.flat()];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What is wrong after `restore --force` of `restored` over `kept`: one of them must be there, and both when it has succeeded. */
export async function checkRestored(
  folder: string,
  names: readonly string[],
  { restored, kept, isDone }: { restored: readonly NewPlant[]; kept: readonly NewPlant[]; isDone: boolean },
): Promise<string[]> {
  const faults = await openAndCheck(folder);
  if ((await compare(folder, restored)).length > 0) {
    return [...faults, ...(isDone ? ['the backup is not there'] : []), ...(await compare(folder, kept))];
  }
  const keptAs = names.find((name) => /^plants\.db\.before-[^.]*Z$/.test(name));
  if (keptAs === undefined) return [...faults, 'the store that was there is gone'];
  return [...faults, ...(await compareFile(join(folder, keptAs), kept))];
}
