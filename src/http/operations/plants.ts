/** The handlers of plants: each is one call of the store port. Bodies and parameters arrive parsed; bulk is in files of its own. */
import type {
  DeletePlantParameters,
  GetPlantParameters,
  ListPlantsParameters,
  NewPlant,
  PatchPlantParameters,
  Plant,
  PlantPatch,
  PutPlantParameters,
  StoredPlant,
} from '../../domain/schemas.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Condition, PlantStore } from '../../domain/store.ts';
import { linkToNext, readIdCursor, toIdCursor } from './paging.ts';
import { type Answer, noContent, notModified, ok, toPlantJson, toStoredPlantJson } from '../wire/reply.ts';

const replayedHeaders = { 'idempotent-replayed': 'true' };

/** POST /plants: stores one plant and answers with it, less its id. */
export async function createPlant(plant: NewPlant, plants: PlantStore): Promise<Answer> {
  const outcome = await plants.create(plant);
  return ok(toPlantJson(plant), outcome === 'replayed' ? replayedHeaders : undefined);
}

/** GET /plants: one page in ascending order of id, and the link to the next. */
export async function listPlants(query: ListPlantsParameters, plants: PlantStore, path: string): Promise<Answer> {
  const { limit, cursor, tag, name } = query;
  // One row more than asked for tells whether there is a next page.
  const found = await plants.list({
    limit: limit + 1,
    ...(cursor === undefined ? {} : { after: readIdCursor(cursor) }),
    ...(tag === undefined ? {} : { tag }),
    ...(name === undefined ? {} : { namePrefix: name }),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const link = found.length > limit && last !== undefined ? linkToNext(path, query, toIdCursor(last.id)) : {};
  return ok(`[${page.map(toStoredPlantJson).join(',')}]`, link);
}

/** GET /plants/{id}: one plant and its version. */
export async function getPlant({ id, ifNoneMatch }: GetPlantParameters, plants: PlantStore): Promise<Answer> {
  const plant = await plants.find(id);
  if (plant === undefined) throw new ServiceError('plant_unknown');
  const version = plants.versionOf(plant);
  const known = ifNoneMatch === undefined ? undefined : toVersions(ifNoneMatch);
  if (known === '*' || known?.includes(version) === true) return notModified(toEtag(version));
  return ok(toStoredPlantJson(plant), toEtag(version));
}

/** PUT /plants/{id}: stores the plant, whether its id is stored already or not. */
export async function putPlant(
  { id, ...condition }: PutPlantParameters,
  { name, tag }: Plant,
  plants: PlantStore,
  path: string,
): Promise<Answer> {
  const plant: StoredPlant = tag === undefined ? { id, name } : { id, name, tag };
  const outcome = await plants.put(plant, toCondition(condition));
  const etag = toEtag(plants.versionOf(plant));
  const json = toStoredPlantJson(plant);
  if (outcome === 'created') return { ...ok(json, { ...etag, location: `${path}/${id}` }), status: 201 };
  return ok(json, outcome === 'unchanged' ? { ...etag, ...replayedHeaders } : etag);
}

/** PATCH /plants/{id}: changes the members that the patch names (RFC 7396). */
export async function patchPlant(
  { id, ...condition }: PatchPlantParameters,
  patch: PlantPatch,
  plants: PlantStore,
): Promise<Answer> {
  const plant = await plants.patch(id, patch, toCondition(condition));
  return ok(toStoredPlantJson(plant), toEtag(plants.versionOf(plant)));
}

/** DELETE /plants/{id}: removes the plant. */
export async function deletePlant({ id, ...condition }: DeletePlantParameters, plants: PlantStore): Promise<Answer> {
  await plants.delete(id, toCondition(condition));
  return noContent();
}

type VersionList = '*' | readonly string[];

/** Entity tags to versions: If-Match compares strongly, so a weak tag fits nothing there (RFC 9110, section 13.1.1). */
function toCondition({ ifMatch, ifNoneMatch }: { ifMatch?: VersionList; ifNoneMatch?: VersionList }): Condition {
  return {
    ...(ifMatch === undefined ? {} : { ifMatch: toVersions(ifMatch === '*' ? '*' : ifMatch.filter(isStrong)) }),
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch: toVersions(ifNoneMatch) }),
  };
}

function toVersions(tags: VersionList): VersionList {
  return tags === '*' ? '*' : tags.map((tag) => tag.replace(/^W\//, '').slice(1, -1));
}

function isStrong(tag: string): boolean {
  return tag.startsWith('"');
}

function toEtag(version: string): { readonly etag: string } {
  return { etag: `"${version}"` };
}
