/** The handlers of plants: each is one call of the store port. */
import type { NewPlant } from '../domain/schemas.ts';
import type { Store } from '../domain/store.ts';
import { type Answer, ok, toPlantJson } from './reply.ts';

const replayedHeaders = { 'idempotent-replayed': 'true' };

/** POST /plants: stores one plant and answers with it, less its id. */
export async function createPlant(plant: NewPlant, { plants }: Store): Promise<Answer> {
  const outcome = await plants.create(plant);
  return ok(toPlantJson(plant), outcome === 'replayed' ? replayedHeaders : undefined);
}
