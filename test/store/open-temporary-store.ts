/** Opens a SQLite store in a temporary folder, optionally with a fault on its writer thread, or in memory. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import workerThreads, { Worker } from 'node:worker_threads';
import type { ChangeLimits } from '../../src/domain/change-log.ts';
import type { Store } from '../../src/domain/store.ts';
import type { QueueLimits } from '../../src/store/write-queue.ts';
import { checkStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { checkDatabase } from '../../src/store/sqlite/maintenance/check.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { type Fault, faultVariable, preloadUrl } from '../crash/fault.ts';
import type { OpenedStore } from './behaviour.ts';

export const roomyLimits: QueueLimits = { writesMax: 10_000, bytesMax: 64 * 1024 * 1024 };

/** Creates a temporary folder, which `remove` deletes. */
export async function makeTemporaryFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export function openTemporaryStore(
  limits: QueueLimits = roomyLimits,
  changeLimits?: ChangeLimits,
): Promise<OpenedStore> {
  return openTemporary((folder) => openStore({ folder }, { limits, changeLimits }));
}

async function openTemporary(open: (dataFolder: string) => Promise<Store>): Promise<OpenedStore> {
  const { folder, remove } = await makeTemporaryFolder();
  const dataFolder = join(folder, 'data');
  let store = await open(dataFolder);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await open(dataFolder);
      return store;
    },
    findProblems: async () => (await checkStore({ folder: dataFolder })).problems,
    close: async () => {
      await store.close();
      await remove();
    },
  };
}

/** Opens a store without files: the cheapest one for tests that are not about them. */
export function openInMemory(limits: QueueLimits = roomyLimits, changeLimits?: ChangeLimits): Promise<OpenedStore> {
  const options = { limits, changeLimits };
  let store = openMemoryStore(options);
  return Promise.resolve({
    store,
    reopen: async () => {
      await store.close();
      store = openMemoryStore({ ...options, image: store.toImage() });
      return store;
    },
    findProblems: () => findProblemsOf(store.toImage()),
    close: () => store.close(),
  });
}

/** Checks an image as the file that it would be. */
export async function findProblemsOf(image: Uint8Array): Promise<readonly string[]> {
  const { folder, remove } = await makeTemporaryFolder();
  try {
    await writeFile(join(folder, 'plants.db'), image);
    return checkDatabase(join(folder, 'plants.db')).problems;
  } finally {
    await remove();
  }
}

/** Opens a store whose threads load the fault first. */
export async function openFaultyStore(folder: string, fault: Fault, limits: QueueLimits = roomyLimits): Promise<Store> {
  const before = { Worker };
  workerThreads.Worker = class extends Worker {
    constructor(url: URL, options: WorkerOptions) {
      const env = { ...process.env, [faultVariable]: JSON.stringify(fault) };
      super(url, { ...options, env, execArgv: [`--import=${preloadUrl}`] });
    }
  };
  syncBuiltinESMExports();
  try {
    return await openStore({ folder }, { limits });
  } finally {
    workerThreads.Worker = before.Worker;
    syncBuiltinESMExports();
  }
}
type WorkerOptions = ConstructorParameters<typeof Worker>[1];
