/** The composition root of HTTP: the contract, the operations on the store and the pages, wired into one server. Every decision is made elsewhere. */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { Authenticator } from '../../auth/authenticator.ts';
import type { Config } from '../../config/load-config.ts';
import { type Contract, loadContract } from '../../contract/load-contract.ts';
import { Pages } from '../../http/pages/pages.ts';
import { Cors } from '../../http/steps/cors.ts';
import { RateLimiter } from '../../http/steps/rate-limit.ts';
import type { HttpDeps } from '../../http/routes.ts';
import { createServer, type HttpServer } from '../../http/server.ts';
import type { CommandContext } from '../command-context.ts';

/** Builds the server, not yet listening. @throws Error for a certificate that cannot be used. */
export async function openServer(
  config: Config,
  context: CommandContext,
  { store, log, shutdown }: Pick<HttpDeps, 'store' | 'log' | 'shutdown'>,
): Promise<HttpServer> {
  const { rateLimit } = config;
  const tls = await readTls(config);
  const authenticator = new Authenticator(
    store.tokens,
    () => context.now(),
    (error) => log.warn({ error }, 'Cannot note when a token was last used'),
  );
  return createServer(
    { ...config, tls },
    {
      contract: await readContract(),
      store,
      authenticator,
      rateLimiter: rateLimit === 'off' ? undefined : new RateLimiter(rateLimit, () => performance.now()),
      cors: new Cors(config.corsOrigins),
      log,
      basePath: config.basePath,
      bodyBytesMax: config.bodyBytesMax,
      requestTimeoutMs: config.requestTimeoutMs,
      shutdown,
      pages: [
        new Pages('/console', fileURLToPath(new URL('../../../console/dist', import.meta.url))),
        new Pages('/docs', fileURLToPath(new URL('../../../console/dist-docs', import.meta.url)), {
          // The component writes a style element, and positions what it shows with style attributes.
          allowsInlineStyles: true,
        }),
      ],
    },
  );
}

/** @throws Error when the files cannot be read, or do not belong together. */
async function readTls({ tlsCertFile, tlsKeyFile }: Config): Promise<{ cert: string; key: string } | undefined> {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  try {
    const tls = { cert: await readFile(tlsCertFile, 'utf8'), key: await readFile(tlsKeyFile, 'utf8') };
    createSecureContext(tls);
    return tls;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot use the certificate ${tlsCertFile} with the key ${tlsKeyFile}: ${reason}`, { cause });
  }
}

async function readContract(): Promise<Contract> {
  const read = (name: string): Promise<string> => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
  return loadContract({ json: await read('openapi.json'), yaml: await read('openapi.yaml') });
}
