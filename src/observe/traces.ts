/**
 * Spans of requests, of their writes and of deliveries, by OpenTelemetry. Loaded only if traces are
 * switched on. No span has a target, a query, a token, a plant or the URL of a webhook.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { toKnownMethod } from './to-known-method.ts';
import type { TraceProvider } from './trace-provider.ts';

/** Writes of one request that have spans: an import has thousands. */
const writesMax = 100;

interface EndedRequest {
  /** As the description names it. */
  readonly route: string | undefined;
  /** Undefined if the client disconnected first. */
  readonly status: number | undefined;
  /** Why it failed, by the service's error codes; undefined if it did not. */
  readonly error: string | undefined;
}

/** When the batch of a write began and ended, by `performance.now()`. */
export interface EndedWrite {
  readonly queuedAt: number;
  readonly begunAt: number;
  readonly endedAt: number;
  /** Why the batch failed. */
  readonly failure: string | undefined;
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
  readonly #context: Context;
  readonly #method: string;
  /** Of all its spans: each would round its own time to a millisecond. */
  readonly #clock: Clock;
  #writes = 0;

  constructor(span: Span, method: string, clock: Clock) {
    this.#span = span;
    this.#context = trace.setSpan(ROOT_CONTEXT, span);
    this.#method = method;
    this.#clock = clock;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  /** Returns what `work` returns. What it writes to the store belongs to this request. */
  run<Result>(work: () => Result): Result {
    return requests.run(this, work);
  }

  /** Call it once. */
  end({ route, status, error }: EndedRequest): void {
    const span = this.#span;
    if (route !== undefined) span.updateName(`${this.#method} ${route}`).setAttribute('http.route', route);
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    // A response can also fail after its status.
    if (error !== undefined || Number(status) >= 500) fail(span, error ?? String(status));
    span.end(this.#clock(performance.now()));
  }

  /** Returns a function that adds a span; undefined for one too many, and after the request. */
  takeWrite(tracer: Tracer): AddSpan | undefined {
    this.#writes += 1;
    if (!this.#span.isRecording() || this.#writes > writesMax) return undefined;
    return (name, attributes, from, to) => {
      const span = tracer.startSpan(name, { attributes, startTime: this.#clock(from) }, this.#context);
      if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(this.#clock(to));
    };
  }
}

/** Converts a time of `performance.now()` to milliseconds since 1970. */
type Clock = (at: number) => number;
type AddSpan = (name: string, attributes: Attributes, from: number, to: number) => void;

function toClock(): Clock {
  const originMs = Date.now() - performance.now();
  return (at) => originMs + at;
}

/** The request that the running code belongs to. */
const requests = new AsyncLocalStorage<RequestTrace>();

export class Traces {
  readonly #tracer: Tracer;
  readonly #chooses: TraceProvider['chooses'];

  constructor({ tracer, chooses }: Pick<TraceProvider, 'tracer' | 'chooses'>) {
    this.#tracer = tracer;
    this.#chooses = chooses;
  }

  /** Call when a request arrives. Returns undefined if it is not chosen. */
  beginRequest(method: string, scheme: 'http' | 'https', parent: TraceParent | undefined): RequestTrace | undefined {
    if (!this.#chooses(parent)) return undefined;
    const known = toKnownMethod(method);
    const attributes = { 'http.request.method': known, 'url.scheme': scheme };
    const context =
      parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
    const name = known === method ? method : 'HTTP';
    const clock = toClock();
    const startTime = clock(performance.now());
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes, startTime }, context);
    return new RequestTrace(span, name, clock);
  }

  /** Call for a write when it is accepted, as part of its request. */
  readonly onWrite = (kind: string): ((ended: EndedWrite) => void) | undefined => {
    const addSpan = requests.getStore()?.takeWrite(this.#tracer);
    if (addSpan === undefined) return undefined;
    return ({ queuedAt, begunAt, endedAt, failure }) => {
      const attributes = { 'plant_store.write': kind };
      addSpan('queue wait', attributes, queuedAt, begunAt);
      addSpan(
        'commit',
        failure === undefined ? attributes : { ...attributes, 'error.type': failure },
        begunAt,
        endedAt,
      );
    };
  };

  /** Begins a trace of its own: a delivery may be days late. Undefined if it is not chosen. */
  beginDelivery(id: string, { hostname, port, protocol }: URL): DeliveryTrace | undefined {
    if (!this.#chooses()) return undefined;
    const attributes = {
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'http:' ? 80 : 443),
      'plant_store.delivery': id,
    };
    const span = this.#tracer.startSpan('POST', { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT);
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
