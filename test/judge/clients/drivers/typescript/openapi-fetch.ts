/** Calls the service with openapi-fetch, by the types of openapi-typescript. */
import createClient from 'openapi-fetch';
import type { paths } from './client/paths.js';
import {
  asNumber,
  authorization,
  csv,
  filter,
  highest,
  hook,
  ids,
  loop,
  lowest,
  ndjson,
  parse,
  plants,
  rounded,
  stringify,
  toChanges,
  toCursor,
  toMembers,
  toPage,
  toText,
  url,
} from './loop.js';

const client = createClient<paths>({ baseUrl: url, headers: { authorization } });
const exact = { bodySerializer: stringify };
const asText = { parseAs: 'text' as const };
type Convert = (id: bigint) => number;

async function create(convert: Convert, options = {}): Promise<string> {
  const texts: string[] = [];
  for (const { id, ...members } of plants) {
    const { data } = await client.POST('/plants', { body: { id: convert(id), ...members }, ...options });
    texts.push(data === undefined ? 'no plant' : toMembers(data));
  }
  return texts.join(', ');
}

async function get(convert: Convert, isExact: boolean): Promise<string> {
  const texts: string[] = [];
  for (const each of ids) {
    const params = { path: { id: convert(each) } };
    const { data } = isExact
      ? await client.GET('/plants/{id}', { params, ...asText })
      : await client.GET('/plants/{id}', { params });
    texts.push(toText(typeof data === 'string' ? parse(data) : data));
  }
  return texts.join(', ');
}

async function list(isExact: boolean): Promise<string> {
  const page = async (cursor?: string): Promise<[string, string | null]> => {
    const params = { query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } };
    const { data, response } = isExact
      ? await client.GET('/plants', { params, ...asText })
      : await client.GET('/plants', { params });
    return [toPage(typeof data === 'string' ? parse(data) : data), response.headers.get('link')];
  };
  const [first, link] = await page();
  const [second] = await page(toCursor(link));
  return `${first} | ${second}`;
}

async function patch(id: number, isExact: boolean): Promise<string> {
  const given = { params: { path: { id } }, body: { tag: null } };
  const { data } = isExact
    ? await client.PATCH('/plants/{id}', { ...given, ...asText })
    : await client.PATCH('/plants/{id}', given);
  return toText(typeof data === 'string' ? parse(data) : data);
}

async function remove(id: number): Promise<string> {
  const { response } = await client.DELETE('/plants/{id}', { params: { path: { id } } });
  return response.status === 204 ? 'deleted' : String(response.status);
}

async function batch(selection: number[] | { tag: string }, options = {}): Promise<string> {
  const body = { action: 'setTag' as const, plants: selection, tag: 'rare' };
  const { data } = await client.POST('/plants/batch', { body, ...options });
  // The type of the answer also has the lines of NDJSON.
  return typeof data === 'object' ? `${data.changed} changed` : 'no report';
}

async function read(accept: string, options = {}): Promise<string> {
  const { data } = await client.GET('/plants/export', { headers: { accept }, ...options });
  return data as unknown as string;
}

async function send(body: string, type: string, options = {}): Promise<string> {
  const { data } = await client.POST('/plants/import', { body, headers: { 'content-type': type }, ...options });
  return `${data?.created} created`;
}

async function changes(isExact: boolean): Promise<string> {
  const params = { query: { limit: 3, order: 'desc' as const } };
  const { data } = isExact
    ? await client.GET('/plants/changes', { params, ...asText })
    : await client.GET('/plants/changes', { params });
  return toChanges(typeof data === 'string' ? parse(data) : data);
}

async function webhook(): Promise<string> {
  const { data } = await client.POST('/webhooks', { body: hook });
  return `${data?.url} ${data?.enabled} ${data?.secret.slice(0, 6)}`;
}

async function errors(convert: Convert, options = {}): Promise<string> {
  const unknown = await client.GET('/plants/{id}', { params: { path: { id: 5 } }, ...options });
  const taken = await client.POST('/plants', { body: { id: convert(lowest), name: 'Other' }, ...options });
  return `${unknown.error?.error} ${taken.error?.error}`;
}

const sent = '`bodySerializer: stringify`';
const received = '`parse` and `parseAs: "text"`, a `bigint` as id';
const plainBody = { bodySerializer: (body: unknown) => String(body) };
await loop({
  create: { plain: () => create(Number), other: () => create(asNumber, exact), how: sent },
  get: { plain: () => get(Number, false), other: () => get(asNumber, true), how: received },
  list: { plain: () => list(false), other: () => list(true), how: received },
  patch: { plain: () => patch(Number(rounded), false), other: () => patch(asNumber(rounded), true), how: received },
  delete: { plain: () => remove(Number(rounded)), other: () => remove(asNumber(rounded)), how: 'a `bigint` as id' },
  'batch of ids': {
    plain: () => batch([lowest, rounded, highest].map(Number)),
    other: () => batch(ids.map(asNumber), exact),
    how: sent,
  },
  'batch of a filter': { plain: () => batch(filter) },
  'export CSV': { plain: () => read('text/csv'), other: () => read('text/csv', asText), how: '`parseAs: "text"`' },
  'export NDJSON': {
    plain: () => read('application/x-ndjson'),
    other: () => read('application/x-ndjson', asText),
    how: '`parseAs: "text"`',
  },
  'import CSV': {
    plain: () => send(csv, 'text/csv'),
    other: () => send(csv, 'text/csv', plainBody),
    how: '`bodySerializer: String`',
  },
  'import NDJSON': {
    plain: () => send(ndjson, 'application/x-ndjson'),
    other: () => send(ndjson, 'application/x-ndjson', plainBody),
    how: '`bodySerializer: String`',
  },
  changes: { plain: () => changes(false), other: () => changes(true), how: '`parse` and `parseAs: "text"`' },
  webhook: { plain: webhook },
  error: { plain: () => errors(Number), other: () => errors(asNumber, { ...exact, ...asText }), how: sent },
});
