/** The steps of a request, in the order of their errors, and the loop that runs them. */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Contract } from '../contract/load-contract.ts';
import { ServiceError } from '../domain/errors.ts';
import { Exchange, type ExchangeDeps } from './exchange.ts';
import type { RowBody } from './operations/call.ts';
import { type HandlerDeps, type Route, toRoutes } from './operations/handlers.ts';
import type { Pages } from './pages/pages.ts';
import type { Space } from './space.ts';
import { authenticate, permit } from './steps/authenticate.ts';
import type { ForcedAnswerFinder } from './steps/forced-answer.ts';
import { contentTypeOf, negotiate } from './steps/negotiate.ts';
import { checkWellFormed } from './steps/well-formed.ts';
import { readJson } from './wire/body.ts';
import { readChunks } from './wire/body-stream.ts';
import { HttpError, type Reply } from './wire/reply.ts';
import { readTarget } from './wire/target.ts';

/** What HTTP needs from the rest of the service. */
export interface HttpDeps extends ExchangeDeps, HandlerDeps {
  /** Chooses what a request works on, once its token is checked. */
  readonly findSpace: (exchange: Exchange) => Space;
  /** Of a sandbox: what its clients may prefer to the usual answers. */
  readonly toForcedAnswers?: ((contract: Contract) => ForcedAnswerFinder) | undefined;
  readonly bodyBytesMax: number;
  /** Maximum time without a byte of a streamed body. */
  readonly requestTimeoutMs: number;
  /** Pages for browsers: not operations of the description. */
  readonly pages: readonly Pages[];
}

/** An exchange as its steps see it: each sets what later ones read. */
interface RoutedExchange extends Exchange {
  route: Route;
  space: Space;
}

/** Returns the reply if the request ends here; otherwise the next step follows. */
type Step = (exchange: RoutedExchange) => Reply | undefined | Promise<Reply | undefined>;

/** @throws Error if the description and the table of operations differ. */
export function toRequestListener(deps: HttpDeps): RequestListener {
  const steps = toSteps(deps);
  return (request, response) => {
    const exchange = new Exchange(request, response, deps);
    deps.rateLimiter?.watch(exchange);
    deps.observer?.requestBegun();
    Promise.try(run, steps, exchange as RoutedExchange).then(
      (reply) => exchange.finish(reply),
      (error: unknown) => exchange.finish(error instanceof Error ? error : new Error(String(error))),
    );
  };
}

/** Runs the steps from one on. Returns no promise if none waits: promises are a thirtieth of what a get costs. */
function run(steps: readonly Step[], exchange: RoutedExchange, from = 0): Reply | Promise<Reply> {
  for (let at = from; at < steps.length; at += 1) {
    const reply = steps[at]?.(exchange);
    if (reply instanceof Promise) return reply.then((late) => late ?? run(steps, exchange, at + 1));
    if (reply !== undefined) return reply;
  }
  throw new Error('No step has replied');
}

