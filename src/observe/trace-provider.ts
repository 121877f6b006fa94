/**
 * Samples and exports spans, as the variables of OpenTelemetry say. Loaded only if traces are
 * switched on. The exporter itself reads those about its requests: fields, files of TLS,
 * compression.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { diag, DiagLogLevel, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import { StateLine } from './state-line.ts';

/** Spans that wait to be sent; further ones are dropped. */
const waitingMax = 2_048;
const batchMax = 512;
/** Requests of the exporter at a time: at the end of the process, one and all that waits. */
const exportsMax = 1 + waitingMax / batchMax;
/**
 * Maximum time-out of a request, in milliseconds. Node prints a warning outside the log for a
 * longer timer.
 */
const timeoutMsMax = 2 ** 31 - 1;
const defaultTimeoutMs = 10_000;
/** How long the end of the process waits for the receiver, in milliseconds. */
const flushMs = 2_000;
/** The ratio of traces that begin in this service and are exported. */
const defaultRatio = 0.01;

export interface TraceSettings {
  readonly url: string;
  /** `OTEL_TRACES_SAMPLER` and its argument. */
  readonly sampler: string | undefined;
  readonly samplerArg: string | undefined;
  /** `OTEL_EXPORTER_OTLP_PROTOCOL`, or `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL`. */
  readonly protocol: string | undefined;
  /** `OTEL_EXPORTER_OTLP_TIMEOUT`, or `OTEL_EXPORTER_OTLP_TRACES_TIMEOUT`, in milliseconds. */
  readonly timeout: string | undefined;
  /** `OTEL_RESOURCE_ATTRIBUTES`. */
  readonly resourceAttributes: string | undefined;
  readonly version: string;
}

export interface TraceProvider {
  readonly tracer: Tracer;
  /** Sends what waits. Resolves to false if that did not end in time. */
  close(): Promise<boolean>;
}

export function openTraceProvider(
  { url, protocol, timeout, resourceAttributes, version, ...settings }: TraceSettings,
  log: Log,
): TraceProvider {
  const ignore = (reason: string): void => log.warn({ reason }, 'Ignored a setting of OpenTelemetry');
  const nothing = (): void => undefined;
  // By default, the library would also log each batch that is lost.
  const logger = { error: ignore, warn: ignore, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  if (protocol !== undefined && protocol !== 'http/protobuf')
    ignore(`Traces are sent by http/protobuf, not by ${JSON.stringify(protocol)}`);
  // The exporter itself ignores what is no finite number above 0.
  const isTooLong = Number.isFinite(Number(timeout)) && Number(timeout) > timeoutMsMax;
  if (isTooLong) ignore(`OTEL_EXPORTER_OTLP_TIMEOUT must be at most ${timeoutMsMax}, in milliseconds`);
  const timeoutMillis = isTooLong ? { timeoutMillis: defaultTimeoutMs } : {};
  const own = resourceFromAttributes({ 'service.name': 'plant-store', 'service.version': version });
  const given = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
  // Without a word, the library drops all of them for the sake of one.
  const attributes = detectResources({ detectors: [resourceAttributesEnvDetector] }).attributes;
  if (resourceAttributes !== undefined && Object.keys(attributes).length === 0)
    ignore('OTEL_RESOURCE_ATTRIBUTES must be a list such as name=value,name=value, percent-encoded');
  const { exporter, ended } = toReported(
    new OTLPTraceExporter({ url, concurrencyLimit: exportsMax, ...timeoutMillis }),
    log,
  );
  const provider = new TracerProvider({
    sampler: toSampler(settings, ignore),
    resource: defaultResource().merge(own).merge(given),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: waitingMax,
        maxExportBatchSize: batchMax,
      }),
    ],
  });
  diag.disable();
  return {
    tracer: provider.getTracer('plant-store', version),
    close: () =>
      Promise.race([
        // The shutdown ends with the first batch that fails.
        provider
          .shutdown()
          .catch(() => undefined)
          .then(ended)
          .then(() => true),
        sleep(flushMs, false, { ref: false }),
      ]),
  };
}

/**
 * The samplers of the specification
 * (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables).
 */
function toSampler(
  { sampler: name, samplerArg }: Pick<TraceSettings, 'sampler' | 'samplerArg'>,
  ignore: (reason: string) => void,
): Sampler {
  const given = Number(samplerArg ?? defaultRatio);
  const isRatio = given >= 0 && given <= 1;
  if (!isRatio) ignore('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const byRatio = new TraceIdRatioBasedSampler(isRatio ? given : defaultRatio);
  const [all, none] = [new AlwaysOnSampler(), new AlwaysOffSampler()];
  const samplers = new Map<string | undefined, Sampler>([
    [undefined, new ParentBasedSampler({ root: byRatio })],
    ['parentbased_traceidratio', new ParentBasedSampler({ root: byRatio })],
    ['parentbased_always_on', new ParentBasedSampler({ root: all })],
    ['parentbased_always_off', new ParentBasedSampler({ root: none })],
    ['traceidratio', byRatio],
    ['always_on', all],
    ['always_off', none],
  ]);
  const sampler = samplers.get(name);
  if (sampler === undefined) ignore(`There is no OTEL_TRACES_SAMPLER ${JSON.stringify(name)}`);
  return sampler ?? new ParentBasedSampler({ root: byRatio });
}

interface Reported {
  readonly exporter: SpanExporter;
  /** Resolves once no batch is under way. */
  readonly ended: () => Promise<unknown>;
}

/** Logs when the receiver begins and ceases to fail. */
function toReported(exporter: SpanExporter, log: Log): Reported {
  const lost = new StateLine(log, () => performance.now(), {
    began: 'Cannot send traces: they are dropped',
    ended: 'Traces are sent again',
  });
  const underWay = new Set<Promise<unknown>>();
  return {
    exporter: {
      export: (spans, done) => {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        underWay.add(promise);
        exporter.export(spans, (result) => {
          underWay.delete(promise);
          resolve(undefined);
          if (result.error === undefined) lost.end();
          else lost.note({ reason: result.error.message || result.error.name }, spans.length);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    },
    ended: () => Promise.all(underWay),
  };
}
