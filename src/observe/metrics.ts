/**
 * The metrics of the service in the text format of Prometheus. Loaded only if they are switched on.
 * What they are taken from is given; no label has an id, a tag, a token or a URL.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { RequestDurations } from './request-durations.ts';

/** In seconds. */
const streamBuckets = [0.1, 1, 10, 60, 600, 3_600];
const commitBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const sizeBuckets = [1, 4, 16, 64, 256, 512];

export interface EndedRequest {
  readonly method: string;
  /**
   * The path template of the description. Undefined for another path, or a client without a valid
   * token.
   */
  readonly route: string | undefined;
  /** Undefined if the client disconnected first. */
  readonly status: number | undefined;
  readonly seconds: number;
  /** Whether it lasts as long as the client or its rows want: an import, an export, a poll. */
  readonly isLong: boolean;
  readonly token: 'valid' | 'invalid' | 'missing' | undefined;
}

export interface EndedCommit {
  readonly writes: number;
  readonly committedMs: number;
  readonly failure?: { readonly code: string };
}

/** Values that are asked for at each scrape; undefined where there is none. */
export interface MetricSources {
  readonly isUp: () => Promise<boolean>;
  readonly queue: () => { readonly writes: number; readonly bytes: number };
  readonly freeBytes: () => Promise<number | undefined>;
  readonly databaseBytes: () => Promise<number | undefined>;
  /** Seconds since 1970. */
  readonly firstStart: () => Promise<number | undefined>;
  readonly lastBackup: () => Promise<number | undefined>;
  readonly tlsNotAfter: () => number | undefined;
  readonly connections: () => Promise<{ readonly open: number; readonly max: number; readonly refused: number }>;
  /** Called once for each scrape. */
  readonly webhooks: () => Promise<WebhookGauges | undefined>;
}

