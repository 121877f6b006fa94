/** The life of a sandbox: opens its server, waits for the end, and closes all in order. */
import type { Config } from '../../config/load-config.ts';
import type { HttpServer } from '../../http/server.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/open-sandbox.ts';
import type { CommandContext } from '../command-context.ts';
import { awaitStop } from './await-stop.ts';
import { listen, toListening, urlOf } from './listen.ts';
import { openServer, type ServerDeps } from './open-server.ts';
import { openServiceLog } from './open-service-log.ts';
import { openTls } from './tls-files.ts';

/**
 * Serves until a signal. Resolves to the exit code.
 * @param toWelcome makes a text for a person, of the address.
 */
export async function runSandbox(
  config: Config,
  context: CommandContext,
  toWelcome: (url: string) => string = () => '',
): Promise<number> {
  const log = await openServiceLog(config, context);
  const { stopping, shutdown, stopped } = awaitStop(context, config, log);
  const tls = await openTls(config, context, log);
  const { server, close } = await openSandboxServer(config, {
    now: () => context.now(),
    tls: tls?.used,
    log,
    stopping,
    shutdown: shutdown.signal,
  });
  try {
    tls?.watch((renewed) => server.renewTls(renewed));
    const port = await listen(config, () => server.listen(config.host, config.port));
    const url = urlOf(config, port);
    log.info({ url, ...toListening(config, port) }, 'Ready');
    log.writeText(toWelcome(url));
    log.info({ signal: await stopped }, 'Draining');
    const isCut = await server.drain(config.drainTimeoutMs);
    if (isCut) log.warn('Cut the connections that did not finish in time');
  } finally {
    tls?.close();
    shutdown.abort();
    await close();
    await log.flush();
  }
  log.info('Stopped');
  await log.flush();
  return 0;
}

/** Builds the server of a sandbox, not yet listening. Call `close` after it. */
export async function openSandboxServer(
  config: Config,
  shared: Pick<ServerDeps, 'now' | 'tls' | 'log' | 'stopping' | 'shutdown'>,
): Promise<Pick<Sandbox, 'spaces' | 'close'> & { readonly server: HttpServer }> {
  const sandbox = await openSandbox(toOptions(config), shared);
  const server = await openServer(config, { ...sandbox.deps, ...shared });
  return { server, spaces: sandbox.spaces, close: () => sandbox.close() };
}

function toOptions(config: Config): SandboxOptions {
  return {
    idleMs: config.sandboxIdleMs,
    memoryBytesMax: config.sandboxMemoryBytesMax,
    bytesMax: config.sandboxSpaceBytesMax,
    changesMax: config.sandboxChangesMax,
    followersMax: config.sandboxFollowersMax,
    rate: config.sandboxRate,
    newSpacesRate: config.sandboxNewSpacesRate,
    trustedProxies: config.trustedProxies,
  };
}
