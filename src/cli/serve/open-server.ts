/** The composition root of HTTP: the contract, the operations on the store and the pages, wired into one server. Every decision is made elsewhere. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
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

/** Open files that are kept for the store, its snapshots, the log and the pages (measured: 45 at most). */
const filesReserved = 64;

/** Builds the server, not yet listening. @throws Error for a certificate that cannot be used. */
export async function openServer(
  config: Config,
  context: CommandContext,
  { store, webhooks, log, shutdown }: Pick<HttpDeps, 'store' | 'webhooks' | 'log' | 'shutdown'>,
): Promise<HttpServer> {
  const { rateLimit } = config;
  const tls = await readTls(config);
  if (tls !== undefined) warnOfDates(tls.cert, context.now(), log);
  const authenticator = new Authenticator(
    store.tokens,
    { now: () => context.now(), elapsed: () => performance.now() },
    (error) => log.warn({ error }, 'Cannot note when a token was last used'),
  );
  return createServer(
    { ...config, tls, connectionsMax: await fitConnections(config.connectionsMax) },
    {
      contract: await readContract(),
      store,
      webhooks,
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
    // A context of two kinds of key, such as EC and RSA, is made all the same; then each handshake fails.
    if (!new X509Certificate(tls.cert).checkPrivateKey(createPrivateKey(tls.key)))
      throw new Error('the key is not that of the certificate');
    return tls;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot use the certificate ${tlsCertFile} with the key ${tlsKeyFile}: ${reason}`, { cause });
  }
}

function warnOfDates(cert: string, now: number, log: HttpDeps['log']): void {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  if (now > validToDate.getTime()) log.warn({ validTo: validToDate }, 'The TLS certificate has expired');
  if (now < validFromDate.getTime()) log.warn({ validFrom: validFromDate }, 'The TLS certificate is not valid yet');
}

/** The connections that the limit on open files leaves room for: strangers must not use up the descriptors of the store. */
async function fitConnections(wanted: number): Promise<number> {
  // Other systems do not say it in a file; the limit is then what was configured.
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.max(1, Math.min(wanted, files - filesReserved));
}

async function readContract(): Promise<Contract> {
  const read = (name: string): Promise<string> => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
  return loadContract({ json: await read('openapi.json'), yaml: await read('openapi.yaml') });
}
