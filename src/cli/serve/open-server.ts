/** The composition root of HTTP: contract, operations and pages, wired into one server. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/load-config.ts';
import { loadContract } from '../../contract/load-contract.ts';
import { type DescriptionTexts, toServable } from '../../contract/server-description.ts';
import type { Store } from '../../domain/store.ts';
import { Pages } from '../../http/pages/pages.ts';
import { toSpace } from '../../http/space.ts';
import { Cors } from '../../http/steps/cors.ts';
import { RateLimiter } from '../../http/steps/rate-limit.ts';
import type { HttpDeps } from '../../http/request-steps.ts';
import { createServer, type HttpServer, type Tls } from '../../http/server.ts';
import { describePreferences } from '../../sandbox/describe-preferences.ts';
import type { CommandContext } from '../command-context.ts';
import { openAuthenticator } from './open-authenticator.ts';
import { fitConnections } from './open-files.ts';

interface SharedDeps extends Pick<HttpDeps, 'webhooks' | 'log' | 'observer' | 'tracer' | 'stopping' | 'shutdown'> {
  /** Undefined: plain HTTP. */
  readonly tls: Tls | undefined;
}

interface StoreDeps extends SharedDeps {
  readonly store: Store;
}

export interface ServerDeps
  extends
    SharedDeps,
    Pick<
      HttpDeps,
      'findSpace' | 'principals' | 'rateLimiter' | 'exportsMax' | 'isSandbox' | 'toForcedAnswers' | 'now'
    > {}

/** Builds the server of one store, not yet listening. */
export async function openStoreServer(
  config: Config,
  context: CommandContext,
  { store, ...shared }: StoreDeps,
): Promise<HttpServer> {
  const { rateLimit } = config;
  const { log, shutdown } = shared;
  const space = toSpace(store, shutdown);
  return openServer(config, {
    ...shared,
    now: () => context.now(),
    findSpace: () => space,
    principals: await openAuthenticator(config, store.tokens, context, log),
    rateLimiter: rateLimit === 'off' ? undefined : new RateLimiter(rateLimit, 'token', () => performance.now()),
  });
}

/** Builds the server, not yet listening. */
export async function openServer(config: Config, { tls, ...deps }: ServerDeps): Promise<HttpServer> {
  // The pages begin without a sign-in then, and say when it ends.
  const meta = deps.isSandbox === true ? { 'sandbox-idle': toWords(config.sandboxIdleMs) } : undefined;
  const texts = await readDescription('');
  // A choice in the menus of tools.
  const summary = deps.isSandbox === true ? 'This sandbox' : undefined;
  const served = deps.isSandbox === true ? describePreferences(texts) : texts;
  return createServer(
    { ...config, tls, connectionsMax: fitConnections(config.connectionsMax, deps.log) },
    {
      ...deps,
      contract: { ...loadContract(texts), ...toServable(served, summary) },
      sample: toServable(await readDescription('sample/'), summary),
      // A sandbox is there for pages of others, and has nothing to protect.
      cors: new Cors(deps.isSandbox === true && config.corsOrigins.length === 0 ? ['*'] : config.corsOrigins),
      basePath: config.basePath,
      bodyBytesMax: config.bodyBytesMax,
      silenceMaxMs: config.requestTimeoutMs,
      pages: [
        new Pages('/console', fileURLToPath(new URL('../../../console/dist', import.meta.url)), { meta }),
        new Pages('/docs', fileURLToPath(new URL('../../../console/dist-docs', import.meta.url)), {
          // The component writes a style element, and style attributes for what it positions.
          allowsInlineStyles: true,
          meta,
        }),
      ],
    },
  );
}

async function readDescription(folder: string): Promise<DescriptionTexts> {
  const read = (format: string): Promise<string> =>
    readFile(new URL(`../../../${folder}openapi.${format}`, import.meta.url), 'utf8');
  return { json: await read('json'), yaml: await read('yaml') };
}

/** Returns `90 minutes` or `1 hour`. */
function toWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
