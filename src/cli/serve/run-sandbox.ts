/**
 * The life of a sandbox: opens the server of its spaces, waits for the end, and closes all in
 * order. Nothing of it is on disk.
 */
import type { Config } from '../../config/load-config.ts';
import { openSandbox } from '../../sandbox/open-sandbox.ts';
import type { CommandContext, StopSignal } from '../command-context.ts';
import { listen, toListening, urlOf } from './listen.ts';
import { openServer } from './open-server.ts';
import { openServiceLog } from './open-service-log.ts';
import { openTls } from './tls-files.ts';

/** Serves until a signal. Resolves to the exit code. */
export async function runSandbox(config: Config, context: CommandContext): Promise<number> {
  const log = await openServiceLog(config, context);
  const stop = Promise.withResolvers<StopSignal>();
  const shutdown = new AbortController();
  context.onStopSignal((signal) => {
    // There is nothing to lose.
    if (shutdown.signal.aborted) context.exitNow(1);
    shutdown.abort();
    stop.resolve(signal);
  });
  const tls = await openTls(config, context, log);
  const sandbox = openSandbox(shutdown.signal);
  try {
    const server = await openServer(config, {
      ...sandbox,
      now: () => context.now(),
      tls: tls?.used,
      log,
      shutdown: shutdown.signal,
    });
    tls?.watch((renewed) => server.renewTls(renewed));
    const port = await listen(config, () => server.listen(config.host, config.port));
    log.info({ url: urlOf(config, port), ...toListening(config, port) }, 'Ready');
    log.info({ signal: await stop.promise }, 'Draining');
    const isCut = await server.drain(config.drainTimeoutMs);
    if (isCut) log.warn('Cut the connections that did not finish in time');
  } finally {
    tls?.close();
    shutdown.abort();
    await sandbox.close();
    await log.flush();
  }
  log.info('Stopped');
  await log.flush();
  return 0;
}