/** The worst of all enabled webhooks, each 0 if there is none. */
export interface WebhookGauges {
  readonly failingSeconds: number;
  /** Age of the oldest change that one has not dealt with. */
  readonly lagSeconds: number;
  readonly lagChanges: number;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestDurations();
  readonly #tokenChecks = { valid: 0, invalid: 0, missing: 0 };
  #active = 0;
  #isFull = false;
  #isLogFull = false;
  #readWebhooks: MetricSources['webhooks'] = async () => Promise.resolve(undefined);
  /** The states of the webhooks at the latest scrape. */
  #webhooks: ReturnType<MetricSources['webhooks']> | undefined;
  readonly #streams = this.#histogram(
    'plant_store_stream_duration_seconds',
    'Duration of imports, exports, batches and requests for changes',
    streamBuckets,
    ['http_route'],
  );
  readonly #commits = this.#histogram('plant_store_commit_duration_seconds', 'Duration of commits', commitBuckets);
  readonly #commitWrites = this.#histogram('plant_store_commit_writes', 'Writes of a commit', sizeBuckets);
  readonly #refused = this.#counter('plant_store_writes_refused_total', 'Writes that were refused', 'reason');
  readonly #deliveries = this.#counter('plant_store_webhook_deliveries_total', 'Attempts of deliveries', 'outcome');

  /** @param build what is constant of this process. */
  constructor(build: Readonly<Record<'version' | 'node', string>>) {
    collectDefaultMetrics({ register: this.#registry });
    const info = {
      name: 'plant_store_build_info',
      help: 'Version of the program and of Node',
      registers: [this.#registry],
    };
    new Gauge({ ...info, labelNames: ['version', 'node'] }).set(build, 1);
    this.#gauge('http_server_active_requests', 'Requests that are not answered yet', () => this.#active);
    this.#gauge('plant_store_store_full', '1 while writes are refused because the disk is full', () =>
      Number(this.#isFull),
    );
    this.#gauge('plant_store_log_full', '1 while writes are refused because a reader blocks the write-ahead log', () =>
      Number(this.#isLogFull),
    );
    const checks = this.#tokenChecks;
    new Counter<string>({
      ...{ name: 'plant_store_token_checks_total', help: 'Checks of tokens', labelNames: ['result'] },
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [result, count] of Object.entries(checks)) this.inc({ result }, count);
      },
    });
    // So that a rate exists before the first one.
    for (const outcome of ['delivered', 'failed']) this.#deliveries.inc({ outcome }, 0);
    for (const reason of ['store_busy', 'store_full', 'store_unavailable']) this.#refused.inc({ reason }, 0);
  }

  /** Call once, before the first scrape. */
  watch(sources: MetricSources): void {
    const { queue, connections } = sources;
    this.#gauge('plant_store_store_up', '1 if the store responds', () => sources.isUp().then(Number));
    this.#gauge('plant_store_write_queue_writes', 'Writes that wait or are being committed', () => queue().writes);
    this.#gauge('plant_store_write_queue_bytes', 'Memory of these writes', () => queue().bytes);
    this.#gauge('plant_store_connections', 'Open connections', async () => (await connections()).open);
    this.#gauge('plant_store_connections_max', 'Maximum of them', async () => (await connections()).max);
    new Counter({
      ...{ name: 'plant_store_connections_refused_total', help: 'Connections that were closed at the maximum' },
      registers: [this.#registry],
      async collect() {
        const { refused } = await connections();
        this.reset();
        this.inc(refused);
      },
    });
    this.#gauge('plant_store_data_free_bytes', 'Free space on the disk of the data folder', sources.freeBytes);
    this.#gauge('plant_store_database_size_bytes', 'Size of the database, with its log', sources.databaseBytes);
    const ofWebhooks = (name: string, help: string, member: keyof WebhookGauges): void =>
      this.#gauge(`plant_store_webhook_${name}`, help, async () => (await this.#webhooks)?.[member]);
    ofWebhooks('oldest_seconds', 'How long a webhook has failed', 'failingSeconds');
    ofWebhooks('lag_seconds', 'Age of the oldest change that a webhook has not delivered', 'lagSeconds');
    ofWebhooks('lag_changes', 'Changes that a webhook has not delivered', 'lagChanges');
    this.#readWebhooks = sources.webhooks;
    this.#gauge(
      'plant_store_created_timestamp_seconds',
      'Time of the first start on the data folder',
      sources.firstStart,
    );
    this.#gauge('plant_store_backup_last_success_timestamp_seconds', 'Time of the last backup', sources.lastBackup);
    this.#gauge('plant_store_tls_not_after_timestamp_seconds', 'When the certificate expires', sources.tlsNotAfter);
  }

  /** Resolves to the text of a scrape. */
  async toText(): Promise<string> {
    this.#webhooks = this.#readWebhooks();
    return `${await this.#registry.metrics()}\n${this.#requests.toText()}`;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  requestBegun(): void {
    this.#active += 1;
  }

  requestEnded({ method, route, status, seconds, isLong, token }: EndedRequest): void {
    this.#active -= 1;
    if (token !== undefined) this.#tokenChecks[token] += 1;
    if (status === undefined) return;
    if (isLong && route !== undefined) this.#streams.observe({ http_route: route }, seconds);
    else this.#requests.observe(method, route, status, seconds);
  }

  commitEnded({ writes, committedMs, failure }: EndedCommit): void {
    if (failure !== undefined) {
      this.writesRefused(failure.code, writes);
      this.#isFull ||= failure.code === 'store_full';
      return;
    }
    this.#isFull = false;
    this.#isLogFull = false;
    this.#commits.observe({}, committedMs / 1_000);
    this.#commitWrites.observe({}, writes);
  }

  writesRefused(reason: string, writes: number): void {
    this.#refused.inc({ reason }, writes);
  }

  /** Until the next commit. */
  logFilled(): void {
    this.#isLogFull = true;
  }

  deliveryEnded(isDelivered: boolean): void {
    this.#deliveries.inc({ outcome: isDelivered ? 'delivered' : 'failed' });
  }

  #histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram<string> {
    return new Histogram<string>({ name, help, buckets, labelNames, registers: [this.#registry] });
  }

  #counter(name: string, help: string, label: string): Counter<string> {
    return new Counter<string>({ name, help, labelNames: [label], registers: [this.#registry] });
  }

  /** Without a value, it is not in the scrape. */
  #gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: async () => {
        const value = await read();
        gauge.reset();
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      },
    });
  }
}
