/** Saves a form. A change made since is merged member by member; only members that both changed are left to the person. */
import {
  type PlantClient,
  type PlantField,
  plantFields,
  plantIdTaken,
  PlantStoreError,
  plantUnknown,
  type PlantVersion,
  type StoredPlant,
} from '../../../src/client/client.ts';
import { parseTypedId } from '../parse-id.ts';
import { type Draft, hasSuggestedId, mergeDraft, pickFields, toPlant, toVersion } from './plant-form.ts';

/** What the person decided about a conflict: create the deleted plant again, or whose value each colliding member gets. */
export type Resolution =
  | 'create'
  | { readonly stored: PlantVersion; readonly choices: Readonly<Partial<Record<PlantField, 'mine' | 'theirs'>>> };

export interface Saved {
  readonly plant: StoredPlant;
  readonly isNew: boolean;
  /** Members that the form does not change were changed since it was opened; those are kept. */
  readonly isMerged: boolean;
  /** To undo it: what it replaced, and the ETag that it led to. Absent if nothing was replaced. */
  readonly undo?: { readonly before: StoredPlant; readonly etag: string };
}

/** `deleted`: someone else deleted the plant. Otherwise what is stored now, with members that collide. */
export type Conflict = PlantVersion | 'deleted';

/** Other writers can be faster again and again; then the person is asked. */
const roundsMax = 5;

/**
 * Stores a new plant. An equal one that is stored already is someone else's, who was given the same number.
 * @param isUnsure an earlier try may have stored it: then an equal plant is this one.
 * @throws what `isTaken` recognises when its id is in use; what the client throws otherwise.
 */
export async function createPlant(
  client: Pick<PlantClient, 'create' | 'put'>,
  draft: Draft,
  isUnsure: boolean,
): Promise<Saved> {
  const id = parseTypedId(draft.id);
  if (id === undefined) throw new TypeError('Cannot save plant: it has no id');
  const plant = { id, ...toPlant(draft) };
  await (hasSuggestedId(draft) && !isUnsure ? client.put(id, plant, { createOnly: true }) : client.create(plant));
  return { plant, isNew: true, isMerged: false };
}

export async function savePlant(
  client: Pick<PlantClient, 'create' | 'get' | 'patch' | 'put'>,
  id: bigint,
  draft: Draft,
  resolution: Resolution | undefined,
): Promise<{ readonly saved: Saved } | { readonly conflict: Conflict }> {
  let stored = toVersion(id, draft);
  if (resolution === 'create') {
    try {
      return { saved: await createPlant(client, draft, true) };
    } catch (error) {
      if (!isTaken(error)) throw error;
      stored = undefined;
    }
  } else if (resolution !== undefined) stored = resolution.stored;

  for (let round = 0; round < roundsMax; round++) {
    stored ??= await client.get(id);
    if (stored === undefined) return { conflict: 'deleted' };
    const { plant: before, etag: ifMatch } = stored;
    const { patch, collisions } = mergeDraft(draft, before);
    const choices = typeof resolution === 'object' && resolution.stored === stored ? resolution.choices : {};
    if (collisions.some((member) => choices[member] === undefined)) return { conflict: stored };
    const mine = collisions.filter((member) => choices[member] === 'mine');
    const all = { ...patch, ...pickFields(toPlant(draft), mine) };
    const isMerged = hasTheirs(draft, before);
    if (Object.keys(all).length === 0) return { saved: { plant: before, isNew: false, isMerged } };
    try {
      const { plant, etag } = await client.patch(id, all, { ifMatch });
      return { saved: { plant, isNew: false, isMerged, undo: { before, etag } } };
    } catch (error) {
      if (!isChanged(error)) throw error;
    }
    stored = undefined;
  }
  throw new Error('The plant is changed elsewhere again and again. Try again.');
}

/** Whether a member was changed that the form does not change. */
function hasTheirs(draft: Draft, stored: StoredPlant): boolean {
  const mine = toPlant(draft);
  return plantFields.some((field) => mine[field] === draft.base?.[field] && stored[field] !== mine[field]);
}

/** Of what creates a plant: another one has its id. */
export function isTaken(error: unknown): boolean {
  return error instanceof PlantStoreError && (error.number === plantIdTaken || error.status === 412);
}

function isChanged(error: unknown): boolean {
  return error instanceof PlantStoreError && (error.status === 412 || error.number === plantUnknown);
}
