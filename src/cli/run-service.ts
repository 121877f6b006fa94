/** The composition root: opens what `serve` needs, wires it, and closes it in order. Every decision is made elsewhere. */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { Authenticator } from '../auth/authenticator.ts';
import type { Config } from '../config/load-config.ts';
import { options } from '../config/options.ts';
import { type Contract, loadContract } from '../contract/load-contract.ts';
import { Assets } from '../http/assets.ts';
import { Cors } from '../http/cors.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import type { Edge } from '../http/routes.ts';
import { createServer, type HttpServer } from '../http/server.ts';
import { openLog } from '../observe/log.ts';
import { toSystemReason } from '../observe/system-reason.ts';
import { openStore } from '../store/open-store.ts';
import type { CommandContext } from './command-context.ts';
import { ensureFirstToken } from './first-token.ts';

/** After a failure of the store: time for the answers that say so to leave, in milliseconds. */
const farewellMs = 1_000;

/** Serves until a signal or a failure. Resolves to the exit code: 0 after a drain, 1 after a failure of the store. */
export async function runService(config: Config, context: CommandContext): Promise<number> {
  const log = await openLog({ level: config.logLevel, format: config.logFormat, destination: context.stdout });
  context.onCrash((error) => {
    log.fatal({ error }, 'The service crashed');
    log.flushSync();
    context.exitNow(1);
  });
  const stop = Promise.withResolvers<'SIGINT' | 'SIGTERM'>();
  let isDraining = false;
  context.onStopSignal((signal) => {
    // What was acknowledged is on disk already, so leaving at once loses none of it.
    if (isDraining) context.exitNow(1);
    isDraining = true;
    stop.resolve(signal);
  });

  const opening = openStore(config.dataDir, { writesMax: config.queueWritesMax, bytesMax: config.queueBytesMax });
  // Read while the threads of the store start. Its failure is met below, where the store is closed.
  const contract = readContract();
  contract.catch(() => undefined);
  const store = await opening;
  try {
    const firstToken = await ensureFirstToken(store.tokens, config, context.now());
    if (firstToken?.warning !== undefined) log.warn(firstToken.warning);
    const server = await openServer(config, context, {
      store,
      contract: await contract,
      log,
      isDraining: () => isDraining,
    });
    const port = await listen(server, config);
    const hint = firstToken?.path === undefined ? {} : { firstToken: firstToken.path };
    log.info({ url: urlOf(config, port), ...hint }, 'Ready');

    let failure: Error | undefined;
    const failed = store.failed.then((error) => {
      failure = error;
      log.fatal({ error }, 'The store failed; ending without acknowledging what waits');
    });
    await Promise.race([stop.promise.then((signal) => log.info({ signal }, 'Draining')), failed]);
    isDraining = true;
    const isCut = await server.drain(failure === undefined ? config.drainTimeoutMs : farewellMs);
    if (isCut) log.warn('Cut the connections that did not finish in time');
    if (failure !== undefined) return 1;
  } finally {
    await store.close();
    log.flushSync();
  }
  log.info('Stopped');
  log.flushSync();
  return 0;
}

async function openServer(
  config: Config,
  context: CommandContext,
  { store, contract, log, isDraining }: Pick<Edge, 'store' | 'contract' | 'log' | 'isDraining'>,
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
      contract,
      store,
      authenticator,
      rateLimiter: rateLimit === 'off' ? undefined : new RateLimiter(rateLimit, () => performance.now()),
      cors: new Cors(config.corsOrigins),
      log,
      basePath: config.basePath,
      bodyBytesMax: config.bodyBytesMax,
      requestTimeoutMs: config.requestTimeoutMs,
      isDraining,
      assets: [
        new Assets('/console', fileURLToPath(new URL('../../console/dist', import.meta.url))),
        new Assets('/docs', fileURLToPath(new URL('../../console/dist-docs', import.meta.url)), {
          // The component writes a style element, and positions what it shows with style attributes.
          allowsInlineStyles: true,
        }),
      ],
    },
  );
}

/** The port that it listens on. @throws Error that names the address and what to do. */
async function listen(server: HttpServer, { host, port }: Config): Promise<number> {
  try {
    return await server.listen(host, port);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const option = code === 'EADDRNOTAVAIL' ? options.host : options.port;
    const remedy = `choose another with ${option.flag} or ${option.env}`;
    throw new Error(`Cannot listen on ${addressOf(host, port)}: ${toSystemReason(cause)}; ${remedy}`, { cause });
  }
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
  return loadContract(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
}

function urlOf({ host, tlsCertFile, basePath }: Config, port: number): string {
  return `${tlsCertFile === undefined ? 'http' : 'https'}://${addressOf(host, port)}${basePath}`;
}

function addressOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
