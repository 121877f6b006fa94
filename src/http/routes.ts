/** Takes a request to its handler. The order of the steps is the precedence of errors. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { OperationId } from '../contract/load-contract.ts';
import type { RawParameters } from '../contract/parse-parameters.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Scope } from '../domain/principal.ts';
import type { Store } from '../domain/store.ts';
import { begin, type Exchange, type ExchangeDeps, finish } from './exchange.ts';
import type { BodyOf, PrincipalOf, RowBody } from './operations/call.ts';
import { type HandlerDeps, type Handlers, toHandlers } from './operations/handlers.ts';
import type { Pages } from './pages/pages.ts';
import { authenticate, type TokenFinder } from './steps/authenticate.ts';
import type { FindAddress } from './steps/find-address.ts';
import { ForcedAnswers } from './steps/forced-answer.ts';
import { contentTypeOf, negotiate } from './steps/negotiate.ts';
import type { RateLimiter } from './steps/rate-limit.ts';
import { checkPreconditions } from './steps/preconditions.ts';
import { checkWellFormed } from './steps/well-formed.ts';
import { readJson } from './wire/body.ts';
import { readChunks } from './wire/body-stream.ts';
import { HttpError, type Reply } from './wire/reply.ts';
import { readTarget, type Target } from './wire/target.ts';
import type { Space } from './space.ts';

/** What HTTP needs from the rest of the service. */
export interface HttpDeps extends ExchangeDeps, HandlerDeps {
  /** Chooses what a request works on, once its token is checked. */
  readonly findSpace: (exchange: Exchange) => Space | Promise<Space>;
  readonly authenticator: TokenFinder;
  readonly rateLimiter?: RateLimiter | undefined;
  readonly bodyBytesMax: number;
  /** Maximum time without a byte of a streamed body. */
  readonly requestTimeoutMs: number;
  /** Pages for browsers: not operations of the description. */
  readonly pages: readonly Pages[];
  readonly findAddress: FindAddress;
}

/** Serves a request with known path and method. */
type Serve = (exchange: Exchange, target: Target, path: RawParameters['path']) => Promise<Reply>;

/** Operations whose replies are cached until the next write. */
const cachedOperations: ReadonlySet<string> = new Set<OperationId>(['getPlant', 'listPlants', 'listTags']);

/** Paths whose operations check If-Match and If-None-Match themselves. */
const pathsWithEtag: ReadonlySet<string> = new Set(['/plants/{id}', '/openapi.json', '/openapi.yaml']);

/** @throws Error if the description and the handlers differ. */
export function createRouter(deps: HttpDeps): RequestListener {
  const handlers = toHandlers(deps);
  const routes = new Map<string, Serve>();
  const forcedAnswers = deps.isSandbox === true ? new ForcedAnswers(deps.contract, deps.shutdown) : undefined;
  for (const operationId of Object.keys(handlers) as OperationId[])
    routes.set(operationId, createRoute(operationId, handlers, deps, forcedAnswers));
  for (const operationId of deps.contract.operations.keys())
    if (!routes.has(operationId)) throw new Error(`${operationId} is described, but has no handler`);
  return (request, response) => {
    deps.rateLimiter?.watch(request, response);
    const exchange = begin(request, response, deps);
    deps.observer?.requestBegun();
    const serve = (): Promise<Reply> => route(exchange, routes, deps);
    (exchange.trace === undefined ? serve() : exchange.trace.run(serve)).then(
      (reply) => finish(exchange, reply, deps),
      (error: unknown) => finish(exchange, error instanceof Error ? error : new Error(String(error)), deps),
    );
  };
}

async function route(exchange: Exchange, routes: ReadonlyMap<string, Serve>, deps: HttpDeps): Promise<Reply> {
  const { request } = exchange;
  checkWellFormed(request);
  const target = readTarget(request, deps.basePath);
  const found = deps.contract.findPath(target.path);
  exchange.operation = found?.operations.get(request.method ?? '');
  const serve = routes.get(exchange.operation?.operationId ?? '');
  if (found === undefined || serve === undefined)
    return replyUnrouted(request, target.path, found?.methods ?? [], deps);
  return serve(exchange, target, found.parameters);
}

