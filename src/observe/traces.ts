/**
 * Spans of requests and of deliveries, by OpenTelemetry. Loaded only if traces are
 * switched on. No span has a target, a query, a token, a plant or the URL of a webhook.
 */
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { toKnownMethod } from './to-known-method.ts';

interface EndedRequest {
  /** The path template of the description. */
  readonly route: string | undefined;
  /** Undefined if the client disconnected first. */
  readonly status: number | undefined;
  /** Why it failed, by the service's error codes; undefined if it did not. */
  readonly error: string | undefined;
}

/** A recorded delivery. */
export interface DeliveryTrace {
  readonly traceId: string;
  /** Fields that the request has, beside others. */
  readonly headers: Readonly<Record<string, string>>;
  /** Call it once, with undefined if the service stopped first. */
  end(delivery: { readonly isDelivered: boolean; readonly responseStatus?: number } | undefined): void;
}

/** The span of the caller that a request belongs to. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Bit 0: the trace is recorded. */
  readonly traceFlags: number;
}

/** A recorded request. */
export class RequestTrace {
  readonly #span: Span;
  readonly #method: string;

  constructor(span: Span, method: string) {
    this.#span = span;
    this.#method = method;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  /** Call it once. */
  end({ route, status, error }: EndedRequest): void {
    const span = this.#span;
    if (route !== undefined) span.updateName(`${this.#method} ${route}`).setAttribute('http.route', route);
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    // A response can also fail after its status.
    if (error !== undefined || Number(status) >= 500) fail(span, error ?? String(status));
    span.end();
  }
}

export class Traces {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Call when a request arrives. Returns undefined if it is not recorded. */
  beginRequest(method: string, scheme: 'http' | 'https', parent: TraceParent | undefined): RequestTrace | undefined {
    const known = toKnownMethod(method);
    const attributes = { 'http.request.method': known, 'url.scheme': scheme };
    const context =
      parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
    const name = known === method ? method : 'HTTP';
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
    return span.isRecording() ? new RequestTrace(span, name) : undefined;
  }

  /** Begins a trace of its own: a delivery may be days late. Undefined if it is not recorded. */
  beginDelivery(id: string, { hostname, port, protocol }: URL): DeliveryTrace | undefined {
    const attributes = {
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'http:' ? 80 : 443),
      'plant_store.delivery': id,
    };
    const span = this.#tracer.startSpan('POST', { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT);
    if (!span.isRecording()) return undefined;
    const { traceId, spanId } = span.spanContext();
    return {
      traceId,
      headers: { traceparent: `00-${traceId}-${spanId}-01` },
      end: (delivery) => {
        const status = delivery?.responseStatus;
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (delivery?.isDelivered !== true) fail(span, status === undefined ? 'no_response' : String(status));
        span.end();
      },
    };
  }
}

function fail(span: Span, error: string): void {
  span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
}
