/** Opens a SQLite store in a temporary folder, optionally with a fault on its writer thread, or in memory. */
import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import workerThreads, { Worker } from 'node:worker_threads';
import type { ChangeLimits } from '../../src/domain/change-log.ts';
import type { NewPlant } from '../../src/domain/schemas.ts';
import type { Store } from '../../src/domain/store.ts';
import type { QueueLimits } from '../../src/store/write-queue.ts';
import { checkStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { checkDatabase } from '../../src/store/sqlite/maintenance/check.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { type Fault, faultVariable, preloadUrl } from '../crash/fault.ts';
import type { OpenedStore } from './behaviour.ts';

export const roomyLimits: QueueLimits = { writesMax: 10_000, bytesMax: 64 * 1024 * 1024 };
const prefix = join(tmpdir(), 'plant-store-');

export function openTemporaryStore(
  limits: QueueLimits = roomyLimits,
  changeLimits?: ChangeLimits,
): Promise<OpenedStore> {
  return openTemporary((folder) => openStore({ folder }, { limits, changeLimits }));
}

async function openTemporary(open: (dataFolder: string) => Promise<Store>): Promise<OpenedStore> {
  const folder = await mkdtempDisposable(prefix);
  const dataFolder = join(folder.path, 'data');
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
      await folder.remove();
    },
  };
}

/** Opens a store in a folder, and reads all its plants. */
export async function readAll(folder: string): Promise<readonly NewPlant[]> {
  const store = await openStore({ folder }, { limits: roomyLimits });
  try {
    return (await store.plants.list({ limit: 100_000 })).plants;
  } finally {
    await store.close();
  }
}

/** Expects opening to fail with one line that names the folder. */
export async function refuses(folder: string, reason: RegExp): Promise<void> {
  await assert.rejects(openStore({ folder }, { limits: roomyLimits }), ({ message }: Error) => {
    assert.ok(message.startsWith(`Cannot open the data folder ${folder}: `), message);
    assert.match(message, reason);
    assert.doesNotMatch(message, /\n/);
    return true;
  });
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
  await using folder = await mkdtempDisposable(prefix);
  const path = join(folder.path, 'plants.db');
  await writeFile(path, image);
  return checkDatabase(path).problems;
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
