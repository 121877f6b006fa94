/** Random writes on a store and on the model at once. */
import assert from 'node:assert/strict';
import type { PlantStore } from '../../src/domain/store.ts';
import type { PlantModel, RandomWrite } from './plant-model.ts';

/** Calls all before any has resolved. The model is one write ahead each time, so that it knows the versions which conditions name. */
export async function writeTogether(
  writes: readonly RandomWrite[],
  model: PlantModel,
  plants: PlantStore,
): Promise<void> {
  const wanted: unknown[] = [];
  const calls = writes.map((write) => {
    const call = model.toCall(write)(plants);
    wanted.push(model.apply(write));
    return call;
  });
  const settled = await Promise.allSettled(calls);
  assert.deepEqual(settled.map(toOutcome), wanted);
}

/** The value, or the code of the refusal. */
export function toOutcome(settled: PromiseSettledResult<unknown>): unknown {
  if (settled.status === 'fulfilled') return settled.value;
  const reason: unknown = settled.reason;
  return reason instanceof Error && 'code' in reason ? reason.code : reason;
}
