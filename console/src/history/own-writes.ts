/** Knows which changes in the log this page made itself: they are no news. */
import {
  type Batch,
  type BatchOptions,
  type Change,
  type ImportOptions,
  type ImportSource,
  PlantClient,
  type StoredPlant,
} from '../../../src/client/client.ts';
import { importPrefix, makeGroup } from '../../../src/client/make-group.ts';
import { applyPatch, areEqual } from '../../../src/domain/plant.ts';
import { announce, type LoggedChange } from '../copy/changes.ts';

interface Write {
  readonly id: bigint;
  /** Whether the write leads to this plant; undefined: deleted. */
  readonly leadsTo: (plant: StoredPlant | undefined) => boolean;
  /** Infinity until its response is there. */
  expiresAt: number;
}

/** How long after its response a write is expected in the log, in milliseconds. */
const expiryMs = 60_000;

/** Batches to remember: one runs at a time. */
const groupsMax = 100;

const writes = new Set<Write>();
/** Of the newest batches of this page, and whether everything is read again at the end. */
const groups = new Map<string, boolean>();
/** Batches and imports that run now. */
let running = 0;

/** Whether a batch or an import runs, at whose end everything is read again. */
export function isReadAgainSoon(): boolean {
  return running > 0;
}

/**
 * Whether this page made the change. Each write accounts for one change; a batch or an import for those of its group: everything
 * is read again after these.
 */
export function claimOwn(change: Change): LoggedChange {
  const { id, plant, group } = change;
  const now = Date.now();
  const isReadAgain = group === undefined ? undefined : groups.get(group);
  let isOwn = isReadAgain !== undefined;
  let isOutdated = isReadAgain === true;
  let isClaimed = false;
  for (const write of writes) {
    if (write.expiresAt < now) writes.delete(write);
    else if (write.id !== id) continue;
    else if (!isClaimed && write.leadsTo(plant)) {
      isOwn = isClaimed = writes.delete(write);
      // It is announced with its response.
      isOutdated ||= write.expiresAt === Infinity;
    }
    // A later write that is stored follows in the log.
    else if (isClaimed && write.expiresAt !== Infinity) isOutdated = true;
  }
  return { ...change, isOwn, isOutdated };
}

/** Call for a batch that a page before this one has sent: its changes are shown as they come. */
export function claimGroup(group: string): void {
  keepGroup(group, false);
}

function keepGroup(group: string, isReadAgain: boolean): void {
  groups.set(group, isReadAgain);
  for (const oldest of groups.keys()) if (groups.size > groupsMax) groups.delete(oldest);
}

/** A client that remembers what it writes. The change may arrive before the response, so it is remembered before it is sent. */
export class OwnClient extends PlantClient {
  override async create(...args: Parameters<PlantClient['create']>) {
    const [wanted] = args;
    const write = remember(wanted.id, (plant) => plant !== undefined && areEqual(plant, wanted));
    return settle(write, super.create(...args), ({ replayed }) => !replayed);
  }

  override async put(...args: Parameters<PlantClient['put']>) {
    const [id, wanted] = args;
    const write = remember(id, (plant) => plant !== undefined && areEqual(plant, wanted));
    return settle(write, super.put(...args), ({ outcome }) => outcome !== 'unchanged');
  }

  override async patch(...args: Parameters<PlantClient['patch']>) {
    const [id, patch] = args;
    const write = remember(id, (plant) => plant !== undefined && areEqual(plant, applyPatch(plant, patch)));
    return settle(write, super.patch(...args));
  }

  override async delete(...args: Parameters<PlantClient['delete']>) {
    const write = remember(args[0], (plant) => plant === undefined);
    return settle(write, super.delete(...args), (isDeleted) => isDeleted);
  }

  override async batch(batch: Batch, options?: BatchOptions) {
    const group = batch.group ?? makeGroup();
    return claim(group, super.batch({ ...batch, group }, options));
  }

  override async import(source: ImportSource, options: ImportOptions) {
    const group = options.group ?? makeGroup(importPrefix);
    return claim(group, super.import(source, { ...options, group }));
  }
}

async function claim<Result>(group: string, result: Promise<Result>): Promise<Result> {
  keepGroup(group, true);
  running++;
  try {
    return await result;
  } catch (error) {
    // It may go on.
    claimGroup(group);
    throw error;
  } finally {
    running--;
  }
}

function remember(id: bigint, leadsTo: Write['leadsTo']): Write {
  const write = { id, leadsTo, expiresAt: Infinity };
  writes.add(write);
  return write;
}

/** Forgets the write if it changed nothing. */
async function settle<Result>(
  write: Write,
  running: Promise<Result>,
  hasWritten: (result: Result) => boolean = () => true,
): Promise<Result> {
  try {
    const result = await running;
    if (!hasWritten(result)) writes.delete(write);
    return result;
  } catch (error) {
    // It may be stored although the response was lost: then its change is news, even if it has come already.
    if (!writes.delete(write)) announce({ kind: 'many' });
    throw error;
  } finally {
    write.expiresAt = Date.now() + expiryMs;
  }
}
