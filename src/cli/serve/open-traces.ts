/** Wires the traces, if the environment names a receiver; only then loads their packages. */
import { readVariable } from '../../config/load-config.ts';
import type { Log } from '../../observe/log.ts';
import type { TraceProvider } from '../../observe/trace-provider.ts';
import type { Traces } from '../../observe/traces.ts';
import type { CommandContext } from '../command-context.ts';
import { toInstallCommand } from '../output/install-command.ts';

export interface OpenedTraces extends Pick<TraceProvider, 'close'> {
  readonly traces: Traces;
}

/**
 * Resolves to undefined, and loads nothing, if there is no receiver. Never rejects: platforms set
 * these variables for all programs, so what cannot be used is a warning.
 */
export async function openTraces({ env, version }: CommandContext, log: Log): Promise<OpenedTraces | undefined> {
  const read = (name: string): string | undefined => readVariable(env, `OTEL_${name}`);
  const url = read('EXPORTER_OTLP_TRACES_ENDPOINT') ?? toTracesUrl(read('EXPORTER_OTLP_ENDPOINT'));
  const isOff = read('SDK_DISABLED')?.toLowerCase() === 'true' || read('TRACES_EXPORTER') === 'none';
  if (url === undefined || isOff) return undefined;
  if (!URL.canParse(url)) {
    log.warn('Nothing is traced: the endpoint of OpenTelemetry is not a URL');
    return undefined;
  }
  const modules = await loadModules().catch(async (error: unknown) => {
    log.warn(
      { reason: error instanceof Error ? error.message : String(error) },
      `Nothing is traced: the packages of OpenTelemetry cannot be loaded. Install them with: ${await toInstallCommand('@opentelemetry/')}; or set OTEL_SDK_DISABLED=true`,
    );
  });
  if (modules === undefined) return undefined;
  const [{ openTraceProvider }, { Traces }] = modules;
  const settings = {
    url,
    protocol: read('EXPORTER_OTLP_TRACES_PROTOCOL') ?? read('EXPORTER_OTLP_PROTOCOL'),
    timeout: read('EXPORTER_OTLP_TRACES_TIMEOUT') ?? read('EXPORTER_OTLP_TIMEOUT'),
    sampler: read('TRACES_SAMPLER'),
    samplerArg: read('TRACES_SAMPLER_ARG'),
    resourceAttributes: read('RESOURCE_ATTRIBUTES'),
    version,
  };
  const provider = openTraceProvider(settings, log);
  return { traces: new Traces(provider.tracer), close: () => provider.close() };
}

/** The one variable is about all signals, and has no path of one. */
function toTracesUrl(endpoint: string | undefined): string | undefined {
  return endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`;
}

function loadModules() {
  return Promise.all([import('../../observe/trace-provider.ts'), import('../../observe/traces.ts')]);
}
