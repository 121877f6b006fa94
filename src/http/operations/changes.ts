/** Handlers of the change log: pages, long polls, server-sent events, the history of a plant. */
import { setImmediate } from 'node:timers/promises';
import type { Change, ChangePage, ChangeFilter } from '../../domain/change-log.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import { toJson } from '../../json/to-json.ts';
import type { Space } from '../space.ts';
import { ok, type Reply, securityHeaders, toTime } from '../wire/reply.ts';
import type { ContentStream } from '../wire/send-stream.ts';
import type { Call } from './call.ts';
import type { ChangeHub, FollowOptions } from '../../feed/change-hub.ts';
import { linkToNext, toPage, writeRows } from './paging.ts';

const eventStream = 'text/event-stream';
/** Time after which a silent stream sends its position: nobody takes the connection for dead. */
const heartbeatMs = 15_000;
/** Plants whose newest change is read at once: they have texts. */
const newestMax = 100;
/** Changes that are taken together. */
const eventsMax = 500;
/** Length of the chunks to send, in UTF-16 units: bounds the memory of many streams. */
const chunkLength = 65_536;
const changeFormat = { toRowJson: toChangeJson, toCursor: ({ position }: Change) => position };
/** When a client should connect again: usually, and after a shutdown. */
const retry = { usual: 'retry: 3000\n\n', atShutdown: 'retry: 1000\n\n' } as const;

/**
 * GET /plants/changes: a page, or a stream if the client prefers one.
 * @param shutdown does not wait for the readers of streams, which do not end by themselves.
 */
export async function listChanges(
  call: Call<'listChanges'>,
  { changes }: Store,
  { hub }: Space,
  shutdown: AbortSignal,
): Promise<Reply> {
  const { parameters, mediaType, principal, client } = call;
  const { isHead } = client;
  const { limit, order, wait, newest = false, lastEventID, ...query } = parameters;
  const { after: given, id: ids, kind, tag, exceptGroup: exceptGroups } = query;
  const filter: ChangeFilter = { ids, tag, kinds: kind === undefined ? undefined : [kind], exceptGroups };
  const isStream = mediaType === eventStream;
  const position = isStream ? (lastEventID ?? given) : given;
  // In descending order, `now` does not exclude any change.
  const now = async (): Promise<string | undefined> =>
    order === 'desc' && !isStream ? undefined : await changes.latest();
  const after = position === 'now' ? await now() : position;
  // For a stream, this read only checks the position, before the head is sent.
  const start = isStream ? ({ order: 'asc', limit: 1 } as const) : { order, limit, newest };
  const first = await changes.read({ ...filter, after, ...start });
  if (isStream) {
    hub.requirePlace(principal.limitKey);
    // nginx would otherwise keep events back until its buffer is full.
    const headers = { ...securityHeaders, 'content-type': eventStream, vary: 'Accept', 'x-accel-buffering': 'no' };
    if (isHead) return { status: 200, headers };
    return { status: 200, headers, stream: toEvents(first, call, filter, hub), end: shutdown };
  }
  const canWait = first.changes.length === 0 && wait > 0 && order === 'asc' && !isHead;
  const page = canWait ? await waitForChange(first, call, filter, hub) : first;
  // With ids, the first read returned the newest changes already.
  const isKept = newest && (ids === undefined || page !== first);
  const wanted = isKept ? await keepNewest(page.changes, changes) : page.changes;
  const { json, count } = await writeRows(wanted, toChangeJson);
  const isCut = count < wanted.length;
  const next = (isCut ? wanted[count - 1]?.position : undefined) ?? page.next;
  const isLast = order === 'desc' && !isCut && !page.hasMore;
  const link = isLast ? {} : linkToNext({ ...query, ...(newest ? { newest } : {}), limit, order, wait, after: next });
  return ok(json, { ...link, ...(await countPlants(exceptGroups, changes)), vary: 'Accept' });
}

/** Counts one group after the other: each may have a million plants. */
async function countPlants(groups: readonly string[] = [], changes: Store['changes']): Promise<Reply['headers']> {
  const counts: number[] = [];
  for (const group of groups) counts.push(await changes.plantsIn(group));
  return counts.length === 0 ? {} : { 'group-plants': counts.join(', ') };
}

/** Keeps the changes that are still the newest of their plant. */
async function keepNewest(found: readonly Change[], changes: Store['changes']): Promise<readonly Change[]> {
  const positions = new Set<string>();
  for (let from = 0; from < found.length; from += newestMax) {
    const ids = new Set(found.slice(from, from + newestMax).map(({ id }) => id));
    for (const { position } of await changes.newest([...ids])) positions.add(position);
    // Other requests proceed.
    await setImmediate();
  }
  return found.filter(({ position }) => positions.has(position));
}

/** GET /plants/{id}/history: the changes of one plant, newest first. */
export async function getHistory({ parameters }: Call<'getHistory'>, { changes, plants }: Store): Promise<Reply> {
  const { id, limit, cursor } = parameters;
  const found = await changes.history(id, limit + 1, cursor);
  if (found.length === 0 && cursor === undefined && (await plants.find(id)) === undefined)
    throw new ServiceError('plant_unknown');
  return toPage(found, { limit }, changeFormat);
}

/** Resolves to the next page with changes; to an empty one if it is late or the client gone. */
async function waitForChange(
  first: ChangePage,
  call: Call<'listChanges'>,
  filter: ChangeFilter,
  hub: ChangeHub,
): Promise<ChangePage> {
  hub.requirePlace(call.principal.limitKey);
  const { limit, wait } = call.parameters;
  for await (const page of follow(first.next, { filter, limit, patienceMs: wait * 1_000 }, call, hub)) return page;
  return first;
}

async function* toEvents(
  first: ChangePage,
  call: Call<'listChanges'>,
  filter: ChangeFilter,
  hub: ChangeHub,
): ContentStream {
  yield retry.usual + first.changes.map(toEvent).join('');
  const options = { filter, limit: eventsMax, patienceMs: heartbeatMs };
  for await (const { changes, next } of follow(first.next, options, call, hub)) {
    if (changes.length === 0) yield `id: ${next}\n\n`;
    else yield* toChunks(changes);
  }
  yield retry.atShutdown;
  return {};
}

/** Calls `ChangeHub.follow` for the client of the call. */
function follow(
  start: string,
  options: Pick<FollowOptions, 'filter' | 'limit' | 'patienceMs'>,
  { client, principal }: Call<'listChanges'>,
  hub: ChangeHub,
): ReturnType<ChangeHub['follow']> {
  const { authorization = '' } = client.headers;
  const { limitKey } = principal;
  return hub.follow(start, {
    ...options,
    authorization,
    limitKey,
    isAllowed: () => client.isAllowed(),
    onGone: (listener) => client.onGone(listener),
    onHalfClosed: (listener) => client.onHalfClosed(listener),
  });
}

function* toChunks(changes: readonly Change[]): Generator<string> {
  let text = '';
  for (const change of changes) {
    text += toEvent(change);
    if (text.length < chunkLength) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function toEvent(change: Change): string {
  return `event: plant.${change.kind}\nid: ${change.position}\ndata: ${toChangeJson(change)}\n\n`;
}

/** The Change shape. */
function toChangeJson({ position, at, kind, id, plant, before, by, group }: Change): string {
  return toJson({ position, at: toTime(at), kind, id, plant, before, by, group });
}
