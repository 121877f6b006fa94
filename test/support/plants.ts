/** Unique ids, and a check that the service still works. store-under-test.ts reads what is stored. */
import assert from 'node:assert/strict';
import { postPlant } from './request.ts';
import type { Target } from './request.ts';

let lastId = 1_000_000n;

/** Returns an id not used before in this process. */
export function nextId(): bigint {
  return ++lastId;
}

/** Stores a new plant: must succeed after anything a test did. */
export async function assertServes(target: Target): Promise<void> {
  const reply = await postPlant(target, { id: nextId(), name: 'still here' });
  assert.deepEqual([reply.status, reply.text], [200, '{"name":"still here"}']);
}
