/**
 * What every space begins as. Who has written nothing reads the seed itself, and costs nothing; the
 * store of a space is a copy of its image.
 */
import type { ChangeLog } from '../domain/change-log.ts';
import { type MemoryStore, openMemoryStore } from '../store/sqlite/open-memory-store.ts';
import { seedPlants } from './seed-plants.ts';

export interface Seed {
  /** Only read. */
  readonly store: MemoryStore;
  readonly image: Uint8Array;
  /** The newest position of its change log. */
  readonly position: string;
}

export async function openSeed(): Promise<Seed> {
  const store = openMemoryStore({ limits: { writesMax: 1, bytesMax: 1_048_576 } });
  await store.plants.import(seedPlants, { onConflict: 'fail', dryRun: false });
  return { store, image: store.toImage(), position: await store.changes.latest() };
}

/** Converts a position that a visitor has read before the first write: the own log has it, too. */
export async function toOwnPosition(position: string, seed: Seed, own: ChangeLog): Promise<string> {
  const [identity = '', number = ''] = position.split('-');
  const [ofSeed, last = ''] = seed.position.split('-');
  if (identity !== ofSeed || !/^\d{1,18}$/.test(number) || Number(number) > Number(last)) return position;
  const [ownIdentity = ''] = (await own.latest()).split('-');
  return `${ownIdentity}-${number}`;
}
