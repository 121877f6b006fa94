/**
 * Handlers of plants and their tags, each one call of the store port, and plants as JSON. Import,
 * export and batch are separate.
 */
import { ServiceError } from '../../domain/errors.ts';
import { pickPatch, pickPlant, plantFields } from '../../domain/plant.ts';
import type { Plant, StoredPlant, TagCount } from '../../domain/schemas.ts';
import type { Condition, Store } from '../../domain/store.ts';
import { escapeUnsafe, toJson } from '../../json/to-json.ts';
import { noContent, notModified, ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { readIdCursor, readTextCursor, toIdCursor, toPage, toTextCursor } from './paging.ts';

const plantFormat = { toRowJson, toCursor: ({ id }: StoredPlant) => toIdCursor(id) };
const replayedHeaders = { 'idempotent-replayed': 'true' };

/** POST /plants: stores one plant and returns it without its id. */
export async function createPlant({ body, principal }: Call<'createPlant'>, { plants }: Store): Promise<Reply> {
  const outcome = await plants.create(pickPlant(body.id, body), principal.tokenId);
  return ok(toPlantJson(body), outcome === 'replayed' ? replayedHeaders : undefined);
}

/** GET /plants: one page in the order of ids, and the link to the next. */
export async function listPlants({ parameters }: Call<'listPlants'>, { plants }: Store): Promise<Reply> {
  const { limit, cursor, ...wanted } = parameters;
  const after = cursor === undefined ? undefined : readIdCursor(cursor);
  const { plants: found, next } = await plants.list({ ...wanted, after, limit: limit + 1 });
  // Links name what is not the default.
  const order = parameters.order === 'asc' ? undefined : parameters.order;
  const untagged = parameters.untagged === true ? true : undefined;
  const rest = next?.after === undefined ? undefined : toIdCursor(next.after);
  return toPage(found, { ...parameters, order, untagged }, plantFormat, { rest });
}

/** GET /plants/{id}: one plant and its version. */
export async function getPlant({ parameters }: Call<'getPlant'>, { plants }: Store): Promise<Reply> {
  const plant = await plants.find(parameters.id);
  if (plant === undefined) throw new ServiceError('plant_unknown');
  const version = plants.versionOf(plant);
  const { ifMatch, ifNoneMatch } = toCondition(parameters);
  if (ifMatch !== undefined && ifMatch !== '*' && !ifMatch.includes(version))
    throw new ServiceError('precondition_failed');
  if (ifNoneMatch === '*' || ifNoneMatch?.includes(version) === true) return notModified(toEtag(version));
  return ok(toStoredPlantJson(plant), toEtag(version));
}

/** PUT /plants/{id}: creates or replaces the plant. */
export async function putPlant({ parameters, body, principal }: Call<'putPlant'>, { plants }: Store): Promise<Reply> {
  const plant = pickPlant(parameters.id, body);
  const outcome = await plants.put(plant, toCondition(parameters), principal.tokenId);
  const etag = toEtag(plants.versionOf(plant));
  const json = toStoredPlantJson(plant);
  if (outcome === 'created') return { ...ok(json, { ...etag, location: `../plants/${parameters.id}` }), status: 201 };
  return ok(json, outcome === 'unchanged' ? { ...etag, ...replayedHeaders } : etag);
}

/** PATCH /plants/{id}: updates the given fields (RFC 7396). */
export async function patchPlant(
  { parameters, body, principal }: Call<'patchPlant'>,
  { plants }: Store,
): Promise<Reply> {
  const plant = await plants.patch(parameters.id, pickPatch(body), toCondition(parameters), principal.tokenId);
  return ok(toStoredPlantJson(plant), toEtag(plants.versionOf(plant)));
}

/** DELETE /plants/{id}: deletes the plant. */
export async function deletePlant({ parameters, principal }: Call<'deletePlant'>, { plants }: Store): Promise<Reply> {
  await plants.delete(parameters.id, toCondition(parameters), principal.tokenId);
  return noContent();
}

/** GET /tags: the tags in use, ascending, with their numbers of plants. */
export async function listTags({ parameters }: Call<'listTags'>, { plants }: Store): Promise<Reply> {
  const { limit, cursor, ...filter } = parameters;
  const { prefix = '' } = filter;
  // The prefix is in the link once: twice may be more than a request can hold.
  const after = cursor === undefined ? undefined : prefix + readTextCursor(cursor);
  const { tags, stored } = await plants.listTags({ ...filter, after, limit: limit + 1 });
  const format = {
    toRowJson: ({ tag, plants: count }: TagCount) => toJson({ tag, plants: count }),
    toCursor: ({ tag }: TagCount) => toTextCursor(tag.slice(prefix.length)),
  };
  return toPage(tags, { ...parameters }, format, { headers: { 'plants-stored': String(stored) } });
}

/** Entity tags -> versions. If-Match compares strongly: no weak tag matches (RFC 9110, 13.1.1). */
function toCondition({ ifMatch, ifNoneMatch }: Condition): Condition {
  return {
    ifMatch: toVersions(typeof ifMatch === 'object' ? ifMatch.filter(isStrong) : ifMatch),
    ifNoneMatch: toVersions(ifNoneMatch),
  };
}

function toVersions(tags: Condition['ifMatch']): Condition['ifMatch'] {
  return typeof tags === 'object' ? tags.map((tag) => tag.replace(/^W\//, '').slice(1, -1)) : tags;
}

function isStrong(tag: string): boolean {
  return tag.startsWith('"');
}

function toEtag(version: string): { readonly etag: string } {
  return { etag: `"${version}"` };
}

/** The StoredPlant shape. Hand-written, since ids exceed a double. */
export function toStoredPlantJson(plant: StoredPlant): string {
  return escapeUnsafe(toRowJson(plant));
}

/**
 * Does what `toStoredPlantJson` does, but leaves the escapes to the caller, who escapes many rows
 * at once.
 */
function toRowJson(plant: StoredPlant): string {
  return `{"id":${plant.id}${toMembers(plant)}}`;
}

/** The Plant shape: no id. */
function toPlantJson(plant: Plant): string {
  return escapeUnsafe(`{${toMembers(plant).slice(1)}}`);
}

const members = plantFields.map((field) => ({ field, head: `,${JSON.stringify(field)}:` }));

/** The fields that the plant has, each after a comma. */
function toMembers(plant: Plant): string {
  let json = '';
  for (const { field, head } of members) {
    const value: unknown = plant[field];
    if (value === undefined || value === null) continue;
    json += head + (typeof value === 'string' ? JSON.stringify(value) : toJson(value));
  }
  return json;
}
