/** Helpers for requests on single plants and on pages of plants. request.ts checks every response. */
import assert from 'node:assert/strict';
import type { StoredPlant } from '../../src/domain/schemas.ts';
import { toJson } from '../../src/json/to-json.ts';
import { request } from './request.ts';
import type { Target } from './request.ts';
import type { Reply } from './reply.ts';

export const mergePatch = 'application/merge-patch+json';

/** Header fields; undefined omits one. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The id may be any text; it is put into the path unchanged. */
export function get(target: Target, id: bigint | string, headers: Fields = {}): Promise<Reply> {
  return request(target, { path: `/plants/${id}`, headers });
}

/** @param plant text is sent unchanged. */
export function put(target: Target, id: bigint | string, plant: object | string, headers: Fields = {}): Promise<Reply> {
  return request(target, { method: 'PUT', path: `/plants/${id}`, body: toBody(plant), headers });
}

/** @param change text is sent unchanged. */
export function patch(
  target: Target,
  id: bigint | string,
  change: object | string,
  headers: Fields = {},
): Promise<Reply> {
  const path = `/plants/${id}`;
  return request(target, {
    method: 'PATCH',
    path,
    body: toBody(change),
    headers: { 'content-type': mergePatch, ...headers },
  });
}

export function remove(target: Target, id: bigint | string, headers: Fields = {}): Promise<Reply> {
  return request(target, { method: 'DELETE', path: `/plants/${id}`, headers });
}

/** Stores a plant unconditionally and returns its entity tag. */
export async function store(target: Target, { id, ...plant }: StoredPlant): Promise<string> {
  const { status, headers, text } = await put(target, id, plant);
  assert.ok(status === 200 || status === 201, text);
  return headers['etag'] ?? assert.fail('A stored plant has no entity tag');
}

/** Fails unless the response has this status and exactly this plant. */
export function assertStored(reply: Reply, status: number, { id, name, tag }: StoredPlant): void {
  assert.equal(reply.status, status, reply.text.slice(0, 300));
  assert.equal(reply.text, toJson(tag === undefined ? { id, name } : { id, name, tag }));
}

/** Returns the plants or tags of a page, with exact numbers. */
export function toRows<Row = StoredPlant>(reply: Reply): Row[] {
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
  const rows = reply.json() as unknown as Row[];
  // Parsed objects have no prototype; those of tests do.
  return rows.map((row) => ({ ...row }));
}

/** Returns the next page's path and query from the Link field; undefined if there is none. */
export function nextOf({ headers: { link }, resolve }: Reply): string | undefined {
  if (link === undefined) return undefined;
  // Relative to its own list: a proxy may have cut a prefix.
  const [, target] = /^<(\?[^>]+)>; rel="next"$/.exec(link) ?? assert.fail(`This is no link: ${link}`);
  return resolve(target);
}

/** Reads all rows of a list, page by page. Fails if a link leads back. */
export async function readAll<Row = StoredPlant>(target: Target, path: string): Promise<Row[]> {
  return (await readPages<Row>(target, path)).flat();
}

/** Reads all pages of a list. Fails if a link leads back. */
export async function readPages<Row = StoredPlant>(target: Target, path: string): Promise<Row[][]> {
  const pages: Row[][] = [];
  const seen = new Set<string>();
  for (let next: string | undefined = path; next !== undefined;) {
    assert.ok(!seen.has(next), `${next} leads back to itself`);
    seen.add(next);
    const reply: Reply = await request(target, { path: next });
    pages.push(toRows<Row>(reply));
    next = nextOf(reply);
  }
  return pages;
}

function toBody(value: object | string): string {
  return typeof value === 'string' ? value : toJson(value);
}
