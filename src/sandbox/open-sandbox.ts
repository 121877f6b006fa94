/** A sandbox: every token has a space of its own, with the same plants, in place of a store. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../domain/errors.ts';
import type { Principal, Scope } from '../domain/principal.ts';
import type { Webhooks } from '../domain/webhooks.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpDeps } from '../http/request-steps.ts';
import { toSpace } from '../http/space.ts';
import { findNetwork, toTrusted } from '../http/steps/client-address.ts';
import { type RateLimit, RateLimiter } from '../http/steps/rate-limit.ts';
import type { Log } from '../observe/log.ts';
import { ForcedAnswers } from './forced-answers.ts';
import { readPreferences } from './read-preferences.ts';
import { parseSandboxToken, tokenRule } from './sandbox-token.ts';
import { openSeed } from './seed.ts';
import { type SpaceLimits, Spaces } from './spaces.ts';

export interface SandboxOptions extends SpaceLimits {
  /** Requests of one client network. */
  readonly rate: RateLimit | 'off';
  /** Spaces that one client network makes; for IPv6, one /48. */
  readonly newSpacesRate: RateLimit | 'off';
  /** Addresses and CIDR networks whose X-Forwarded-For fields are trusted. */
  readonly trustedProxies: readonly string[];
}

type SandboxDeps = Required<
  Pick<
    HttpDeps,
    'findSpace' | 'principals' | 'rateLimiter' | 'webhooks' | 'exportsMax' | 'isSandbox' | 'toForcedAnswers'
  >
>;

export interface Sandbox {
  readonly deps: SandboxDeps;
  readonly spaces: Spaces;
  close(): Promise<void>;
}

/** Concurrent exports. */
const exportsMax = 64;

/** @param shutdown ends all followers. */
export async function openSandbox(
  options: SandboxOptions,
  { log, shutdown }: Pick<HttpDeps, 'shutdown'> & { readonly log: Pick<Log, 'error'> },
): Promise<Sandbox> {
  const now = (): number => performance.now();
  const toLimiter = (rate: RateLimit | 'off', name: 'client' | 'spaces'): RateLimiter | undefined =>
    rate === 'off' ? undefined : new RateLimiter(rate, name, now);
  const seed = await openSeed();
  const seedSpace = toSpace(seed.store, shutdown);
  const spaces = new Spaces(seed, options, log, now);
  const newSpaces = toLimiter(options.newSpacesRate, 'spaces');
  const isTrusted = toTrusted(options.trustedProxies);
  shutdown.addEventListener('abort', () => spaces.end());
  const deps: SandboxDeps = {
    isSandbox: true,
    findSpace: (exchange) => {
      const { principal } = exchange;
      if (principal === undefined) return seedSpace;
      if (wantsReset(exchange, principal)) spaces.reset(principal.tokenId);
      const found = spaces.find(principal.tokenId);
      if (found !== undefined || !makesSpace(exchange)) return found ?? seedSpace;
      newSpaces?.take(findNetwork(exchange.request, isTrusted, 48));
      return spaces.add(principal.tokenId);
    },
    principals: {
      find: (token, request) => {
        const known = parseSandboxToken(token);
        if (known === undefined) return { reason: 'not a token of a sandbox', detail: tokenRule };
        return { ...known, limitKey: findNetwork(request, isTrusted) };
      },
      rule: tokenRule,
      explainMissing,
    },
    rateLimiter: toLimiter(options.rate, 'client'),
    exportsMax,
    toForcedAnswers: (contract) =>
      new ForcedAnswers({ contract, shutdown, findNetwork: (request) => findNetwork(request, isTrusted) }),
    webhooks: noWebhooks,
  };
  return {
    deps,
    spaces,
    close: async () => {
      await spaces.close();
      await seed.store.close();
    },
  };
}

/** Returns whether a space is reset before the request is served, and tells the client. */
function wantsReset({ request, response }: Exchange, { scopes }: Principal): boolean {
  const { prefer } = request.headers;
  // A reset is a write; who only reads is served without it (RFC 7240, section 2).
  if (prefer === undefined || !scopes.has('plants:write')) return false;
  if (readPreferences(String(prefer)).get('reset') !== '') return false;
  response.appendHeader('preference-applied', 'reset');
  return true;
}

/** Says what a token of a sandbox cannot do at all, and what a read-only one cannot. */
function explainMissing(scope: Scope): string {
  const force = 'Force an answer with the header field Prefer, such as "Prefer: code=200"';
  if (scope === 'plants:write') return `Required: ${scope}, which "sandbox-NAME" has and "sandbox-read-NAME" has not`;
  if (scope === 'webhooks:manage') return `A sandbox sends no requests. ${force}`;
  return `A sandbox stores no tokens: any "sandbox-NAME" is valid. ${force}`;
}

/** Returns whether a request writes, or waits for a change: others read the seed. */
function makesSpace({ operation, request }: Exchange): boolean {
  if (operation?.scope === 'plants:write') return true;
  return operation?.operationId === 'listChanges' && request.method !== 'HEAD' && waits(request);
}

function waits({ url = '', headers: { accept = '' } }: IncomingMessage): boolean {
  const wait = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('wait');
  return Number(wait) > 0 || /\btext\/event-stream\b/i.test(accept);
}

const refuse = (): Promise<never> => Promise.reject(new ServiceError('scope_missing'));

/** Never called: no token has the scope. */
const noWebhooks: Webhooks = {
  create: refuse,
  update: refuse,
  delete: refuse,
  findBacklog: refuse,
  rotateSecret: refuse,
  test: refuse,
  retry: refuse,
};
