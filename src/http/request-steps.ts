/** The steps of a request, in the order of their errors. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Contract } from '../contract/load-contract.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { Exchange, type ExchangeDeps } from './exchange.ts';
import { finish, type FinishDeps } from './finish.ts';
import type { RowBody } from './operations/call.ts';
import { type HandlerDeps, type Route, toRoutes } from './operations/handlers.ts';
import type { Pages } from './pages/pages.ts';
import type { Space } from './space.ts';
import { authenticate, permit } from './steps/authenticate.ts';
import type { ForcedAnswerFinder } from './steps/forced-answer.ts';
import { negotiate } from './steps/negotiate.ts';
import { checkWellFormed } from './steps/well-formed.ts';
import { readJson } from './wire/body.ts';
import { readChunks } from './wire/body-stream.ts';
import { contentLengthOf, contentTypeOf } from './wire/content.ts';
import { HttpError, type Reply } from './wire/reply.ts';
import { readTarget } from './wire/target.ts';

/** What HTTP needs from the rest of the service. */
export interface HttpDeps extends ExchangeDeps, FinishDeps, HandlerDeps {
  /** Chooses what a request works on, once its token is checked. */
  readonly findSpace: (exchange: Exchange) => Space;
  /** Present in a sandbox: finds what clients may prefer to the usual answers. */
  readonly toForcedAnswers?: ((contract: Contract) => ForcedAnswerFinder) | undefined;
  readonly bodyBytesMax: number;
  /** Maximum time without a byte of a streamed body. */
  readonly silenceMaxMs: number;
  /** Pages for browsers: not operations of the description. */
  readonly pages: readonly Pages[];
}

/** What is known of a request before its token is checked: its operation and its parameters' texts. */
interface Located {
  readonly route: Route;
  /** The parameters in the path, by name. */
  readonly path: Readonly<Record<string, string>>;
  /** The text after `?`, as sent. */
  readonly query: string;
}

/** What is known of a request before its parameters and its body are read. */
interface Admitted extends Located {
  /** Undefined for a public operation. */
  readonly principal: Principal | undefined;
  readonly space: Space;
  /** The media type of the operation that the client prefers. */
  readonly mediaType: string;
}

/** There is no promise if nothing was waited for: promises are a thirtieth of what a get costs. */
type Eventually<Value> = Value | Promise<Value>;

function then<Value, Result>(value: Eventually<Value>, next: (value: Value) => Eventually<Result>): Eventually<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** @throws Error if the description and the table of operations differ. */
export function toRequestListener(deps: HttpDeps): RequestListener {
  const steps = new RequestSteps(deps);
  return (request, response) => {
    const exchange = new Exchange(request, response, deps);
    deps.rateLimiter?.watch(exchange);
    deps.observer?.requestBegun();
    Promise.try(() => steps.serve(exchange)).then(
      (reply) => finish(exchange, reply, deps),
      (error: unknown) => finish(exchange, error instanceof Error ? error : new Error(String(error)), deps),
    );
  };
}

/**
 * The methods are in the order of the steps, which is the precedence of errors. Each ends with the
 * next one, and hands it what was found; `#makeReply` ends with the handler. Without a valid token,
 * only public operations get further than `#identify`.
 */
