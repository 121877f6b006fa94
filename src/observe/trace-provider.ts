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
/** Requests of the exporter at a time: what waits fits into them, for the end of the process. */
const exportsMax = waitingMax / batchMax;
/** How long the end of the process waits for the receiver, in milliseconds. */
const flushMs = 2_000;
/** All requests that are traced cost a short one as much again. */
const defaultRatio = 0.01;

export interface TraceSettings {
  readonly url: string;
  /** `OTEL_TRACES_SAMPLER` and its argument. */
  readonly sampler: string | undefined;
  readonly samplerArg: string | undefined;
  /** `OTEL_EXPORTER_OTLP_PROTOCOL`, or that of traces. */
  readonly protocol: string | undefined;
  readonly version: string;
}

export interface TraceProvider {
  readonly tracer: Tracer;
  /** Sends what waits. Resolves to false if that did not end in time. */
  close(): Promise<boolean>;
}

export function openTraceProvider({ url, protocol, version, ...settings }: TraceSettings, log: Log): TraceProvider {
  const ignore = (reason: string): void => log.warn({ reason }, 'Ignored a setting of OpenTelemetry');
  const nothing = (): void => undefined;
  // It would also log each batch that is lost.
  const logger = { error: ignore, warn: ignore, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  if (protocol !== undefined && protocol !== 'http/protobuf')
    ignore(`Traces are sent by http/protobuf, not by ${JSON.stringify(protocol)}`);
  const own = resourceFromAttributes({ 'service.name': 'plant-store', 'service.version': version });
  const given = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
  const exporter = new OTLPTraceExporter({ url, concurrencyLimit: exportsMax });
  const provider = new TracerProvider({
    sampler: toSampler(settings, ignore),
    resource: defaultResource().merge(own).merge(given),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: toReported(exporter, log),
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
        provider.shutdown().then(
          () => true,
          () => true,
        ),
        sleep(flushMs, false, { ref: false }),
      ]),
  };
}

/**
 * The samplers of the specification (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables).
 */
function toSampler(
  { sampler: name = 'parentbased_traceidratio', samplerArg }: Pick<TraceSettings, 'sampler' | 'samplerArg'>,
  ignore: (reason: string) => void,
): Sampler {
  const ratio = Number(samplerArg ?? defaultRatio);
  const isRatio = ratio >= 0 && ratio <= 1;
  if (!isRatio) ignore('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const byRatio = new TraceIdRatioBasedSampler(isRatio ? ratio : defaultRatio);
  const roots: Readonly<Record<string, Sampler>> = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: byRatio,
  };
  const root = roots[name.replace(/^parentbased_/, '')];
  if (root === undefined) ignore(`There is no OTEL_TRACES_SAMPLER ${JSON.stringify(name)}`);
  return root !== undefined && !name.startsWith('parentbased_')
    ? root
    : new ParentBasedSampler({ root: root ?? byRatio });
}

/** Logs when the receiver begins and ceases to fail. */
function toReported(exporter: SpanExporter, log: Log): SpanExporter {
  const lost = new StateLine(log, () => performance.now(), {
    began: 'Cannot send traces: they are dropped',
    ended: 'Traces are sent again',
  });
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error === undefined) lost.end();
        else lost.note({ reason: result.error.message || result.error.name }, spans.length);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
