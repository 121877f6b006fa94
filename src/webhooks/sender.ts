/** Sends one signed request to a subscriber and reads its status. Knows no webhooks. */
import { lookup as lookupName } from 'node:dns/promises';
import type * as NodeHttp from 'node:http';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type * as NodeHttps from 'node:https';
import { createRequire } from 'node:module';
import { parseRetryAfter } from '../domain/retry-after.ts';
import type { DeliveryResult } from '../domain/webhooks.ts';
import { Semaphore } from '../limits/semaphore.ts';
import type { DeliveryTrace, Traces } from '../observe/traces.ts';
import { AddressRefusedError, findUrlProblem, type AddressPolicy, type Resolve, toCheckedLookup } from './addresses.ts';
import { sign, type SignedContent } from './secrets.ts';

export interface SenderOptions {
  readonly policy: AddressPolicy;
  /** Absent: the resolver of the system. */
  readonly resolve?: Resolve;
  /** For everything: look-up, connection, request and response. */
  readonly timeoutMs?: number;
  readonly tracer?: Pick<Traces, 'beginDelivery'> | undefined;
}

export interface OutgoingMessage extends SignedContent {
  readonly url: string;
  readonly secrets: readonly string[];
}

export interface SendResult extends DeliveryResult {
  readonly retryAfterMs?: number | undefined;
  readonly traceId?: string | undefined;
}

type Protocol = 'http:' | 'https:';

interface Outgoing extends OutgoingMessage {
  readonly headers: DeliveryTrace['headers'] | undefined;
}

const require = createRequire(import.meta.url);
/** Loaded when something is sent; `import` would load all that is lazy in Node's HTTP. */
const modules = {
  'http:': () => require('node:http') as typeof NodeHttp,
  'https:': () => require('node:https') as typeof NodeHttps,
} as const;

const defaultTimeoutMs = 15_000;
/** Bytes of a response that are read at most; then its connection is closed. */
const responseBytesMax = 65_536;
/** Responses whose bodies are read at the same time; one more closes the oldest. */
const bodiesMax = 100;
/** Idle connections to one host. */
const idleSocketsMax = 2;
/** How long an idle connection is kept, in milliseconds. */
const idleMsMax = 30_000;
/**
 * Look-ups of names at the same time. libuv runs two, half of its four threads, for the process as
 * a whole: more would only wait there, before those of the host of the database.
 */
const lookupsMax = 2;
/** Look-ups that wait for those: more than there can be webhooks. */
const lookupsWaitingMax = 1_000;

/** What the usual codes mean, for people. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections at this address',
  ECONNRESET: 'the connection was closed before there was a response',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the host cannot be reached',
  store_busy: 'too many names are being looked up',
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: 'the name of the host cannot be looked up at the moment',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

export class Sender {
  readonly #policy: AddressPolicy;
  readonly #timeoutMs: number;
  readonly #tracer: SenderOptions['tracer'];
  readonly #bodies = new Set<IncomingMessage>();
  readonly #agentOptions: NodeHttps.AgentOptions;
  readonly #agents: Partial<Record<Protocol, Agent>> = {};

  constructor({ policy, resolve = resolveName, timeoutMs = defaultTimeoutMs, tracer }: SenderOptions) {
    this.#policy = policy;
    this.#timeoutMs = timeoutMs;
    this.#tracer = tracer;
    const lookups = new Semaphore(lookupsMax, { waitingMax: lookupsWaitingMax, patienceMs: timeoutMs });
    this.#agentOptions = {
      keepAlive: true,
      maxFreeSockets: idleSocketsMax,
      timeout: idleMsMax,
      // A slow one cannot be cancelled, and counts until it ends. One that has waited for as long as
      // its request may take is not made.
      lookup: toCheckedLookup((hostname) => lookups.run(() => resolve(hostname)), policy),
    };
  }

  /** Resolves to what became of it; rejects only if `signal` is aborted. */
  async send(message: OutgoingMessage, signal: AbortSignal): Promise<SendResult> {
    signal.throwIfAborted();
    const url = new URL(message.url);
    const problem = findUrlProblem(url, this.#policy);
    if (problem !== undefined) return { isDelivered: false, error: `The URL ${problem}` };
    const trace = this.#tracer?.beginDelivery(message.id, url);
    let result: SendResult | undefined;
    try {
      result = await this.#send({ ...message, headers: trace?.headers }, signal);
      return trace === undefined ? result : { ...result, traceId: trace.traceId };
    } finally {
      trace?.end(result);
    }
  }

  async #send(message: Outgoing, signal: AbortSignal): Promise<SendResult> {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const either = AbortSignal.any([signal, deadline]);
    try {
      return toResult(await this.#request(message, either), message.now);
    } catch (error) {
      signal.throwIfAborted();
      const reason = deadline.aborted ? `No response within ${this.#timeoutMs / 1000} seconds` : toReason(error);
      return { isDelivered: false, error: reason };
    }
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #request(message: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
    for (;;) {
      const sent = this.#start(message, signal);
      try {
        return await sent.response;
      } catch (error) {
        // The receiver closed an idle connection at the moment (nodejs.org, request.reusedSocket).
        const isStale = sent.request.reusedSocket && codeOf(error) === 'ECONNRESET';
        if (!isStale || signal.aborted) throw error;
      }
    }
  }

  #start(message: Outgoing, signal: AbortSignal): { request: ClientRequest; response: Promise<IncomingMessage> } {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const url = new URL(message.url);
    const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
    const { Agent, request: open } = modules[protocol]();
    const request = open(url, {
      method: 'POST',
      agent: (this.#agents[protocol] ??= new Agent(this.#agentOptions)),
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(message.body),
        'user-agent': 'plant-store-webhooks/1',
        ...message.headers,
        ...sign(message, message.secrets),
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      request.off('error', reject).on('error', () => undefined);
      void this.#discard(response);
      // The status is the result: the body need not end.
      resolve(response);
    });
    // Without a listener, Node closes the connection and reports neither an error nor a response.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    request.end(message.body);
    return { request, response: promise };
  }

  /** Reads a body, so that its connection can be used again, unless it is long or slow. */
  async #discard(response: IncomingMessage): Promise<void> {
    const [oldest] = this.#bodies;
    if (this.#bodies.size >= bodiesMax) oldest?.destroy();
    this.#bodies.add(response);
    let bytes = 0;
    try {
      for await (const chunk of response) {
        bytes += (chunk as Buffer).length;
        if (bytes > responseBytesMax) break;
      }
    } catch {
      // Cut off, or beyond the deadline of the request.
    } finally {
      // Leaving the loop early has destroyed it.
      this.#bodies.delete(response);
    }
  }
}

async function resolveName(hostname: string): ReturnType<Resolve> {
  return lookupName(hostname, { all: true });
}

function toResult({ statusCode = 0, headers }: IncomingMessage, now: number): SendResult {
  if (statusCode >= 200 && statusCode < 300) return { isDelivered: true, responseStatus: statusCode };
  const hint = statusCode >= 300 && statusCode < 400 ? '; redirects are not followed' : '';
  return {
    isDelivered: false,
    responseStatus: statusCode,
    error: `The response has status ${statusCode}${hint}`,
    retryAfterMs: parseRetryAfter(headers['retry-after'], now),
  };
}

function toReason(error: unknown): string {
  if (error instanceof AddressRefusedError) return error.message;
  const code = codeOf(error) ?? 'unknown error';
  const reason = reasons[code];
  return `The request failed${reason === undefined ? '' : `: ${reason}`} (${code})`;
}

/** Never the message: it may name an address inside the network. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
