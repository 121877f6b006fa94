/** Wires the metrics: what they observe, what they ask for at a scrape, and their listener. */
import { X509Certificate } from 'node:crypto';
import { stat, statfs } from 'node:fs/promises';
import { versions } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/load-config.ts';
import type { Lag } from '../../domain/change-log.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import { toWebhookState } from '../../domain/webhooks.ts';
import type { HttpServer } from '../../http/server.ts';
import type { Log } from '../../observe/log.ts';
import type { Metrics, WebhookGauges } from '../../observe/metrics.ts';
import { databaseFiles, firstStartFile, lastBackupFile } from '../../store/store-files.ts';
import type { QueueLoad, StoreObserver } from '../../store/store-observer.ts';
import type { CommandContext } from '../command-context.ts';
import { listen } from './listen.ts';
import type { TlsFiles } from './tls-files.ts';

/** A store that takes longer to respond is down for a scraper, in milliseconds. */
const pingMs = 2_000;

export interface MetricsParts {
  readonly store: Store;
  readonly server: HttpServer;
  readonly log: Log;
  readonly tls: TlsFiles | undefined;
  readonly now: () => number;
  /** Absent: the store has no folder. */
  readonly folder: string | undefined;
  /** Aborted: not ready any more. */
  readonly stopping: AbortSignal;
}

export interface OpenedMetrics {
  readonly metrics: Metrics;
  readonly observer: StoreObserver;
  /** Listens. Resolves to a function that ends it. @throws Error that names the address. */
  serve(parts: MetricsParts): Promise<() => void>;
}

/** Resolves to undefined, and loads nothing, if the metrics have no port. */
export async function openMetrics(config: Config, { version }: CommandContext): Promise<OpenedMetrics | undefined> {
  const { metricsPort, metricsHost } = config;
  if (metricsPort === undefined) return undefined;
  const [{ Metrics }, { openMetricsServer }] = await Promise.all([
    import('../../observe/metrics.ts'),
    import('../../observe/metrics-server.ts'),
  ]);
  const metrics = new Metrics({ version, node: versions.node });
  let load: () => QueueLoad = () => ({ writes: 0, bytes: 0 });
  return {
    metrics,
    observer: {
      onOpen: (queue) => (load = queue),
      onCommit: (report) => metrics.commitEnded(report),
      onRefused: ({ code }) => metrics.writesRefused(code, 1),
      onLogFull: () => metrics.logFilled(),
      onRead: () => undefined,
    },
    serve: async ({ store, server: api, log, tls, now, folder, stopping }) => {
      const isUp = (): Promise<boolean> =>
        Promise.race([store.ping().then(() => true), sleep(pingMs, false, { ref: false })]).catch(() => false);
      metrics.watch({
        isUp,
        queue: () => load(),
        connections: () => api.countConnections(),
        freeBytes: async () => orNone(folder && statfs(folder).then(({ bavail, bsize }) => bavail * bsize)),
        databaseBytes: async () => orNone(folder && sizeOf(databaseFiles(folder))),
        firstStart: async () => orNone(folder && changeOf(firstStartFile(folder))),
        lastBackup: async () => orNone(folder && changeOf(lastBackupFile(folder))),
        tlsNotAfter: () => tls && new X509Certificate(tls.used.cert).validToDate.getTime() / 1_000,
        webhooks: () => readWebhooks(store, now()).catch(() => undefined),
      });
      const isReady = async (): Promise<boolean> => !stopping.aborted && !store.isBusy() && (await isUp());
      const say = (status: number): { status: number; type: string; text: string } => ({
        status,
        type: 'text/plain',
        text: status === 200 ? 'ok\n' : 'unavailable\n',
      });
      const address = { host: metricsHost, port: metricsPort };
      const pages = {
        '/metrics': async () => ({ status: 200, type: metrics.contentType, text: await metrics.toText() }),
        '/livez': async () => Promise.resolve(say(200)),
        '/readyz': async () => say((await isReady()) ? 200 : 503),
      };
      const server = await listen({ ...config, ...address }, () => openMetricsServer(address, pages));
      log.info({ port: server.port, host: metricsHost }, 'Serving metrics');
      return () => server.close();
    },
  };
}

/** Both get each event. */
export function joinObservers(one: StoreObserver, other: StoreObserver | undefined): StoreObserver {
  if (other === undefined) return one;
  return {
    onOpen: (queue) => other.onOpen?.(queue),
    onCommit: (report) => [one, other].forEach((each) => each.onCommit(report)),
    onRefused: (refusal) => [one, other].forEach((each) => each.onRefused(refusal)),
    onLogFull: () => [one, other].forEach((each) => each.onLogFull()),
    onRead: (refusal) => [one, other].forEach((each) => each.onRead(refusal)),
  };
}

async function readWebhooks(store: Store, now: number): Promise<WebhookGauges> {
  const enabled = (await store.webhooks.list()).filter((each) => toWebhookState(each).isEnabled);
  const lags = await Promise.all(enabled.map(({ progress }) => findLag(store, progress.position)));
  const longest = (since: readonly (number | undefined)[]): number =>
    Math.max(0, ...since.map((each = now) => now - each)) / 1_000;
  return {
    failingSeconds: longest(enabled.map((each) => toWebhookState(each).failing?.since)),
    lagSeconds: longest(lags.map(({ since }) => since)),
    lagChanges: Math.max(0, ...lags.map(({ changes }) => changes)),
  };
}

/** A webhook whose position is of another log goes on after the newest change. */
async function findLag({ changes }: Store, position: string): Promise<Lag> {
  return changes.lagOf(position).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'position_unknown') return { changes: 0 };
    throw error;
  });
}

/** What cannot be read is not in the scrape. */
async function orNone(value: Promise<number> | '' | undefined): Promise<number | undefined> {
  return value === '' || value === undefined ? undefined : value.catch(() => undefined);
}

/** Resolves to the time of the last change, in seconds since 1970. */
async function changeOf(path: string): Promise<number> {
  return (await stat(path)).mtimeMs / 1_000;
}

async function sizeOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
