/** Applies random writes to a store and to the model. */
import assert from 'node:assert/strict';
import type { PlantStore } from '../../src/domain/store.ts';
import type { PlantModel, RandomWrite } from './plant-model.ts';

/** Starts all calls before any resolves. The model is one write ahead, so that it knows the versions that conditions name. */
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

/** Returns the value, or the code of the refusal. */
export function toOutcome(settled: PromiseSettledResult<unknown>): unknown {
  return settled.status === 'fulfilled' ? settled.value : codeOf(settled.reason);
}

/** Returns the code of an error of the store. */
export function codeOf(reason: unknown): unknown {
  return reason instanceof Error && 'code' in reason ? reason.code : reason;
}
