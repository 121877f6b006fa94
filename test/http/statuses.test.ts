/**
 * Every documented status of every operation is provoked, or has a reason why it cannot be. The
 * table and the description are compared. The harness checks each response against the description.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Operation } from '../../src/contract/operations.ts';
import type { Scope } from '../../src/domain/principal.ts';
import { scopes } from '../../src/domain/principal.ts';
import { get, put, store } from '../support/one-plant.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { contract } from '../support/read-contract.ts';
import type { Reply } from '../support/reply.ts';
import { postPlant, request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import type { RequestOptions, Target } from '../support/request.ts';
import { startProcess } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import type { Service } from '../support/service-run.ts';
import { createToken } from '../support/tokens.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { until } from '../support/until.ts';

/** Fails or is slow on demand, so that deliveries wait or requests take their time. */
const receiver = await startReceiver({ after }, (_index, { path }, response) => {
  if (path === '/slow') setTimeout(() => response.writeHead(204).end(), 200);
  return path === '/slow' ? undefined : path === '/bad' ? 500 : 204;
});
const allowed = { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' };
const service = await startService({ after }, { env: allowed });
const impatient = await startService({ after }, { env: { PLANT_STORE_HEADERS_TIMEOUT: '500ms' } });
const limited = await startService({ after }, { env: { PLANT_STORE_RATE_LIMIT: '1/h' } });
/** A service whose queue a single waiting write fills. */
const narrow = await startService(
  { after },
  { env: { ...allowed, PLANT_STORE_QUEUE_WRITES_MAX: '1', LOG_LEVEL: 'info' } },
);
const stopping = await startProcess({ after });
const lackingTokens = new Map<Scope, string>();
for (const scope of scopes) {
  const others = scopes.filter((other) => other !== scope);
  lackingTokens.set(scope, (await createToken(service, others)).token);
}

/** A webhook with a delivery. */
interface Subscription {
  readonly webhookId: string;
  readonly deliveryId: string;
}

const failing = await subscribe(service, '/bad');
const failingOnNarrow = await subscribe(narrow, '/bad');
const slow = await subscribe(narrow, '/slow');
/** Bodies of operations that do not take a plant. */
const bodies: Readonly<Record<string, string>> = {
  createWebhook: JSON.stringify({ url: receiver.url, events: ['plant.deleted'] }),
  patchWebhook: '{"events":["plant.created"]}',
  batchPlants: '{"action":"delete","plants":[1]}',
  createToken: '{"name":"a","scopes":["plants:read"]}',
};

const operations = [...contract.operations.values()].filter(({ isPublic }) => !isPublic);
type Provoke = (operation: Operation) => Promise<Reply | undefined>;

/** Undefined stands for success, which may be one of several statuses. */
const provocations: Readonly<Record<number, Provoke>> = {
  201: (operation) => send(operation, { id: nextId() }),
  304: async (operation) => send(operation, { headers: { 'if-none-match': '*' } }),
  400: (operation) => send(operation, { query: '?access_token=x' }),
  401: (operation) => send(operation, { token: null }),
  403: (operation) => send(operation, { token: lackingTokens.get(operation.scope ?? 'plants:read') ?? '' }),
  404: (operation) =>
    operation.operationId === 'batchPlants'
      ? request(service, { path: operation.path, body: '{"action":"undo","undoes":"nobody"}' })
      : send(operation, { id: nextId() }),
  406: (operation) => send(operation, { headers: { accept: 'text/x-none' } }),
  408: async ({ method, path }) =>
    (await sendRaw(impatient, `${method} ${toAnyPath(path)} HTTP/1.1\r\nHost: plants\r\n`)).at(-1),
  409: async (operation) => {
    if (operation.operationId === 'createWebhook') return provokeFullWebhooks(operation);
    if (['batchPlants', 'importPlants'].includes(operation.operationId)) return provokeTakenGroup(operation);
    if (operation.operationId === 'retryDelivery')
      return send(operation, { subscription: await subscribe(service, '/ok') });
    const id = nextId();
    await store(service, { id, name: 'another' });
    return send(operation, { id });
  },
  410: (operation) => send(operation, { query: '?after=00000000-1&cursor=00000000-1' }),
  412: (operation) => send(operation, { headers: { 'if-match': '"another"' } }),
  413: async (operation) => {
    const { method, path } = operation;
    const head = `${method} ${toAnyPath(path)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\n`;
    const type = `Content-Type: ${operation.requestMediaTypes[0] ?? 'text/plain'}\r\n`;
    // Only chunk overhead of an import body is limited.
    return (await sendRaw(service, `${head}${type}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}`)).at(-1);
  },
  415: (operation) => send(operation, { headers: { 'content-type': 'text/x-none' } }),
  417: (operation) => send(operation, { headers: { expect: 'a miracle' } }),
  429: (operation) => send(operation, { target: limited, times: 2 }),
  431: (operation) => send(operation, { headers: { padding: 'x'.repeat(17_000) } }),
  503: (operation) => (operation.operationId === 'importPlants' ? provokeShutdown() : provokeBusyStore(operation)),
};

/** Statuses that requests alone cannot provoke. */
const reasons: readonly (readonly [status: number, of: (operation: Operation) => boolean, reason: string])[] = [
  [500, () => true, 'would be a defect of the service'],
  [
    503,
    ({ operationId }) =>
      ['getPlant', 'listTags', 'getHistory', 'listWebhooks', 'getWebhook', 'listDeliveries'].includes(operationId) ||
      ['listTokens', 'getOwnToken'].includes(operationId),
    'reading refuses nobody while the store is open, and the store is closed only after the last connection',
  ],
  [
    503,
    ({ operationId }) => operationId === 'listPlants',
    'needs more searches at once than one request: store/behaviour-plants.ts',
  ],
  [
    503,
    ({ operationId }) => operationId === 'listChanges',
    'needs more followers at once than a test can hold open: change-hub.test.ts',
  ],
  [
    503,
    ({ operationId }) => operationId === 'exportPlants',
    'needs more exports at once than a test on two cores can hold open: bulk-streams.deep.test.ts',
  ],
  [409, ({ operationId }) => operationId === 'createToken', 'needs 10,000 tokens: manage-tokens.test.ts'],
  [
    409,
    ({ operationId }) => ['rotateWebhookSecret', 'testWebhook'].includes(operationId),
    'needs a database, and no key: store/postgres/serve.test.ts',
  ],
];

interface Draft {
  /** Also of a webhook that does not exist. */
  readonly id?: bigint;
  readonly subscription?: Subscription;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
  readonly target?: Target;
  readonly times?: number;
}

/** Sends a valid request for the operation, changed by the draft. Stores the plant first, unless the draft has its own id. */
async function send(operation: Operation, draft: Draft = {}): Promise<Reply | undefined> {
  const { method, path, requestMediaTypes } = operation;
  const { target = service, query = '', headers = {}, times = 1 } = draft;
  const id = draft.id ?? nextId();
  if (draft.id === undefined && target === service && path.includes('{id}')) await store(service, { id, name: 'a' });
  const [mediaType] = requestMediaTypes;
  const { webhookId, deliveryId } = await findSubscription(operation, draft);
  const options: RequestOptions = {
    method,
    path:
      path
        .replace('{id}', String(id))
        .replace('{webhookId}', webhookId)
        .replace('{deliveryId}', deliveryId)
        .replace('{tokenId}', await findTokenId(operation, draft)) + query,
    ...(draft.token === undefined ? {} : { token: draft.token }),
    ...(mediaType === undefined
      ? { headers }
      : {
          headers: { 'content-type': mediaType, ...headers },
          body: bodies[operation.operationId] ?? `{"id":${id},"name":"b"}`,
        }),
  };
  let reply = await request(target, options);
  for (let round = 1; round < times; round++) reply = await request(target, options);
  return reply;
}

async function provokeBusyStore(operation: Operation): Promise<Reply | undefined> {
  const { operationId, path } = operation;
  for (let round = 0; round < 20; round++) {
    const subscription = operationId === 'testWebhook' ? slow : failingOnNarrow;
    const draft = operationId !== 'deleteWebhook' && path.includes('{webhookId}') ? { subscription } : { id: nextId() };
    const others = Array.from({ length: 50 }, () => postPlant(narrow, { id: nextId(), name: 'a' }));
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => send(operation, { id: nextId(), ...draft, target: narrow })),
    );
    await Promise.all(others);
    const refused = replies.find((reply) => reply?.status === 503);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** A batch that deletes a plant has taken the group. */
async function provokeTakenGroup(operation: Operation): Promise<Reply | undefined> {
  const id = nextId();
  await store(service, { id, name: 'a' });
  const toBody = (action: string): string => `{"action":"${action}","plants":[${id}],"group":"taken-${id}"}`;
  await request(service, { path: '/plants/batch', body: toBody('delete') });
  if (operation.operationId === 'importPlants') return send(operation, { query: `?group=taken-${id}` });
  return request(service, { path: operation.path, body: toBody('restore') });
}

/** Creates webhooks until there are too many; removes them. */
async function provokeFullWebhooks(operation: Operation): Promise<Reply | undefined> {
  const replies: (Reply | undefined)[] = [];
  do replies.push(await send(operation));
  while (replies.at(-1)?.status === 201 && replies.length < 200);
  for (const each of replies)
    if (each?.status === 201)
      await request(service, { method: 'DELETE', path: each.resolve(each.headers['location']) });
  return replies.at(-1);
}

/** Creates a webhook for a path of the receiver; resolves once it has a delivery. */
async function subscribe(target: Service, path: string): Promise<Subscription> {
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ url: new URL(path, receiver.url).href, events: ['plant.created'] });
  const reply = await sendUntil(201, () => request(target, { path: '/webhooks', headers: json, body }));
  const { id: webhookId, secret } = JSON.parse(reply.text) as { id: string; secret: string };
  target.addSecret(secret);
  const plant = { id: nextId(), name: 'a' };
  await sendUntil(200, () => postPlant(target, plant));
  const { id: deliveryId } = await until(async () => {
    const found = await request(target, { path: `/webhooks/${webhookId}/deliveries` });
    return (JSON.parse(found.text) as { id: string }[])[0];
  }, `${path} got a delivery`);
  return { webhookId, deliveryId };
}

