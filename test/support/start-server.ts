/** Runs the HTTP server in the test's process on a given store: for measurements, or a store that must not answer. */
import { Authenticator } from '../../src/auth/authenticator.ts';
import { type Principal, scopes } from '../../src/domain/principal.ts';
import type { Store } from '../../src/domain/store.ts';
import type { HttpDeps } from '../../src/http/request-steps.ts';
import { createServer } from '../../src/http/server.ts';
import { toSpace } from '../../src/http/space.ts';
import { Cors } from '../../src/http/steps/cors.ts';
import { toAddressPolicy } from '../../src/webhooks/addresses.ts';
import { Sender } from '../../src/webhooks/sender.ts';
import { WebhookService } from '../../src/webhooks/webhook-service.ts';
import type { Cleanup } from './clean-up.ts';
import { contract, sample } from './read-contract.ts';
import { recordLog } from './record-log.ts';

const limits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  connectionsMax: 1_000,
};
const principal: Principal = { tokenId: 'test', name: 'test', limitKey: 'test', scopes: new Set(scopes) };

/** Grants every token all scopes. */
class Trusting extends Authenticator {
  override find(): Principal {
    return principal;
  }
}

/**
 * Resolves to the port. The server stops when `scope` ends.
 * @param other the store of requests with a field `Other`.
 * @param deps what differs from an ordinary service.
 */
export async function startServer(
  scope: Cleanup,
  store: Store,
  pages: HttpDeps['pages'] = [],
  other = store,
  deps: Partial<HttpDeps> = {},
): Promise<number> {
  const shutdown = new AbortController();
  const clock = { now: () => 0, elapsed: () => 0 };
  const policy = toAddressPolicy(false);
  const webhooks = new WebhookService({
    store,
    policy,
    sender: new Sender({ policy }),
    readKey: () => Promise.resolve(Buffer.alloc(32)),
    now: clock.now,
    onChange: () => undefined,
    shutdown: shutdown.signal,
  });
  const [space, otherSpace] = [toSpace(store, shutdown.signal), toSpace(other, shutdown.signal)];
  const server = createServer(
    { ...limits, trustedProxies: ['127.0.0.1'], accessLog: 'errors' },
    {
      contract,
      sample,
      findSpace: ({ request }) => (request.headers['other'] === undefined ? space : otherSpace),
      webhooks,
      now: clock.now,
      principals: new Trusting(store.tokens, clock, () => undefined),
      cors: new Cors(['https://shop.example']),
      log: (await recordLog('silent')).log,
      basePath: '',
      bodyBytesMax: 65_536,
      silenceMaxMs: 30_000,
      stopping: shutdown.signal,
      shutdown: shutdown.signal,
      pages,
      ...deps,
    },
  );
  scope.after(async () => {
    shutdown.abort();
    await server.drain(0);
  });
  return server.listen('127.0.0.1', 0);
}
