/** The life of `serve`: opens what it needs, waits for the end, and closes all in order. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/load-config.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import type { Log } from '../../observe/log.ts';
import { watchClock } from '../../observe/watch-clock.ts';
import { watchFiles } from '../../observe/watch-files.ts';
import { openStore, type StoreOptions } from '../../store/open-store.ts';
import type { StoreLocation } from '../../store/store-location.ts';
import { type CommandContext, toProgram } from '../command-context.ts';
import { announceReady } from './announce-ready.ts';
import { awaitStop } from './await-stop.ts';
import { joinObservers, openMetrics } from './open-metrics.ts';
import { openTraces } from './open-traces.ts';
import { ensureFirstToken, type FirstToken } from './first-token.ts';
import { listen, requireAddress } from './listen.ts';
import { openServiceLog } from './open-service-log.ts';
import { toStoreObserver } from './store-log.ts';
import { openTls } from './tls-files.ts';
import type { StartedWebhooks } from './start-webhooks.ts';

/** After a failure of the store: time for the answers that say so to leave, in milliseconds. */
const farewellMs = 1_000;
/** Milliseconds between two attempts to store the first token while the database is away. */
const retryMs = 1_000;

/** What is served. */
export interface StoreSource {
  /** Absent: the store has no folder. */
  readonly folder?: string | undefined;
  readonly open: (options: StoreOptions) => Promise<Store> | Store;
}

export function toStoreSource(location: StoreLocation): StoreSource {
  const folder = 'folder' in location ? location.folder : undefined;
  return { folder, open: (options) => openStore(location, options) };
}

/** Serves until a signal or a failure. Resolves to the exit code: 1 if the store failed. */
export async function runService(config: Config, source: StoreSource, context: CommandContext): Promise<number> {
  const { folder } = source;
  const log = await openServiceLog(config, context);
  const { stopping, shutdown, stopped } = awaitStop(context, config, log);
  const tls = await openTls(config, context, log);
  const metrics = await openMetrics(config, context);
  const tracing = await openTraces(context, log);
  // Not if the folder exists: a service started twice should report that its folder is in use.
  if (folder !== undefined && !existsSync(folder)) await requireAddress(config);
  const [store, { openStoreServer }, { startWebhooks }] = await Promise.all([
    source.open({
      ...toStoreOptions(config, log),
      observer: joinObservers(toStoreObserver(log, { reportsAbsence: folder !== undefined }), metrics?.observer),
    }),
    // Half of the code that is loaded: it is, while the threads of the store start.
    import('./open-server.ts'),
    import('./start-webhooks.ts'),
  ]);
  const endWatches = [watchClock(log, () => context.now()), watchFiles(log)];
  let webhooks: StartedWebhooks | undefined;
  let endMetrics: (() => void) | undefined;
  let code = 0;
  let isLate = false;
  try {
    const ensure = (): ReturnType<typeof ensureFirstToken> =>
      ensureFirstToken(store.tokens, { ...config, dataDir: folder, program: toProgram(context) }, context.now());
    const firstToken = await whenReachable(ensure, shutdown.signal, (late) => warnOf(late, log));
    warnOf(firstToken, log);
    const shared = { store, log, stopping, shutdown: shutdown.signal, tracer: tracing?.traces };
    const now = (): number => context.now();
    const onAttempt = metrics && ((isDelivered: boolean) => metrics.metrics.deliveryEnded(isDelivered));
    webhooks = await startWebhooks(config, { ...shared, dataDir: folder, now, onAttempt });
    const server = await openStoreServer(config, context, {
      ...shared,
      webhooks: webhooks.webhooks,
      tls: tls?.used,
      observer: metrics?.metrics,
    });
    endMetrics = await metrics?.serve({ ...shared, server, folder, tls, now });
    tls?.watch((renewed) => server.renewTls(renewed));
    const port = await listen(config, () => server.listen(config.host, config.port));
    const isAway = folder === undefined && store.isBusy();
    const firstTokenPath = firstToken?.path;
    await announceReady(config, context, { port, folder, tokens: store.tokens, firstTokenPath, isAway, log });

    const end = await Promise.race([stopped, store.failed]);
    if (end instanceof Error) log.fatal({ error: end }, 'The store failed; ending without acknowledging what waits');
    else log.info({ signal: end }, 'Draining');
    shutdown.abort();
    if (await server.drain(end instanceof Error ? farewellMs : config.drainTimeoutMs))
      log.warn('Cut the connections that did not finish in time');
    if (end instanceof Error) code = 1;
  } finally {
    for (const end of endWatches) end();
    tls?.close();
    endMetrics?.();
    shutdown.abort();
    await webhooks?.stop();
    const flushed = tracing?.close();
    await store.close();
    isLate = (await flushed) === false;
    await log.flush();
  }
  if (code === 0) log.info('Stopped');
  await log.flush();
  // A receiver of traces that does not respond would keep the process alive.
  if (isLate) context.exitNow(code);
  return code;
}

function toStoreOptions(config: Config, log: Log): StoreOptions {
  return {
    limits: { writesMax: config.queueWritesMax, bytesMax: config.queueBytesMax },
    changeLimits: { recordsMax: config.changesMax, ageMsMax: config.changesAgeMsMax },
    migrate: config.migrate,
    onNotice: (message, level, fields = {}) => log[level](fields, message),
  };
}

/**
 * Does it now; while the database cannot be reached, later and again, which nobody waits for.
 * @throws What `ensure` throws at first.
 */
async function whenReachable<Result>(
  ensure: () => Promise<Result>,
  shutdown: AbortSignal,
  onLate: (result: Result) => void,
): Promise<Result | undefined> {
  try {
    return await ensure();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
  const again = async (): Promise<void> => {
    while (!shutdown.aborted) {
      await sleep(retryMs, undefined, { signal: shutdown, ref: false });
      try {
        onLate(await ensure());
        return;
      } catch {
        // The cluster reports what is wrong; the next attempt may succeed.
      }
    }
  };
  again().catch(() => undefined);
  return undefined;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'store_unavailable';
}

function warnOf(firstToken: FirstToken | undefined, log: Log): void {
  if (firstToken?.warning !== undefined) log.warn(firstToken.warning);
}
