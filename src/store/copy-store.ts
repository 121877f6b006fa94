/** Copies plants and tokens to a store of any adapter, then compares both. Leaves the log. */
import { createHash } from 'node:crypto';
import { areEqual, plantFields } from '../domain/plant.ts';
import type { StoredPlant } from '../domain/schemas.ts';
import type { Store } from '../domain/store.ts';
import { ServiceError } from '../domain/errors.ts';
import { toJson } from '../json/to-json.ts';
import { openStore, openTokenStore } from './open-store.ts';
import type { StoreLocation } from './store-location.ts';

/** Both stores are used by nobody else, so few writes wait. */
const limits = { writesMax: 1_000, bytesMax: 67_108_864 };
/** Chunks that are written while others are read. PostgreSQL takes as many. */
const chunksAtOnce = 4;

export interface CopyOptions {
  /** Called after each chunk with the number of plants so far. */
  readonly onProgress?: (plants: number) => void;
  /** Called once if all plants are copied and the destination's change log lags behind. */
  readonly onLogBehind?: () => void;
  /** Stops the copy between two chunks. */
  readonly signal?: AbortSignal;
}

export interface CopyResult {
  /** Plants in both stores. */
  readonly plants: number;
  /** Plants that the destination did not have before. */
  readonly copied: number;
  /** Tokens of the source, which both stores have; the destination may have others. */
  readonly tokens: number;
  /** SHA-256 over all plants of either store, in hexadecimal digits. */
  readonly checksum: string;
}

/**
 * Copies what the destination does not have yet, so a copy that was stopped continues when it is
 * started again. A destination with other plants is refused before anything is written.
 * @throws Error with one clear line: if a store cannot be opened or is in use, the destination has
 * other plants, or the two differ afterwards.
 */
export async function copyStore(
  from: StoreLocation,
  to: StoreLocation,
  options: CopyOptions = {},
): Promise<CopyResult> {
  // Opening a folder as a store would create it.
  await (await openTokenStore(from)).close();
  const source = await openStore(from, { limits });
  try {
    await requireReachable(source, 'source');
    const destination = await openStore(to, { limits });
    try {
      await requireReachable(destination, 'destination');
      await requireSubset(destination, source, options.signal);
      const tokens = await copyTokens(source, destination);
      const copied = await copyPlants(source, destination, options);
      return { ...(await verifyCopy(source, destination)), copied, tokens };
    } finally {
      await destination.close();
    }
  } finally {
    await source.close();
  }
}

/** A database can be copied while a service writes to it; a data folder cannot. */
const stopAdvice = 'stop the services that write to one of them, and copy again to an empty store';

/** @throws Error that says which of the two cannot be reached, and why. */
async function requireReachable(store: Store, name: string): Promise<void> {
  try {
    await store.ping();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new Error(`Cannot use the ${name}: ${reasonOf(error)}`, { cause: error });
  }
}

/** @throws Error if the first store has a plant that the second does not have. */
async function requireSubset(part: Store, whole: Store, signal: AbortSignal | undefined): Promise<void> {
  const others = eachPlant(whole);
  try {
    let other = await others.next();
    for await (const plant of eachPlant(part)) {
      if (signal?.aborted === true) throw new Error('Stopped before anything was copied');
      while (other.done !== true && other.value.id < plant.id) other = await others.next();
      if (other.done === true || other.value.id !== plant.id)
        throw notEmptyError(`a plant that the source does not have, with the id ${plant.id}`);
      if (!areEqual(other.value, plant)) throw notEmptyError(`another plant with the id ${plant.id}`);
    }
  } finally {
    await others.return();
  }
}

async function* eachPlant({ plants }: Store): AsyncGenerator<StoredPlant, void, undefined> {
  for await (const chunk of plants.snapshot({})) yield* chunk;
}

function notEmptyError(found: string): Error {
  return new Error(`The destination has ${found}; nothing was copied. Copy to an empty store`);
}