class RequestSteps {
  readonly #deps: HttpDeps;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #forcedAnswers: ForcedAnswerFinder | undefined;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
    this.#routes = toRoutes(deps);
    this.#forcedAnswers = deps.toForcedAnswers?.(deps.contract);
  }

  /** 400 431 505; 404 405, or a page, or a preflight: neither is an operation. */
  serve(exchange: Exchange): Eventually<Reply> {
    const { request } = exchange;
    const { contract, basePath } = this.#deps;
    checkWellFormed(request);
    const { path, query } = readTarget(request, basePath);
    const found = contract.paths.find(path);
    const route = this.#routes.get(found?.operations.get(request.method ?? '')?.operationId ?? '');
    if (found === undefined || route === undefined)
      return replyUnrouted(request, path, found?.methods ?? [], this.#deps);
    exchange.route = route;
    return this.#identify(exchange, { route, path: found.parameters, query });
  }

  /** 400 401: the body is not read yet. Most tokens are cached, so that nothing is waited for. */
  #identify(exchange: Exchange, located: Located): Eventually<Reply> {
    if (located.route.operation.isPublic) return this.#permit(exchange, located, undefined);
    return then(authenticate(exchange.request, this.#deps.principals), (principal) => {
      exchange.principal = principal;
      return this.#permit(exchange, located, principal);
    });
  }

  /**
   * 403 of the scope, 429 of the rate; in a sandbox, any: a forced answer reads and writes nothing,
   * so that it needs no scope.
   */
  #permit(exchange: Exchange, located: Located, principal: Principal | undefined): Eventually<Reply> {
    const { principals, rateLimiter } = this.#deps;
    const { operation } = located.route;
    const forced = this.#forcedAnswers?.find(exchange.request, operation);
    if (principal !== undefined) {
      if (forced?.reply === undefined) permit(principal, operation.scope, principals);
      rateLimiter?.limit(principal.limitKey, exchange);
    }
    if (forced === undefined) return this.#negotiate(exchange, located, principal);
    return forced.apply(exchange).then((reply) => reply ?? this.#negotiate(exchange, located, principal));
  }

  /** 417 400 415 406 413 */
  #negotiate(exchange: Exchange, located: Located, principal: Principal | undefined): Eventually<Reply> {
    const { operation, hasRows } = located.route;
    const space = this.#deps.findSpace(exchange);
    const bytesMax = hasRows ? Infinity : (operation.bodyBytesMax ?? this.#deps.bodyBytesMax);
    const mediaType = negotiate(exchange.request, operation, bytesMax);
    return this.#recall(exchange, { ...located, principal, space, mediaType });
  }

  /** The cached reply, or that of the steps after this one, which is cached once it is asked for again. */
  #recall(exchange: Exchange, admitted: Admitted): Eventually<Reply> {
    const { request, headers } = exchange;
    // A conditional reply depends on more than the target.
    const isConditional = headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
    if (!admitted.route.isCached || isConditional) return this.#makeReply(exchange, admitted);
    return admitted.space.cache.getOrMake(request.url ?? '', () => this.#makeReply(exchange, admitted));
  }

  /** 400 of the parameters; 503 413 400 of the body; 412 of what has no ETag; then the handler. */
  #makeReply(exchange: Exchange, admitted: Admitted): Eventually<Reply> {
    const { route, path, query, principal, space, mediaType } = admitted;
    const parameters = route.parseParameters({ path, query, headers: exchange.headers });
    return then(this.#readBody(exchange, admitted), (body) => {
      if (!route.hasEtag) checkPreconditions(exchange.request);
      return route.handle({ parameters, body, principal, mediaType, client: exchange }, space.store, space);
    });
  }

  /** Returns the value of a JSON body, the rows of another one, or undefined without any. */
  #readBody({ request, response }: Exchange, { route, principal, space }: Admitted): unknown {
    const { parseBody, hasRows, operation, bodyPlaces } = route;
    const { bodyBytesMax, silenceMaxMs } = this.#deps;
    if (parseBody === undefined) return undefined;
    if (hasRows) return toRowBody(request, response, parseBody, silenceMaxMs);
    space.store.requireWritable();
    const free = bodyPlaces?.take(principal?.limitKey ?? '');
    const read = readJson(request, response, operation.bodyBytesMax ?? bodyBytesMax).then(parseBody);
    return free === undefined ? read : read.finally(free);
  }
}

/** The rows are read by the handler, as fast as it stores them. */
function toRowBody(
  request: IncomingMessage,
  response: ServerResponse,
  parseRow: (value: unknown) => unknown,
  silenceMaxMs: number,
): RowBody<unknown> {
  return {
    mediaType: contentLengthOf(request) === undefined ? '' : (contentTypeOf(request)[0] ?? ''),
    chunks: readChunks(request, response, silenceMaxMs),
    parseRow,
  };
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
  const preflight = cors.replyToPreflight(request);
  if (preflight !== undefined) return preflight;
  const methods = page === undefined ? ofOperations : ['GET', 'HEAD'];
  if (methods.length === 0) {
    const isSlashed = path.endsWith('/') && contract.paths.find(path.slice(0, -1)) !== undefined;
    throw new ServiceError('path_unknown', isSlashed ? { detail: 'Omit the slash at its end' } : {});
  }
  const allow = methods.join(', ');
  throw new HttpError('method_not_allowed', { allow }, `Allowed: ${allow}`);
}

function findPage(request: IncomingMessage, path: string, pages: readonly Pages[]): Promise<Reply | undefined> {
  const found = pages.find(({ mount }) => path === mount || path.startsWith(`${mount}/`));
  return found === undefined ? Promise.resolve(undefined) : found.find(path.slice(found.mount.length), request);
}
