/** Calls the client that @hey-api/openapi-ts makes. */
import { createClient } from './client/client/index.js';
import * as made from './client/sdk.gen.js';
import {
  asNumber,
  authorization,
  csv,
  filter,
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

const client = createClient({ baseUrl: url, headers: { authorization } });
const exact = { bodySerializer: stringify };
const asText = { parseAs: 'text' as const };
type Convert = (id: bigint) => number;

async function create(convert: Convert, options = {}): Promise<string> {
  const texts: string[] = [];
  for (const { id, ...members } of plants) {
    const { data } = await made.createPlant({ client, body: { id: convert(id), ...members }, ...options });
    texts.push(data === undefined ? 'no plant' : toMembers(data));
  }
  return texts.join(', ');
}

async function get(convert: Convert, options = {}): Promise<string> {
  const texts: string[] = [];
  for (const each of ids) {
    const { data } = await made.getPlant({ client, path: { id: convert(each) }, ...options });
    texts.push(toText(read(data)));
  }
  return texts.join(', ');
}

async function list(options = {}): Promise<string> {
  const first = await made.listPlants({ client, query: { limit: 2 }, ...options });
  const cursor = toCursor(first.response?.headers.get('link') ?? null);
  const second = await made.listPlants({ client, query: { limit: 2, cursor }, ...options });
  return `${toPage(read(first.data))} | ${toPage(read(second.data))}`;
}

/** A text is JSON that was not read yet. */
function read(data: unknown): any {
  return typeof data === 'string' ? parse(data) : data;
}

async function patch(id: number, options = {}): Promise<string> {
  const { data } = await made.patchPlant({ client, path: { id }, body: { tag: null }, ...options });
  return toText(read(data));
}

async function remove(id: number): Promise<string> {
  const { response } = await made.deletePlant({ client, path: { id } });
  return response?.status === 204 ? 'deleted' : String(response?.status);
}

async function batch(selection: number[] | { tag: string }, options = {}): Promise<string> {
  const { data } = await made.batchPlants({
    client,
    body: { action: 'setTag', plants: selection, tag: 'rare' },
    ...options,
  });
  return `${data?.changed} changed`;
}

async function exported(Accept: string, options = {}): Promise<string> {
  const { data } = await made.exportPlants({ client, headers: { Accept }, ...options });
  return data as unknown as string;
}

async function send(body: string, type: string, options = {}): Promise<string> {
  const { data } = await made.importPlants({ client, body, headers: { 'Content-Type': type }, ...options });
  return `${data?.created} created`;
}

async function changes(options = {}): Promise<string> {
  const { data } = await made.listChanges({ client, query: { limit: 3, order: 'desc' }, ...options });
  return toChanges(read(data));
}

async function webhook(): Promise<string> {
  const { data } = await made.createWebhook({ client, body: hook });
  return `${data?.url} ${data?.enabled} ${data?.secret.slice(0, 6)}`;
}

async function errors(convert: Convert, options = {}): Promise<string> {
  const unknown = await made.getPlant({ client, path: { id: 5 }, ...options });
  const taken = await made.createPlant({ client, body: { id: convert(lowest), name: 'Other' }, ...options });
  return `${unknown.error?.error} ${taken.error?.error}`;
}

const sent = '`bodySerializer: stringify`';
const received = '`parse` and `parseAs: "text"`, a `bigint` as id';
const plainBody = { bodySerializer: null };
await loop({
  create: { plain: () => create(Number), other: () => create(asNumber, exact), how: sent },
  get: { plain: () => get(Number), other: () => get(asNumber, asText), how: received },
  list: { plain: () => list(), other: () => list(asText), how: received },
  patch: { plain: () => patch(Number(rounded)), other: () => patch(asNumber(rounded), asText), how: received },
  delete: { plain: () => remove(Number(rounded)), other: () => remove(asNumber(rounded)), how: 'a `bigint` as id' },
  'batch of ids': { plain: () => batch(ids.map(Number)), other: () => batch(ids.map(asNumber), exact), how: sent },
  'batch of a filter': { plain: () => batch(filter) },
  'export CSV': {
    plain: () => exported('text/csv'),
    other: () => exported('text/csv', asText),
    how: '`parseAs: "text"`',
  },
  'export NDJSON': {
    plain: () => exported('application/x-ndjson'),
    other: () => exported('application/x-ndjson', asText),
    how: '`parseAs: "text"`',
  },
  'import CSV': {
    plain: () => send(csv, 'text/csv'),
    other: () => send(csv, 'text/csv', plainBody),
    how: '`bodySerializer: null`',
  },
  'import NDJSON': {
    plain: () => send(ndjson, 'application/x-ndjson'),
    other: () => send(ndjson, 'application/x-ndjson', plainBody),
    how: '`bodySerializer: null`',
  },
  changes: { plain: () => changes(), other: () => changes(asText), how: '`parse` and `parseAs: "text"`' },
  webhook: { plain: webhook },
  error: { plain: () => errors(Number), other: () => errors(asNumber, { ...exact, ...asText }), how: sent },
});