/** A narrow queue may be full for a moment. */
function sendUntil(status: number, send: () => Promise<Reply>): Promise<Reply> {
  return until(async () => {
    const reply = await send();
    return reply.status === status && reply;
  }, `a reply has ${status}`);
}

async function findSubscription({ operationId, path }: Operation, draft: Draft): Promise<Subscription> {
  if (draft.subscription !== undefined) return draft.subscription;
  if (draft.id !== undefined || !path.includes('{webhookId}')) return { webhookId: 'absent', deliveryId: 'absent' };
  return operationId === 'deleteWebhook' ? subscribe(service, '/ok') : failing;
}

/** The id of a token that may be revoked; of none if the draft is of what does not exist. */
async function findTokenId({ path }: Operation, { id, target }: Draft): Promise<string> {
  if (!path.includes('{tokenId}') || id !== undefined || target !== undefined) return 'absent';
  return (await createToken(service, ['plants:read'])).id;
}

function toAnyPath(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '7');
}

/** An import waits for a busy store; a shutdown refuses it. */
async function provokeShutdown(): Promise<Reply | undefined> {
  const head = `POST /plants/import HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${stopping.token}\r\n`;
  const framing = 'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n';
  const drain = async (): Promise<void> => {
    stopping.signal('SIGTERM');
    await stopping.findLog(({ msg }) => msg === 'Draining');
  };
  const replies = await sendRaw(stopping, [
    `${head}${framing}1a\r\n`,
    drain,
    '{"id":1,"name":"too late"}\r\n0\r\n\r\n',
  ]);
  return replies.at(-1);
}

