/**
 * Sends one request, with its time-out and its retries, and brings back whatever answer comes. What a status means to an operation is not
 * known here, but for the few that pass by themselves.
 */
import { decode, parseErrorBody } from './answers.ts';
import { Deadline } from './deadline.ts';
import { ConnectionError, PlantStoreError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { isPassing, parseRetryAfter, realSurroundings, type Surroundings, toDelayMs } from './retry.ts';

export interface Outgoing {
  readonly method: string;
  /** Behind the base path, with its query: `/plants/7`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** False: it is sent once, whatever happens. Default true. */
  readonly isRepeatable?: boolean;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface WholeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Answer extends WholeAnswer {
  /** The service may have acted on an earlier try of this request, whose answer was lost. */
  readonly isAnotherTry: boolean;
}

/** An answer whose body is still to be read; the deadline guards that. */
export interface OpenAnswer {
  readonly response: Response;
  readonly deadline: Deadline;
}

/** 503 with one of these numbers says that nothing was written: the store is busy, full, or about to stop. */
const untouchedNumbers: ReadonlySet<number> = new Set([50301, 50302, 50304]);
/** Causes, as Node names them, of a connection that never came to be. A browser does not tell. */
const unreachedCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export class Transport {
  readonly #base: string;
  readonly #options: ClientOptions;
  readonly #surroundings: Surroundings;

  /** @param base the address without a slash at its end. @throws TypeError for a token that cannot be one. */
  constructor(base: string, options: ClientOptions) {
    // RFC 6750, section 2.1. The token is not repeated.
    if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(options.token))
      throw new TypeError('Cannot use the token: it is no bearer token');
    this.#base = base;
    this.#options = options;
    this.#surroundings = options.surroundings ?? realSurroundings;
  }

  /**
   * Resolves to the answer, read whole; after the last try also to one that asks for another.
   * @throws ConnectionError when no try brought an answer; the signal's reason when the caller aborted.
   */
  async send(outgoing: Outgoing): Promise<Answer> {
    return this.#repeat(outgoing, async () => readWhole(await this.#open(outgoing), outgoing.signal));
  }

  /**
   * Resolves to a 200 whose body is still to come; its time is stopped until somebody reads. No retry follows once it is there.
   * @throws PlantStoreError for any other status; otherwise as `send`.
   */
  async open(outgoing: Outgoing): Promise<OpenAnswer> {
    let opened: OpenAnswer | undefined;
    const answer = await this.#repeat(outgoing, async () => {
      const open = await this.#open(outgoing);
      if (open.response.status !== 200) return readWhole(open, outgoing.signal);
      open.deadline.pause();
      opened = open;
      return { status: 200, headers: open.response.headers, text: '' };
    });
    if (opened === undefined) throw this.toError(answer);
    return opened;
  }

  /** What an answer that is no success says. */
  toError({ status, headers, text }: WholeAnswer): PlantStoreError {
    const retryAfterSeconds = parseRetryAfter(headers.get('retry-after'), this.#surroundings.now());
    const { number, message } = parseErrorBody(text) ?? {
      number: status * 100,
      message: `Cannot use the answer: HTTP status ${status} without an error of the plant store`,
    };
    return new PlantStoreError(number, status, message, retryAfterSeconds);
  }

  async #repeat({ isRepeatable = true, signal }: Outgoing, tryOnce: () => Promise<WholeAnswer>): Promise<Answer> {
    const { retries = 4, onRetry } = this.#options;
    const retriesMax = isRepeatable ? retries : 0;
    let isAnotherTry = false;
    for (let attempt = 1; ; attempt++) {
      const outcome = await tryOnce().catch((error: unknown) => {
        if (error instanceof ConnectionError && error.fault !== 'answer') return error;
        throw error;
      });
      const isAnswer = !(outcome instanceof ConnectionError);
      if (isAnswer && !isPassing(outcome.status)) return { ...outcome, isAnotherTry };
      const cause = isAnswer ? this.toError(outcome) : outcome;
      const delayMs = attempt > retriesMax ? undefined : this.#delayMs(attempt, cause);
      if (delayMs === undefined) {
        if (isAnswer) return { ...outcome, isAnotherTry };
        throw outcome;
      }
      isAnotherTry ||= mayHaveActed(cause);
      onRetry?.({ attempt, delayMs, cause });
      await this.#surroundings.sleep(delayMs, signal);
    }
  }

  #delayMs(attempt: number, cause: PlantStoreError | ConnectionError): number | undefined {
    const retryAfterSeconds = cause instanceof PlantStoreError ? cause.retryAfterSeconds : undefined;
    return toDelayMs(attempt, retryAfterSeconds, this.#options, () => this.#surroundings.random());
  }

  /** One try, up to the header section of its answer. */
  async #open({ method, path, headers, body, timeoutMs, signal }: Outgoing): Promise<OpenAnswer> {
    const base = this.#base;
    // Browsers want their own fetch called without an object in front.
    const { token, fetch = globalThis.fetch } = this.#options;
    signal?.throwIfAborted();
    const deadline = new Deadline(timeoutMs ?? this.#options.timeoutMs ?? 30_000, signal);
    try {
      const response = await fetch(base + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body }),
        signal: deadline.signal,
        // The service never redirects: what does is something else, and must not be handed the token.
        redirect: 'manual',
        cache: 'no-store',
        credentials: 'omit',
      });
      if (
        response.type === 'opaqueredirect' ||
        (response.status >= 300 && response.status !== 304 && response.status < 400)
      )
        throw new ConnectionError(
          'answer',
          `Cannot use the answer of ${base}: it is a redirect; use the address it leads to`,
        );
      return { response, deadline };
    } catch (error) {
      deadline.cancel();
      throw toFailure(error, deadline, signal);
    }
  }
}

/** What ended a request before its answer was there. */
export function toFailure(error: unknown, deadline: Deadline, signal: AbortSignal | undefined): unknown {
  if (error instanceof ConnectionError) return error;
  if (signal?.aborted === true) return signal.reason;
  if (deadline.hasPassed)
    return new ConnectionError('timeout', `Cannot wait any longer: nothing came for ${deadline.timeoutMs} ms`, error);
  return new ConnectionError('network', `Cannot reach the service: ${describe(error)}`, error);
}

async function readWhole({ response, deadline }: OpenAnswer, signal: AbortSignal | undefined): Promise<WholeAnswer> {
  try {
    const text = decode(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    throw toFailure(error, deadline, signal);
  } finally {
    deadline.close();
  }
}

/** Whether the service may have done what the failed try asked for. When in doubt it may. */
function mayHaveActed(cause: PlantStoreError | ConnectionError): boolean {
  if (cause instanceof PlantStoreError)
    return cause.status !== 408 && cause.status !== 429 && !untouchedNumbers.has(cause.number);
  return !unreachedCodes.has(codeOf(cause.cause) ?? '');
}

/** fetch says no more than "fetch failed"; the reason is the cause of its error, and sometimes nothing but a code. */
function describe(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = inner instanceof Error ? inner.message.replaceAll(/\s+/g, ' ') : '';
  return message === '' ? (codeOf(error) ?? 'the connection failed') : message;
}

function codeOf(error: unknown): string | undefined {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return typeof inner === 'object' && inner !== null && 'code' in inner && typeof inner.code === 'string'
    ? inner.code
    : undefined;
}
