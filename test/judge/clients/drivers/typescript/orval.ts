/** Calls the client that orval makes, with the mutator of fetcher.ts. */
import * as made from './client/made.js';
import { mode } from './fetcher.js';
import {
  asNumber,
  type Call,
  csv,
  filter,
  hook,
  ids,
  loop,
  lowest,
  ndjson,
  plants,
  rounded,
  toChanges,
  toCursor,
  toMembers,
  toPage,
  toText,
} from './loop.js';

type Convert = (id: bigint) => number;

/** A number that JSON.stringify writes as the digits of the id; as a text, too. */
function toRaw(id: bigint): number {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return rawJSON(String(id)) as number;
}

async function create(convert: Convert): Promise<string> {
  const texts: string[] = [];
  for (const { id, ...members } of plants) {
    const reply = await made.createPlant({ id: convert(id), ...members });
    texts.push(reply.status === 200 ? toMembers(reply.data) : String(reply.status));
  }
  return texts.join(', ');
}

async function get(convert: Convert): Promise<string> {
  const texts: string[] = [];
  for (const id of ids) {
    const reply = await made.getPlant(convert(id));
    texts.push(reply.status === 200 ? toText(reply.data) : String(reply.status));
  }
  return texts.join(', ');
}

async function list(): Promise<string> {
  const first = await made.listPlants({ limit: 2 });
  const second = await made.listPlants({ limit: 2, cursor: toCursor(first.headers.get('link')) });
  return [first, second].map((page) => (page.status === 200 ? toPage(page.data) : page.status)).join(' | ');
}

async function patch(convert: Convert): Promise<string> {
  const reply = await made.patchPlant(convert(rounded), { tag: null });
  return reply.status === 200 ? toText(reply.data) : String(reply.status);
}

async function remove(convert: Convert): Promise<string> {
  const { status } = await made.deletePlant(convert(rounded));
  return status === 204 ? 'deleted' : String(status);
}

async function batch(selection: number[] | { tag: string }): Promise<string> {
  const reply = await made.batchPlants({ action: 'setTag', plants: selection, tag: 'rare' });
  return 'data' in reply && reply.status === 200 ? `${reply.data.changed} changed` : String(reply.status);
}

async function exported(accept: string): Promise<string> {
  const reply = await made.exportPlants({}, { headers: { accept } });
  // For NDJSON its type has a stream, which the mutator would have to open.
  return (reply as { data: string }).data;
}

async function send(rows: string, type: string): Promise<string> {
  const reply = await made.importPlants(rows, {}, { headers: { 'Content-Type': type } });
  return reply.status === 200 ? `${reply.data.created} created` : String(reply.status);
}

async function changes(): Promise<string> {
  const reply = await made.listChanges({ limit: 3, order: 'desc' });
  return reply.status === 200 && typeof reply.data !== 'string' ? toChanges(reply.data) : String(reply.status);
}

async function webhook(): Promise<string> {
  const reply = await made.createWebhook(hook);
  return reply.status === 201
    ? `${reply.data.url} ${reply.data.enabled} ${reply.data.secret.slice(0, 6)}`
    : String(reply.status);
}

async function errors(convert: Convert): Promise<string> {
  const unknown = await made.getPlant(5);
  const taken = await made.createPlant({ id: convert(lowest), name: 'Other' });
  return `${unknown.status === 404 ? unknown.data.error : ''} ${taken.status === 409 ? taken.data.error : ''}`;
}

/** Both ways of a call, which differ in the ids that it gets and in the mutator. */
function both(how: string, plain: () => Promise<string>, other = plain): Call {
  const run = (isExact: boolean, call: () => Promise<string>): Promise<string> => {
    mode.isExact = isExact;
    return call();
  };
  return { plain: () => run(false, plain), other: () => run(true, other), how };
}

const received = 'a mutator that calls `parse`';
const sent = 'ids by `JSON.rawJSON`';
const undone = 'a mutator that undoes `JSON.stringify` of the body';
await loop({
  create: both(
    sent,
    () => create(Number),
    () => create(toRaw),
  ),
  get: both(
    `${received}; a \`bigint\` as id`,
    () => get(Number),
    () => get(asNumber),
  ),
  list: both(received, list),
  patch: both(
    `${received}; a \`bigint\` as id`,
    () => patch(Number),
    () => patch(asNumber),
  ),
  delete: both(
    'a `bigint` as id',
    () => remove(Number),
    () => remove(asNumber),
  ),
  'batch of ids': both(
    sent,
    () => batch(ids.map(Number)),
    () => batch(ids.map(toRaw)),
  ),
  'batch of a filter': both('', () => batch(filter)),
  'export CSV': both('', () => exported('text/csv')),
  'export NDJSON': both('', () => exported('application/x-ndjson')),
  'import CSV': both(undone, () => send(csv, 'text/csv')),
  'import NDJSON': both(undone, () => send(ndjson, 'application/x-ndjson')),
  changes: both(received, changes),
  webhook: both('', webhook),
  error: both(
    sent,
    () => errors(Number),
    () => errors(toRaw),
  ),
});
