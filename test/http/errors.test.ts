/**
 * Every error that can be provoked from outside, with its permanent number. The table and the
 * registry are compared, so that every error is covered.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { errors } from '../../src/domain/error-registry.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import type { Reply } from '../support/reply.ts';
import { postPlant, request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import { startProcess } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const service = await startService({ after });
/** With lower limits than the other service. */
const strict = await startService(
  { after },
  {
    env: {
      PLANT_STORE_RATE_LIMIT: '1/h',
      PLANT_STORE_HEADERS_TIMEOUT: '500ms',
      PLANT_STORE_REQUEST_TIMEOUT: '500ms',
    },
  },
);
/** A test ends it. Its time-outs are long: a busy machine ends it late. */
const stopping = await startProcess({ after });
/** A service whose queue a single waiting write fills. */
const narrow = await startService({ after }, { env: { PLANT_STORE_QUEUE_WRITES_MAX: '1' } });
const reader = await createToken(service, ['plants:read']);

type Provoke = () => Promise<Reply | undefined>;
const { raw } = String;
const send = (body: string): Provoke => {
  return () => request(service, { body });
};
const ask = (options: Parameters<typeof request>[1]): Provoke => {
  return () => request(service, { body: '{"id":1,"name":"a"}', ...options });
};

const scenarios: readonly (readonly [code: ErrorCode, number: number, provoke: Provoke])[] = [
  ['request_malformed', 40001, async () => (await sendRaw(service, 'GET / HTTP/1.1\r\n\r\n')).at(-1)],
  ['credentials_misplaced', 40002, ask({ path: '/plants?access_token=x' })],
  ['body_missing', 40003, send('')],
  ['body_not_utf8', 40004, () => request(service, { body: Buffer.from('{"id":1,"name":"\xe9"}', 'latin1') })],
  ['json_malformed', 40005, send('{"id":1,}')],
  ['json_member_duplicate', 40006, send(raw`{"id":1,"\u0069d":2,"name":"a"}`)],
  ['json_surrogate_unpaired', 40007, send(raw`{"id":1,"name":"\ud83c"}`)],
  ['json_too_deep', 40008, send(`{"id":1,"name":"a","x":${'['.repeat(32)}${']'.repeat(32)}}`)],
  [
    'json_members_too_many',
    40019,
    send(`{"id":1,"name":"a"${Array.from({ length: 99 }, (_, at) => `,"${at}":0`).join('')}}`),
  ],
  ['text_nul', 40009, send(raw`{"id":1,"name":"\u0000"}`)],
  ['plant_invalid', 40010, send('{"id":1}')],
  ['plant_id_invalid', 40011, send('{"id":"1","name":"a"}')],
  ['batch_invalid', 40020, () => request(service, { path: '/plants/batch', body: '{"action":"delete"}' })],
  ['path_id_invalid', 40012, () => request(service, { path: '/plants/seven' })],
  ['query_invalid', 40013, () => request(service, { path: '/plants?limit=0' })],
  ['condition_invalid', 40014, () => putPlant({ 'if-match': 'no tag' })],
  [
    'webhook_invalid',
    40018,
    ask({ path: '/webhooks', body: '{"url":"http://example.com","events":["plant.created"]}' }),
  ],
  ['token_request_invalid', 40021, ask({ path: '/tokens', body: '{"name":"a","scopes":[]}' })],
  ['token_unknown', 40405, ask({ method: 'DELETE', path: '/tokens/unknown' })],
  ['token_missing', 40101, ask({ token: null })],
  ['token_invalid', 40102, ask({ token: 'unknown' })],
  ['scope_missing', 40301, ask({ token: reader.token })],
  ['path_unknown', 40401, ask({ path: '/plant' })],
  ['plant_unknown', 40402, () => request(service, { path: `/plants/${nextId()}` })],
  ['group_unknown', 40406, ask({ path: '/plants/batch', body: '{"action":"undo","undoes":"nobody"}' })],
  ['webhook_unknown', 40403, () => request(service, { path: '/webhooks/absent' })],
  ['method_not_allowed', 40501, () => request(service, { method: 'TRACE', path: '/plants' })],
  ['not_acceptable', 40601, ask({ headers: { accept: 'text/html' } })],
  ['request_timeout', 40801, async () => (await sendRaw(strict, 'GET / HTTP/1.1\r\nHost: plants\r\n')).at(-1)],
  ['plant_id_taken', 40901, provokeConflict],
  ['group_taken', 40907, provokeTakenGroup],
  ['position_unknown', 41001, () => request(service, { path: '/plants/changes?after=00000000-1' })],
  ['condition_not_met', 41202, () => request(service, { path: '/tags', headers: { 'if-match': '"x"' } })],
  ['precondition_failed', 41201, () => putPlant({ 'if-match': '"another"' })],
  ['body_too_large', 41301, send(' '.repeat(65_537))],
  ['media_type_unsupported', 41501, ask({ headers: { 'content-type': 'text/plain' } })],
  ['content_encoding_unsupported', 41502, ask({ headers: { 'content-encoding': 'gzip' } })],
  ['expectation_unsupported', 41701, ask({ headers: { expect: '200-ok' } })],
  ['rate_limited', 42901, provokeRateLimit],
  ['method_unknown', 50101, async () => (await sendRaw(service, 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n')).at(-1)],
  ['version_unsupported', 50501, async () => (await sendRaw(service, 'GET /x HTTP/2.0\r\nHost: a\r\n\r\n')).at(-1)],
  ['headers_too_large', 43101, () => request(service, { headers: { padding: 'x'.repeat(17_000) } })],
  ['store_busy', 50301, provokeBusyStore],
  ['shutting_down', 50304, provokeShutdown],
];

/** Errors that one request cannot provoke; other tests do. */
const unprovoked: readonly (readonly [code: ErrorCode, reason: string])[] = [
  ['internal', 'would be a defect'],
  ['store_full', 'needs a full disk'],
  ['store_failed', 'needs a disk that fails'],
  ['store_unavailable', 'needs a database that is away'],
  ['issuer_unavailable', 'needs an OpenID provider that is away: auth/jwt.test.ts'],
  ['webhook_key_missing', 'needs a database, and no key: store/postgres/serve.test.ts'],
  ['delivery_unknown', 'needs a webhook: webhooks.test.ts'],
  ['delivery_done', 'needs a delivery: webhooks.test.ts'],
  ['tokens_full', 'needs 10,000 tokens: manage-tokens.test.ts'],
  ['webhooks_full', 'needs 100 webhooks: statuses.test.ts'],
];

/** Errors inside the report of an import or a batch, which is a success: the tests of both cover them. */
const ofRows: readonly ErrorCode[] = ['csv_malformed', 'csv_header_invalid', 'row_too_long', 'plant_changed'];

describe('the error', () => {
  for (const [code, number, provoke] of scenarios) {
    it(`${number} ${code}`, async () => {
      const reply = await provoke();
      assertError(reply, code);
      assert.equal(reply?.number, number);
    });
  }

  it('is in the registry and in this table, or has a reason to be in only one', () => {
    const provoked = [...scenarios.map(([code]) => code), ...unprovoked.map(([code]) => code), ...ofRows];
    assert.deepEqual(provoked.sort(), Object.keys(errors).sort());
  });

  it('leaves the service working', async () => {
    await assertServes(service);
    // Once a minute, the note that a token was used has the only place of its queue.
    await until(
      async () => (await postPlant(narrow, { id: nextId(), name: 'a' })).status === 200,
      'a queue that was full takes a write',
    );
  });
});

async function putPlant(headers: Readonly<Record<string, string>>): Promise<Reply> {
  const id = nextId();
  await postPlant(service, { id, name: 'first' });
  return request(service, { method: 'PUT', path: `/plants/${id}`, body: '{"name":"second"}', headers });
}

async function provokeConflict(): Promise<Reply> {
  const id = nextId();
  await postPlant(service, { id, name: 'first' });
  return postPlant(service, { id, name: 'second' });
}

async function provokeTakenGroup(): Promise<Reply> {
  const id = nextId();
  await postPlant(service, { id, name: 'a' });
  const take = (action: string): Promise<Reply> =>
    request(service, { path: '/plants/batch', body: `{"action":"${action}","plants":[${id}],"group":"taken"}` });
  await take('delete');
  return take('restore');
}

async function provokeRateLimit(): Promise<Reply> {
  assert.equal((await postPlant(strict, { id: nextId(), name: 'a' })).status, 200);
  return postPlant(strict, { id: nextId(), name: 'b' });
}

async function provokeBusyStore(): Promise<Reply | undefined> {
  for (let round = 0; round < 20; round++) {
    const creates = Array.from({ length: 100 }, () => postPlant(narrow, { id: nextId(), name: 'a' }));
    const refused = (await Promise.all(creates)).find(({ status }) => status !== 200);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** A request started before the signal still gets a response, which refers further ones elsewhere. */
async function provokeShutdown(): Promise<Reply | undefined> {
  const drain = async (): Promise<void> => {
    stopping.signal('SIGTERM');
    await stopping.findLog(({ msg }) => msg === 'Draining');
  };
  const replies = await sendRaw(stopping, ['GET /readyz HTTP/1.1\r\nHost: pla', drain, 'nts\r\n\r\n']);
  assert.deepEqual(await stopping.exited, { code: 0, signal: null });
  return replies.at(-1);
}
