/** A data folder with many plants, built once and copied for each use: the cost and the paths of a large store, in seconds. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { openStore } from '../../src/store/open-store.ts';

export interface LargeStore {
  /** Number of plants, with the ids from 0 on. */
  readonly plants: number;
  /** Copies the store to a folder that does not exist yet. */
  readonly copyTo: (folder: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

const rowsPerImport = 5_000;

export async function buildLargeStore(plants: number): Promise<LargeStore> {
  const root = await mkdtemp(join(tmpdir(), 'plant-store-large-'));
  const folder = join(root, 'data');
  const store = await openStore({ folder }, { limits: { writesMax: 1_000, bytesMax: 256 * 1024 * 1024 } });
  try {
    for (let first = 0; first < plants; first += rowsPerImport) {
      const length = Math.min(rowsPerImport, plants - first);
      const rows = Array.from({ length }, (_, index) => toOther(first + index));
      await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
    }
  } finally {
    await store.close();
  }
  return {
    plants,
    copyTo: (target) => cp(folder, target, { recursive: true }),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** The SQL condition that a row is one of these plants, unchanged, and that its id is one of theirs. */
export function isOtherSql(plants: number): { readonly isUnchanged: string; readonly hasId: string } {
  const hasId = `id >= 0 AND id < ${plants}`;
  return { hasId, isUnchanged: `${hasId} AND name = 'plant ' || id AND tag = 'tag ' || (id % 1000)` };
}

function toOther(number: number): NewPlant {
  return { id: BigInt(number), name: `plant ${number}`, tag: `tag ${number % 1000}` };
}
