/**
 * Sends made requests to a service and judges each response by openapi.json and Ajv alone, without the service's own
 * parser, validators and types. request.ts checks what they can check.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Reply } from '../support/reply.ts';
import { request, type Target } from '../support/request.ts';
import { type Json, type Made, RequestMaker } from './make-requests.ts';

const atOnce = 8;
/** A valid request may find nothing, or something else: not that it is malformed. */
const fineStatuses = new Set([200, 201, 204, 304, 404, 409, 410, 412]);
/** Of one webhook, one at a time sends: another one is busy meanwhile. */
const sending = new Set(['testWebhook', 'retryDelivery']);

/** @throws AssertionError that names the seed and the request. */
export async function judge(
  target: Target,
  requests: number,
  seed = Number(process.env['SEED'] ?? Date.now() % 1e9),
): Promise<void> {
  const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')) as Json;
  const maker = new RequestMaker(document, seed);
  const check = toCheck(document, maker);
  const operations = maker.operations();
  const [first] = operations;
  const seen = new Set<string>();
  for (let sent = 0; sent < requests; sent += atOnce) {
    const batch = Array.from({ length: atOnce }, (_, index) => {
      const turn = sent + index;
      const operation = operations[turn % operations.length];
      assert.ok(operation && first);
      const isEnough = turn > 5 * operations.length && operation.id.startsWith('getDescription');
      return maker.make(isEnough ? first : operation);
    });
    const replies = await Promise.all(batch.map((made) => request(target, made)));
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

type Check = (made: Made, reply: Reply) => string[];

function toCheck(document: Json, maker: RequestMaker): Check {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'description');
  const validate = (pointer: string[], value: unknown): string[] => {
    const path = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).map(encodeURIComponent);
    const run = ajv.getSchema(`description#/${path.join('/')}`);
    if (run === undefined) return [`there is no schema ${pointer.join(' ')}`];
    return run(value) === true ? [] : [ajv.errorsText(run.errors)];
  };
  return ({ operation, method, path, isBroken }, { status, headers, text }) => {
    const isBusy = status === 503 && sending.has(operation.id);
    if (status >= 500 && !isBusy) return ['the service failed'];
    if (isBroken ? status < 400 : !isBusy && !fineStatuses.has(status))
      return [isBroken ? 'a broken request was taken' : 'a valid one was refused'];
    const own = (operation.definition['responses'] as Json)[String(status)];
    if (own === undefined) return ['the status is not documented'];
    const reference = (own as Json)['$ref'];
    const response = maker.resolve(own);
    const start =
      typeof reference === 'string'
        ? reference.slice(2).split('/')
        : ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(status)];
    const described = Object.entries((response['headers'] ?? {}) as Json).map(
      ([name, value]) => [name, maker.resolve(value)] as const,
    );
    const missing = described.filter(
      ([name, { required }]) => required === true && headers[name.toLowerCase()] === undefined,
    );
    if (missing.length > 0) return missing.map(([name]) => `the header field ${name} is missing`);
    const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
    if (method === 'HEAD' || text === '') return [];
    const media = ((response['content'] ?? {}) as Json)[type] as Json | undefined;
    if (media === undefined) return [`the media type ${type} is not documented`];
    const at = [...start, 'content', type];
    const isRows = type === 'application/x-ndjson';
    if (!isRows && type !== 'application/json') return [];
    const problems: string[] = [];
    for (const line of isRows ? text.split('\n').slice(0, -1) : [text]) {
      const value = parse(line, problems);
      problems.push(...validate([...at, isRows ? 'x-row-schema' : 'schema'], value));
      if (status >= 400) problems.push(...findUnknown(value as Json, status, media, maker));
    }
    const [, id] = /^\/plants\/(-?\d+)$/.exec(path.split('?')[0] ?? '') ?? [];
    if (id !== undefined && status < 300 && !text.startsWith(`{"id":${id},`)) problems.push('it has another id');
    return problems;
  };
}

/** Numbers as their text: those with an int64 format are exact in the range, which doubles cannot show. */
function parse(text: string, problems: string[]): unknown {
  const revive = (key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const { source } = context ?? {};
    if (typeof value !== 'number' || source === undefined || !/^(?:id|plantId|plants|error|attempts)$/.test(key))
      return value;
    if (!/^(?:0|-?[1-9]\d*)$/.test(source) || BigInt.asIntN(64, BigInt(source)) !== BigInt(source))
      problems.push(`${key} is ${source}`);
    return value;
  };
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}

function findUnknown({ error }: Json, status: number, media: Json, maker: RequestMaker): string[] {
  const examples = Object.values((media['examples'] ?? {}) as Json).map(
    (each) => (maker.resolve(each)['value'] as Json)['error'],
  );
  const isKnown = examples.includes(error) && Math.floor(Number(error) / 100) === status;
  return isKnown ? [] : [`the error number ${String(error)} is not among the examples`];
}

function learn({ known }: RequestMaker, { operation: { id }, path }: Made, { status, headers, text }: Reply): void {
  for (const [, name = '', value = ''] of (headers['link'] ?? '').matchAll(/[?&](cursor|after)=([^&>]+)/g))
    known.set(`${id}.${name}`, value);
  if (status >= 300 || text === '') return;
  const webhook = id === 'createWebhook' || id === 'listWebhooks' ? /"id":"(\w+)"/.exec(text)?.[1] : undefined;
  if (webhook !== undefined) known.set('webhookId', webhook);
  const delivery = id === 'listDeliveries' ? /"id":"(msg_[\w-]+)"/.exec(text)?.[1] : undefined;
  if (delivery === undefined) return;
  known.set('retryDelivery.webhookId', path.split('/')[2] ?? '');
  known.set('deliveryId', delivery);
}
