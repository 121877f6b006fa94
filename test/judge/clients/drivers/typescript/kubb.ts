/** Calls the client that kubb makes. */
import kubbFetch, { type Client, type RequestConfig, type ResponseConfig } from '@kubb/plugin-client/clients/fetch';
import * as made from './client/index.js';
import {
  asNumber,
  authorization,
  type Call,
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

type Convert = (id: bigint) => number;
type Options = { client?: Client };

kubbFetch.setConfig({ baseURL: url, headers: { authorization, 'Content-Type': 'application/json' } });

/** Instead of that of kubb: exact ids, texts as they are, and an error for each status that is one. */
async function exactClient<Data, _Error, Variables>(config: RequestConfig<Variables>): Promise<ResponseConfig<Data>> {
  const address = new URL(url + (config.url ?? ''));
  for (const [name, value] of Object.entries(config.params ?? {})) address.searchParams.set(name, String(value));
  const headers = new Headers({
    'Content-Type': 'application/json',
    ...Object.fromEntries(Object.entries(config.headers ?? {})),
    authorization,
  });
  const isText = typeof config.data === 'string';
  const body = config.data === undefined ? {} : { body: isText ? String(config.data) : stringify(config.data) };
  const response = await fetch(address, { method: config.method ?? 'GET', headers, ...body });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const data = (isJson ? parse(text) : text) as Data;
  return { data, status: response.status, statusText: response.statusText, headers: response.headers };
}

async function create(convert: Convert, options: Options): Promise<string> {
  const texts: string[] = [];
  for (const { id, ...members } of plants) {
    const { data } = await made.createPlant({ id: convert(id), ...members }, options);
    texts.push(toMembers(data));
  }
  return texts.join(', ');
}

async function get(convert: Convert, options: Options): Promise<string> {
  const texts: string[] = [];
  for (const id of ids) texts.push(toText((await made.getPlant(convert(id), undefined, options)).data));
  return texts.join(', ');
}

async function list(_: Convert, options: Options): Promise<string> {
  const first = await made.listPlants({ limit: 2 }, options);
  const second = await made.listPlants({ limit: 2, cursor: toCursor(first.headers.get('link')) }, options);
  return `${toPage(first.data)} | ${toPage(second.data)}`;
}

async function patch(convert: Convert, options: Options): Promise<string> {
  return toText((await made.patchPlant(convert(rounded), { tag: null }, undefined, options)).data);
}

async function remove(convert: Convert, options: Options): Promise<string> {
  const { status } = await made.deletePlant(convert(rounded), undefined, options);
  return status === 204 ? 'deleted' : String(status);
}

async function batch(selection: number[] | { tag: string }, options: Options): Promise<string> {
  const { data } = await made.batchPlants({ action: 'setTag', plants: selection, tag: 'rare' }, options);
  return `${data.changed} changed`;
}

async function exported(Accept: string, options: Options): Promise<string> {
  return (await made.exportPlants({}, { headers: { Accept }, ...options })).data;
}

async function send(rows: string, type: string, options: Options): Promise<string> {
  const { data } = await made.importPlants(rows, {}, { headers: { 'Content-Type': type }, ...options });
  return `${data.created} created`;
}

async function changes(_: Convert, options: Options): Promise<string> {
  return toChanges((await made.listChanges({ limit: 3, order: 'desc' }, undefined, options)).data);
}

async function webhook(_: Convert, options: Options): Promise<string> {
  const { data } = await made.createWebhook(hook, options);
  return `${data.url} ${data.enabled} ${data.secret.slice(0, 6)}`;
}

/** The types of a reply say nothing of errors. */
async function errors(convert: Convert, options: Options): Promise<string> {
  const unknown = await made.getPlant(5, undefined, options);
  const taken = await made.createPlant({ id: convert(lowest), name: 'Other' }, options);
  return [unknown, taken].map(({ data }) => (data as unknown as { error: number }).error).join(' ');
}

/** Both ways of a call. */
function both(run: (convert: Convert, options: Options) => Promise<string>): Call {
  return {
    plain: () => run(Number, {}),
    other: () => run(asNumber, { client: exactClient }),
    how: 'a `client` of your own',
  };
}

await loop({
  create: both(create),
  get: both(get),
  list: both(list),
  patch: both(patch),
  delete: both(remove),
  'batch of ids': both((convert, options) => batch(ids.map(convert), options)),
  'batch of a filter': both((_, options) => batch(filter, options)),
  'export CSV': both((_, options) => exported('text/csv', options)),
  'export NDJSON': both((_, options) => exported('application/x-ndjson', options)),
  'import CSV': both((_, options) => send(csv, 'text/csv', options)),
  'import NDJSON': both((_, options) => send(ndjson, 'application/x-ndjson', options)),
  changes: both(changes),
  webhook: both(webhook),
  error: both(errors),
});