/** The order is the precedence of errors. A stranger gets no further than `identify`. */
function toSteps(deps: HttpDeps): readonly Step[] {
  const { contract, authenticator, rateLimiter, bodyBytesMax } = deps;
  const forcedAnswers = deps.toForcedAnswers?.(contract);
  const routes = toRoutes(deps);

  /** 400 431 505 */
  const wellFormed: Step = ({ request }) => {
    checkWellFormed(request);
  };

  /** 404 405; or a page, or a preflight: neither is an operation. */
  const route: Step = (exchange) => {
    const { request } = exchange;
    const { path, query } = readTarget(request, deps.basePath);
    const found = contract.paths.find(path);
    const known = routes.get(found?.operations.get(request.method ?? '')?.operationId ?? '');
    if (found === undefined || known === undefined) return replyUnrouted(request, path, found?.methods ?? [], deps);
    exchange.route = known;
    exchange.path = found.parameters;
    exchange.query = query;
    return undefined;
  };

  /** 400 401: the body is not read yet. */
  const identify: Step = (exchange) => {
    if (exchange.route.operation.isPublic) return undefined;
    const caller = authenticate(exchange.request, authenticator);
    // Most tokens are cached: their requests wait for nothing before the handler.
    if (caller instanceof Promise) return caller.then((found) => void (exchange.principal = found));
    exchange.principal = caller;
    return undefined;
  };

  /** 403; a forced answer reads and writes nothing, so that it needs no scope. */
  const checkScope: Step = (exchange) => {
    const { request, principal, route: of } = exchange;
    exchange.forced = forcedAnswers?.find(request, of.operation);
    if (principal !== undefined && exchange.forced?.reply === undefined)
      permit(principal, of.operation.scope, authenticator);
  };

  /** 429 */
  const limitRate: Step = (exchange) => {
    if (exchange.principal !== undefined) rateLimiter?.limit(exchange.principal.limitKey, exchange);
  };

  /** Any status, in a sandbox. */
  const force: Step = (exchange) => exchange.forced?.apply(exchange);

  const chooseSpace: Step = (exchange) => {
    exchange.space = deps.findSpace(exchange);
  };

  /** 417 415 406 413 */
  const chooseMediaType: Step = (exchange) => {
    const { request, route: of } = exchange;
    exchange.mediaType = negotiate(
      request,
      of.operation,
      of.isStreamed ? Infinity : (of.operation.bodyBytesMax ?? bodyBytesMax),
    );
  };

  /** The cached reply, or that of the steps after this one, to be cached. */
  const recall: Step = (exchange) => {
    const { request, headers } = exchange;
    // A conditional reply depends on more than the target.
    const isConditional = headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
    if (!exchange.route.isCached || isConditional) return undefined;
    return exchange.space.cache.getOrMake(request.url ?? '', () => run(makeReply, exchange));
  };

  /** 400 */
  const readParameters: Step = (exchange) => {
    exchange.parameters = exchange.route.parseParameters(exchange);
  };

  /** 503 413 400 */
  const readBody: Step = (exchange) => {
    const { parseBody, isStreamed, operation } = exchange.route;
    if (parseBody === undefined) return undefined;
    if (isStreamed) exchange.body = openRows(exchange, parseBody, deps.requestTimeoutMs);
    else return readWhole(exchange, parseBody, operation.bodyBytesMax ?? bodyBytesMax);
    return undefined;
  };

  /** 412, of what has no ETag. */
  const checkConditions: Step = ({ request, route: { hasEtag } }) => {
    if (!hasEtag) checkPreconditions(request);
  };

  const handle: Step = (exchange) => exchange.route.handle(exchange, exchange.space.store, exchange.space.hub);

  const makeReply = [readParameters, readBody, checkConditions, handle];
  const first = [wellFormed, route, identify, checkScope, limitRate, force, chooseSpace, chooseMediaType, recall];
  return [...first, ...makeReply];
}

async function readWhole(
  exchange: RoutedExchange,
  parse: (value: unknown) => unknown,
  bytesMax: number,
): Promise<undefined> {
  const { request, response, space, principal, route } = exchange;
  space.store.requireWritable();
  const free = route.bodyPlaces?.take(principal?.limitKey ?? '');
  try {
    exchange.body = parse(await readJson(request, response, bytesMax));
  } finally {
    free?.();
  }
}

/** The rows are read by the handler, as fast as it stores them. */
function openRows(
  { request, response }: RoutedExchange,
  parseRow: (value: unknown) => unknown,
  silenceMs: number,
): RowBody<unknown> {
  return {
    mediaType: isAnnounced(request) ? contentTypeOf(request) : '',
    chunks: readChunks(request, response, silenceMs),
    parseRow,
  };
}

/** A body of length 0 counts: the export of an empty store is one. */
function isAnnounced({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/**
 * Checks the preconditions of a resource without an ETag (RFC 9110, section 13.2.1), so not of a plant.
 * @throws ServiceError `condition_not_met`: no tag matches, and `*` excludes to write what
 * exists. A read that If-None-Match would end with 304 is answered in full.
 */
function checkPreconditions({ method, headers }: IncomingMessage): void {
  const ifMatch = headers['if-match'];
  const isRead = method === 'GET' || method === 'HEAD';
  const excludesWrite = !isRead && headers['if-none-match']?.trim() === '*';
  if ((ifMatch !== undefined && ifMatch.trim() !== '*') || excludesWrite) throw new ServiceError('condition_not_met');
}

/** Replies with a page, a preflight, or an error: the path has no operation for this method. */
async function replyUnrouted(
  request: IncomingMessage,
  path: string,
  ofOperations: readonly string[],
  { pages, cors, contract }: HttpDeps,
): Promise<Reply> {
  const page = await findPage(request, path, pages);
  if (page !== undefined && (request.method === 'GET' || request.method === 'HEAD')) return page;
  const methods = page === undefined ? ofOperations : ['GET', 'HEAD'];
  if (methods.length === 0) {
    const isSlashed = path.endsWith('/') && contract.paths.find(path.slice(0, -1)) !== undefined;
    throw new ServiceError('path_unknown', isSlashed ? { detail: 'Omit the slash at its end' } : {});
  }
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
