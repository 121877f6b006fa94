/** Every operation and the steps of a request, in the order that is the precedence of errors. Sockets and malformed bytes are server.ts's matter. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Operation } from '../contract/operations.ts';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { Log } from '../observe/log.ts';
import type { Assets } from './pages/assets.ts';
import { authenticate } from './steps/authenticate.ts';
import { ClientGoneError, readJson } from './wire/body.ts';
import { readPieces } from './wire/body-stream.ts';
import type { Cors } from './steps/cors.ts';
import { type Handler, type Surroundings, toHandlers } from './operations/handlers.ts';
import { negotiate } from './steps/negotiate.ts';
import type { RateLimiter } from './steps/rate-limit.ts';
import { type Answer, EdgeError, sendAnswer, toErrorAnswer } from './wire/reply.ts';
import { sendStream } from './wire/send-stream.ts';

/** What the edge is handed of the rest of the service. */
export interface Edge extends Surroundings {
  readonly authenticator: Authenticator;
  readonly rateLimiter?: RateLimiter | undefined;
  readonly cors: Cors;
  readonly log: Log;
  readonly bodyBytesMax: number;
  /** Longest silence within a streamed body. */
  readonly requestTimeoutMs: number;
  /** Pages for people: no operations, so that the description does not name them. */
  readonly assets: readonly Assets[];
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
  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply): void => {
    const path = pathOf(request, edge.basePath);
    const methods = path === undefined ? [] : methodsOf(path, edge);
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
  };
  server.setNotFoundHandler(answerUnrouted);
  for (const assets of edge.assets) {
    const answerAsset = (request: FastifyRequest, reply: FastifyReply): void => {
      assets.find(pathOf(request, edge.basePath + assets.mount) ?? '', request.raw).then(
        (answer) => (answer === undefined ? answerUnrouted(request, reply) : send(request, reply, answer, edge)),
        (error: unknown) => fail(request, reply, error, edge),
      );
    };
    for (const url of [assets.mount, `${assets.mount}/*`])
      server.route({ method: ['GET', 'HEAD'], url: edge.basePath + url, handler: answerAsset });
  }
  for (const { method, path } of pathsToKeepOut(edge.contract.operations.values())) {
    server.route({ method, url: edge.basePath + path, handler: answerUnrouted });
  }
  server.setErrorHandler((error, request, reply) => {
    fail(request, reply, error, edge);
  });
}

/** The methods of a path, which an operation or a page has; none when it is unknown. */
function methodsOf(path: string, { contract, assets }: Edge): readonly string[] {
  return assets.some(({ mount }) => mount === path) ? ['GET', 'HEAD'] : contract.allowedMethods(path);
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
  negotiate(raw, operation, isStreamed(operation) ? Infinity : bodyBytesMax);
  return handle({
    request,
    raw: { path: request.params as Record<string, string>, query: queryOf(raw.url), headers: raw.headers },
    json: () => {
      if (store.isBusy()) throw new ServiceError('store_busy');
      return readJson(raw, reply.raw, bodyBytesMax);
    },
    pieces: () => readPieces(raw, reply.raw, edge.requestTimeoutMs),
  });
}

/** Whether the body is taken row by row: its length has no limit then, but each row has. */
function isStreamed({ requestMediaTypes }: Operation): boolean {
  return requestMediaTypes.includes('application/x-ndjson');
}

/**
 * Paths that the router would take for one with a parameter, method by method: `PUT /plants/export` is no plant named "export", and `/plants/`
 * none without a name.
 */
function pathsToKeepOut(operations: Iterable<Operation>): { readonly method: string; readonly path: string }[] {
  const all = [...operations];
  const methodsAt = (path: string): string[] => {
    const methods = all.filter((operation) => operation.path === path).map(({ method }) => method);
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  };
  const paths = [...new Set(all.map(({ path }) => path))];
  return paths
    .filter((path) => path.includes('{'))
    .flatMap((template) => {
      const parent = template.slice(0, template.indexOf('{'));
      const siblings = paths.filter((path) => path.startsWith(parent) && !path.includes('{'));
      return [parent, ...siblings].flatMap((path) => {
        const known = methodsAt(path);
        return methodsAt(template)
          .filter((method) => !known.includes(method))
          .map((method) => ({ method, path }));
      });
    });
}

function queryOf(url = ''): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
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
  if (answer.status >= 500 && !isToldOtherwise(error))
    edge.log.error({ error, method: request.method, url: request.routeOptions.url }, 'Request failed');
  send(request, reply, answer, edge);
}

/**
 * What is refused on purpose comes perhaps thousands of times a second: to log each would cost more than to refuse it. And a store that fails says
 * so itself, once, for all the writes that it leaves open.
 */
function isToldOtherwise(error: unknown): boolean {
  return error instanceof ServiceError && toldOtherwise.has(error.code);
}

const toldOtherwise: ReadonlySet<ErrorCode> = new Set(['store_busy', 'shutting_down', 'store_failed']);

function send({ raw }: FastifyRequest, reply: FastifyReply, answer: Answer, edge: Edge): void {
  const { cors, log } = edge;
  if (log.isLevelEnabled('debug'))
    log.debug({ method: raw.method, path: pathOnly(raw.url), status: answer.status }, 'Answered');
  reply.hijack();
  const { headers } = cors.isOn ? cors.addTo(answer, raw) : answer;
  // Told now, a client opens its next connection elsewhere, instead of losing a request to the end of this one.
  const fields = edge.isDraining() ? { ...headers, connection: 'close' } : headers;
  if (answer.stream === undefined) sendAnswer(raw, reply.raw, { ...answer, headers: fields });
  else {
    sendStream(raw, reply.raw, answer.status, fields, answer.stream).catch((error: unknown) => {
      log.error({ error, method: raw.method, path: pathOnly(raw.url) }, 'Cut an answer that could not be finished');
    });
  }
}

/** Without the query, where a misplaced token could stand. */
function pathOnly(url = ''): string {
  return url.replace(/\?.*$/s, '');
}