/** Builds the steps between route and handler, whose types are those of the operation. */
function createRoute<Id extends OperationId>(
  operationId: Id,
  handlers: Pick<Handlers, Id>,
  deps: HttpDeps,
  forcedAnswers: ForcedAnswers | undefined,
): Serve {
  const { contract, authenticator, rateLimiter, bodyBytesMax, findSpace } = deps;
  const operation = contract.operations.get(operationId);
  if (operation === undefined) throw new Error(`${operationId} has a handler, but is not described`);
  const handle = handlers[operationId];
  const parseParameters = contract.parseParameters(operationId);
  const { requestMediaTypes, isPublic, scope } = operation;
  const isStreamed = requestMediaTypes.includes('application/x-ndjson');
  const readBody =
    requestMediaTypes.length === 0 ? undefined : createBodyReader(contract.parseBody(operationId), isStreamed, deps);
  const isCached = cachedOperations.has(operationId);
  const hasEtag = pathsWithEtag.has(operation.path);
  return async (exchange, target, path) => {
    const { request } = exchange;
    const { headers } = request;
    if (!isPublic) {
      const found = authenticate(request, scope, authenticator);
      exchange.principal = found instanceof Promise ? await found : found;
      rateLimiter?.limit(exchange.principal.limitKey, exchange.response);
    }
    const forced = forcedAnswers && (await forcedAnswers.find(exchange, operation));
    if (forced !== undefined) return forced;
    const chosen = findSpace(exchange);
    const { store, hub, cache } = chosen instanceof Promise ? await chosen : chosen;
    // A streamed body has a limit per row, not in total.
    const mediaType = negotiate(request, operation, isStreamed ? Infinity : bodyBytesMax);
    const run = async (): Promise<Reply> => {
      const parameters = parseParameters({ path, query: target.query, headers });
      const body = readBody === undefined ? undefined : await readBody(exchange, store);
      const call = {
        parameters,
        // Types and steps both come from the description.
        body: body as BodyOf<Id>,
        principal: exchange.principal as PrincipalOf<Id>,
        mediaType,
        headers,
        isHead: request.method === 'HEAD',
        address: () => deps.findAddress(request),
        onGone: (listener: () => void) => callWhenGone(exchange.response, listener),
        onHalfClosed: (listener: () => void) => callWhenHalfClosed(exchange, listener),
        isAllowed: () => isAllowed(request, scope, authenticator),
        charge: (bytes: number) => rateLimiter?.charge(exchange.principal?.limitKey ?? '', bytes),
      };
      if (!hasEtag) checkPreconditions(request);
      return handle(call, store, hub);
    };
    // A conditional reply depends on more than the target.
    const isConditional = headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
    return !isCached || isConditional ? run() : cache.find(request.url ?? '', run);
  };
}

function callWhenGone(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}

function callWhenHalfClosed({ request: { socket }, response }: Exchange, listener: () => void): void {
  if (socket.readableEnded) listener();
  else socket.once('end', listener);
  response.once('close', () => socket.off('end', listener));
}

/** Resolves to whether the token is valid; to true if that cannot be read: the next call may. */
async function isAllowed(
  request: IncomingMessage,
  scope: Scope | undefined,
  authenticator: TokenFinder,
): Promise<boolean> {
  try {
    await authenticate(request, scope, authenticator);
    return true;
  } catch (error) {
    return !(error instanceof ServiceError && error.status < 500);
  }
}

/** Reads and checks the JSON body, or opens a body of rows. */
function createBodyReader(
  parse: (value: unknown) => unknown,
  isStreamed: boolean,
  { bodyBytesMax, requestTimeoutMs }: HttpDeps,
): (exchange: Exchange, store: Store) => Promise<unknown> {
  if (!isStreamed)
    return async ({ request, response }, store) => {
      if (store.isBusy()) throw new ServiceError('store_busy');
      return parse(await readJson(request, response, bodyBytesMax));
    };
  return ({ request, response }) => {
    const body: RowBody<unknown> = {
      mediaType: isAnnounced(request) ? contentTypeOf(request) : '',
      chunks: readChunks(request, response, requestTimeoutMs),
      parseRow: parse,
    };
    return Promise.resolve(body);
  };
}

/** A body of length 0 counts: the export of an empty store is one. */
function isAnnounced({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Replies with a page, a preflight, or an error: the path has no operation for this method. */
async function replyUnrouted(
  request: IncomingMessage,
  path: string,
  ofOperations: readonly string[],
  { pages, cors }: HttpDeps,
): Promise<Reply> {
  const page = await findPage(request, path, pages);
  if (page !== undefined && (request.method === 'GET' || request.method === 'HEAD')) return page;
  const methods = page === undefined ? ofOperations : ['GET', 'HEAD'];
  if (methods.length === 0) throw new ServiceError('path_unknown');
  const preflight = cors.replyToPreflight(request, methods);
  if (preflight === undefined) {
    const allow = methods.join(', ');
    throw new HttpError('method_not_allowed', { allow }, `Allowed: ${allow}`);
  }
  return preflight;
}

function findPage(request: IncomingMessage, path: string, pages: readonly Pages[]): Promise<Reply | undefined> {
  const found = pages.find(({ mount }) => path === mount || path.startsWith(`${mount}/`));
  return found === undefined ? Promise.resolve(undefined) : found.find(path.slice(found.mount.length), request);
}
