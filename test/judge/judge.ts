/**
 * Sends made requests to a service and judges each response by openapi.json and Ajv alone, without the service's own
 * parser, validators and types. request.ts checks what they can check.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Reply } from '../support/reply.ts';
import { request, type Target } from '../support/request.ts';
import { until } from '../support/until.ts';
import { type AnswerCheck, toAnswerCheck } from './check-answer.ts';
import { type Json, type Made, type Operation, RequestMaker } from './make-requests.ts';

const atOnce = 8;
/** A valid request may find nothing, or something else: not that it is malformed. */
const fineStatuses = new Set([200, 201, 204, 304, 404, 409, 410, 412]);
/** Operations that send for a webhook run one at a time: another one gets "busy". */
const sending = new Set(['testWebhook', 'retryDelivery']);
/** What a service answers whose database is slow, with Retry-After: store_failed, store_unavailable, or either to HEAD. */
const slowNumbers = new Set([50303, 50305, undefined]);
/** Valid parameters may together be longer than the 16 KiB of a target and its fields; the client adds some. */
const longMin = 15_500;

/**
 * @param mayBeSlow the store is a database, which may be slower on a busy machine than the service waits.
 * @throws AssertionError that names the seed and the request.
 */
export async function judge(target: Target, requests: number, mayBeSlow = false): Promise<void> {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1e9);
  const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')) as Json;
  const maker = new RequestMaker(document, seed);
  const isAsDescribed = toAnswerCheck(document, maker);
  const check = toCheck(isAsDescribed);
  const send = (made: Made): Promise<Reply> =>
    until(async () => {
      const reply = await request(target, made);
      if (!mayBeSlow || reply.status !== 503 || !slowNumbers.has(reply.number)) return reply;
      assert.deepEqual(isAsDescribed(made, reply), [], `SEED=${seed} ${made.operation.id} ${reply.text}`);
      return false;
    }, `SEED=${seed} ${made.operation.id} was answered`);
  const operations = maker.operations();
  const [first] = operations;
  const seen = new Set<string>();
  const turns: Operation[] = [];
  for (let sent = 0; sent < requests; sent += atOnce) {
    const batch = Array.from({ length: atOnce }, (_, index) => {
      const turn = sent + index;
      if (turns.length === 0) turns.push(...maker.shuffledOperations());
      const operation = turns.pop();
      assert.ok(operation && first);
      const { id } = operation;
      const isEnough = turn > 5 * operations.length && id.startsWith('getDescription') && seen.has(`${id} succeeds`);
      return maker.make(isEnough ? first : operation);
    });
    const replies = await Promise.all(batch.map(send));
    for (const [index, reply] of replies.entries()) {
      const made = batch[index];
      assert.ok(made);
      const about = `SEED=${seed} ${made.method} ${made.path.slice(0, 200)} ${JSON.stringify(made.headers)} ${String(made.body).slice(0, 200)}: ${reply.status} ${reply.text.slice(0, 300)}`;
      assert.deepEqual(check(made, reply), [], about);
      learn(maker, made, reply);
      seen.add(`${made.operation.id} ${reply.status < 400 ? 'succeeds' : 'is refused'}`);
    }
  }
  // A judge that is refused everywhere has judged nothing. A webhook may be deleted before a delivery of it failed.
  for (const { id } of operations.filter((each) => each.id !== 'retryDelivery'))
    assert.ok(seen.has(`${id} succeeds`), `SEED=${seed} ${id} has never succeeded`);
}

/** Statuses that requests deserve, and what the description cannot say. */
function toCheck(isAsDescribed: AnswerCheck): (made: Made, reply: Reply) => string[] {
  return (made, reply) => {
    const { operation, path, headers, isBroken } = made;
    const { status, text } = reply;
    const isBusy = status === 503 && sending.has(operation.id);
    const isTooLong = status === 431 && path.length + JSON.stringify(headers).length > longMin;
    // The description says in words which names of tokens are readable, and that ids are a filter alone.
    const isUnreadable = operation.id === 'createToken' && text.includes('a character that is invisible');
    const isBeside = operation.id === 'batchPlants' && text.includes('.ids\\" must be alone');
    if (status >= 500 && !isBusy) return ['the service failed'];
    if (isBroken ? status < 400 : !isBusy && !isTooLong && !isUnreadable && !isBeside && !fineStatuses.has(status))
      return [isBroken ? 'a broken request was taken' : 'a valid one was refused'];
    const problems = isAsDescribed(made, reply);
    const [, id] = /^\/plants\/(-?\d+)$/.exec(path.split('?')[0] ?? '') ?? [];
    if (id !== undefined && made.method !== 'HEAD' && status < 300 && text !== '' && !text.startsWith(`{"id":${id},`))
      problems.push('it has another id');
    return problems;
  };
}

function learn({ known }: RequestMaker, { operation: { id }, path }: Made, { status, headers, text }: Reply): void {
  for (const [, name = '', value = ''] of (headers['link'] ?? '').matchAll(/[?&](cursor|after)=([^&>]+)/g))
    known.set(`${id}.${name}`, value);
  if (status >= 300 || text === '') return;
  const webhook = id === 'createWebhook' || id === 'listWebhooks' ? /"id":"(\w+)"/.exec(text)?.[1] : undefined;
  if (webhook !== undefined) known.set('webhookId', webhook);
  // Not one of the list: that may be the token of the judge.
  const token = id === 'createToken' ? /"id":"(\w+)"/.exec(text)?.[1] : undefined;
  if (token !== undefined) known.set('tokenId', token);
  const delivery = id === 'listDeliveries' ? /"id":"(msg_[\w-]+)"/.exec(text)?.[1] : undefined;
  if (delivery === undefined) return;
  known.set('retryDelivery.webhookId', path.split('/')[2] ?? '');
  known.set('deliveryId', delivery);
}
