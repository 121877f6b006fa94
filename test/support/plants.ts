/** Plants for tests: ids that no other test uses, and what is really in the database file. Requests are request.ts's matter. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { postPlant } from './request.ts';
import type { Target } from './request.ts';

let lastId = 1_000_000n;

/** An id that this process has not handed out yet. */
export function nextId(): bigint {
  return ++lastId;
}

/** Stores a plant of its own: whatever a test did to the service, this must still go well. */
export async function assertServes(target: Target): Promise<void> {
  const reply = await postPlant(target, { id: nextId(), name: 'still here' });
  assert.deepEqual([reply.status, reply.text], [200, '{"name":"still here"}']);
}

/** Every stored plant by its id, read past the service out of its file; the service may run. */
export function readPlants(dataDir: string): Map<bigint, NewPlant> {
  const db = new DatabaseSync(join(dataDir, 'plants.db'), { readOnly: true, readBigInts: true });
  try {
    const rows = db.prepare('SELECT id, name, tag FROM plants').all() as unknown as Row[];
    return new Map(rows.map(({ id, name, tag }) => [id, tag === null ? { id, name } : { id, name, tag }]));
  } finally {
    db.close();
  }
}

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}
