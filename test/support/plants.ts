/** Plants for tests: ids that no other test uses, and one to store after whatever was done. What is on disk, read-plants.ts tells. */
import assert from 'node:assert/strict';
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