async function copyTokens(source: Store, destination: Store): Promise<number> {
  const tokens = await source.tokens.list();
  for (const token of tokens) {
    if ((await destination.tokens.findByHash(token.hash)) === undefined) await destination.tokens.insert(token);
    // Perhaps since an earlier copy that was stopped.
    else if (token.revokedAt !== undefined) await destination.tokens.revoke(token.id, token.revokedAt);
  }
  return tokens.length;
}

async function copyPlants(
  source: Store,
  destination: Store,
  { onProgress, onLogBehind, signal }: CopyOptions,
): Promise<number> {
  let [plants, copied] = [0, 0];
  let underWay: readonly Promise<ChunkReport>[] = [];
  const settle = async (leftMax: number): Promise<void> => {
    while (underWay.length > leftMax) {
      const report = await underWay[0];
      underWay = underWay.slice(1);
      plants += report?.plants ?? 0;
      copied += report?.created ?? 0;
      onProgress?.(plants);
    }
  };
  try {
    for await (const chunk of source.plants.snapshot({})) {
      if (signal?.aborted === true) {
        await settle(0);
        throw new Error(`Stopped after ${plants.toLocaleString('en')} plants; run the same command to continue`);
      }
      const copying = copyChunk(chunk, destination);
      // Awaited by `settle`, perhaps only after more has been read.
      copying.catch(() => undefined);
      underWay = [...underWay, copying];
      await settle(chunksAtOnce - 1);
    }
    await settle(0);
    await completeLog(destination, onLogBehind, signal);
  } catch (error) {
    await Promise.allSettled(underWay);
    if (!(error instanceof ServiceError)) throw error;
    throw new Error(
      `Stopped after at least ${plants.toLocaleString('en')} plants: ${reasonOf(error)}; run the same command to continue`,
      { cause: error },
    );
  }
  return copied;
}

/** Waits for the change log: until it has all, services refuse to say what is new. */
async function completeLog(
  { changes }: Store,
  onBehind: CopyOptions['onLogBehind'],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      await changes.latest();
      return;
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'store_busy')) throw error;
      if (isFirst) onBehind?.();
      if (signal?.aborted === true)
        throw new Error('Stopped after all plants; run the same command to continue', { cause: error });
    }
  }
}

/** The message of a service speaks of one request. */
function reasonOf(error: ServiceError): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

interface ChunkReport {
  readonly plants: number;
  readonly created: number;
}

async function copyChunk(chunk: readonly StoredPlant[], destination: Store): Promise<ChunkReport> {
  const outcomes = await destination.plants.import(chunk, { onConflict: 'fail', dryRun: false });
  const taken = chunk[outcomes.indexOf('taken')];
  if (taken !== undefined)
    throw new Error(`The destination got another plant with the id ${taken.id} during the copy: ${stopAdvice}`);
  return { plants: chunk.length, created: outcomes.filter((outcome) => outcome === 'created').length };
}

async function verifyCopy(source: Store, destination: Store): Promise<{ plants: number; checksum: string }> {
  const [wanted, found] = await Promise.all([digest(source), digest(destination)]);
  if (found.plants > wanted.plants)
    throw new Error(`The destination got ${found.plants - wanted.plants} other plants during the copy: ${stopAdvice}`);
  if (found.checksum !== wanted.checksum) throw new Error(`The copy differs from the source: ${stopAdvice}`);
  return wanted;
}

async function digest({ plants: store }: Store): Promise<{ plants: number; checksum: string }> {
  const hash = createHash('sha256');
  let plants = 0;
  for await (const chunk of store.snapshot({})) {
    hash.update(
      chunk.map((plant) => `${plant.id} ${toJson(plantFields.map((field) => plant[field] ?? null))}\n`).join(''),
    );
    plants += chunk.length;
  }
  return { plants, checksum: hash.digest('hex') };
}