for (const operation of operations) {
  const { operationId, statuses } = operation;
  describe(operationId, () => {
    for (const status of statuses) {
      if (reasons.some(([of, matches]) => of === status && matches(operation))) continue;
      it(`answers ${status}`, async () => {
        const provoke = provocations[status] ?? send;
        const reply = await provoke(operation);
        assert.ok(reply !== undefined, 'there is an answer');
        assert.equal(reply.status, status, reply.text);
        if (status >= 400) assert.equal(Math.floor((reply.number ?? 0) / 100), status);
      });
    }
  });
}

describe('the table', () => {
  it('has no unused reason', () => {
    for (const [status, matches, reason] of reasons) {
      const excused = operations.filter(matches);
      assert.ok(excused.length > 0 && excused.every(({ statuses }) => statuses.includes(status)), reason);
    }
  });

  it('left the services working', async () => {
    await assertServes(service);
    // Noting when a token was used can take the only place in the queue for a moment.
    let reply = await postPlant(narrow, { id: nextId(), name: 'a' });
    for (let attempt = 1; reply.status === 503 && attempt < 20; attempt++)
      reply = await postPlant(narrow, { id: nextId(), name: 'a' });
    assert.equal(reply.status, 200);
    const id = nextId();
    assert.equal((await put(service, id, { name: 'a' })).status, 201);
    assert.equal((await get(service, id)).status, 200);
  });
});
