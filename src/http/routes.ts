/** Every operation and the steps of a request, in the order that is the precedence of errors. Sockets and malformed bytes are server.ts's matter. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Contract } from '../contract/load-contract.ts';
import type { Operation } from '../contract/operations.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import type { JsonValue } from '../json/parse-json.ts';
import type { Log } from '../observe/log.ts';
import { DescriptionPages, getLiveness, getReadiness, getRoot } from './about.ts';
import { authenticate } from './authenticate.ts';
import { ClientGoneError, readJson } from './body.ts';
import type { Cors } from './cors.ts';
import { negotiate } from './negotiate.ts';
import { createPlant } from './plants.ts';
import type { RateLimiter } from './rate-limit.ts';
import { type Answer, EdgeError, sendAnswer, toErrorAnswer } from './reply.ts';

/** What the edge is handed of the rest of the service. */
export interface Edge {
  readonly contract: Contract;
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly rateLimiter?: RateLimiter | undefined;
  readonly cors: Cors;
  readonly log: Log;
  /** `''`, or `/api/v1`. */
  readonly basePath: string;
  readonly bodyBytesMax: number;
  /** True from the first signal to stop on. */
  readonly isDraining: () => boolean;
}

interface Call {
  readonly request: FastifyRequest;
  /** Reads and parses the body. @throws ServiceError as `readJson`, and `store_busy` before anything is read. */
  readonly json: () => Promise<JsonValue>;
}

type Handler = (call: Call) => Answer | Promise<Answer>;

/** The handlers by operation id. */
function toHandlers({ contract, store, basePath, isDraining }: Edge): Readonly<Record<string, Handler>> {
  const toNewPlant = contract.parseBody('createPlant');
  const pages = new DescriptionPages(contract, basePath);
  return {
    createPlant: async ({ json }) => createPlant(toNewPlant(await json()), store),
    getRoot: ({ request }) => getRoot(request, contract, basePath),
    getDescriptionJson: ({ request }) => pages.json(request),
    getDescriptionYaml: ({ request }) => pages.yaml(request),
    getLiveness,
    getReadiness: () => getReadiness(store, isDraining()),
  };
}

/** Adds a route for each operation of the description, and the answers for every other path and method. */
export function addRoutes(server: FastifyInstance, edge: Edge): void {
  const handlers = toHandlers(edge);
  for (const operation of edge.contract.operations.values()) {
    const handle = handlers[operation.operationId];
    if (handle === undefined) throw new Error(`${operation.operationId} is described, but has no handler`);
    server.route({
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      url: edge.basePath + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => {
        run(operation, handle, request, reply, edge).then(
          (answer) => send(request, reply, answer, edge),
          (error: unknown) => fail(request, reply, error, edge),
        );
      },
    });
  }
  server.setNotFoundHandler((request, reply) => {
    const path = pathOf(request, edge.basePath);
    const methods = path === undefined ? [] : edge.contract.allowedMethods(path);
    const preflight = methods.length === 0 ? undefined : edge.cors.answerPreflight(request.raw, methods);
    if (preflight !== undefined) {
      send(request, reply, preflight, edge);
      return;
    }
    const error =
      methods.length === 0
        ? new ServiceError('path_unknown')
        : new EdgeError('method_not_allowed', { allow: methods.join(', ') });
    fail(request, reply, error, edge);
  });
  server.setErrorHandler((error, request, reply) => {
    fail(request, reply, error, edge);
  });
}

/** The steps between route and handler. */
async function run(
  operation: Operation,
  handle: Handler,
  request: FastifyRequest,
  reply: FastifyReply,
  edge: Edge,
): Promise<Answer> {
  const { store, rateLimiter, bodyBytesMax } = edge;
  const { raw } = request;
  if (!operation.isPublic) {
    const found = authenticate(raw, operation.scope, edge.authenticator);
    const principal = found instanceof Promise ? await found : found;
    rateLimiter?.take(principal);
  }
  negotiate(raw, operation, bodyBytesMax);
  return handle({
    request,
    json: () => {
      if (store.isBusy()) throw new ServiceError('store_busy');
      return readJson(raw, reply.raw, bodyBytesMax);
    },
  });
}

/** The path below the base path, decoded as the router decodes it; undefined when it cannot be one of ours. */
function pathOf({ url }: FastifyRequest, basePath: string): string | undefined {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  return path.startsWith(basePath) ? decodeURI(path.slice(basePath.length)) : undefined;
}

/** Answers an error, or drops the request of a client that went away. */
function fail(request: FastifyRequest, reply: FastifyReply, error: unknown, edge: Edge): void {
  if (error instanceof ClientGoneError) {
    reply.hijack();
    return;
  }
  const answer = toErrorAnswer(error);
  if (answer.status >= 500)
    edge.log.error({ error, method: request.method, url: request.routeOptions.url }, 'Request failed');
  send(request, reply, answer, edge);
}

function send({ raw }: FastifyRequest, reply: FastifyReply, answer: Answer, { cors, log }: Edge): void {
  if (log.isLevelEnabled('debug'))
    log.debug({ method: raw.method, path: pathOnly(raw.url), status: answer.status }, 'Answered');
  reply.hijack();
  sendAnswer(
    raw,
    reply.raw,
    cors.isOn ? { ...answer, headers: { ...answer.headers, ...cors.headersFor(raw) } } : answer,
  );
}

/** Without the query, where a misplaced token could stand. */
function pathOnly(url = ''): string {
  return url.replace(/\?.*$/s, '');
}
