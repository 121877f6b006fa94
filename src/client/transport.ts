/** Sends one request with time-out and retries (retry.ts), and returns any response. */
import { parseRetryAfter } from '../domain/retry-after.ts';
import { decode, openDecoder, parseErrorBody } from './responses.ts';
import { readStream } from './read-stream.ts';
import { Deadline } from './deadline.ts';
import { ConnectionError, PlantStoreError } from './errors.ts';
import { toFailure } from './failures.ts';
import type { ClientOptions } from './options.ts';
import { toBase, toGoal } from './requests.ts';
import {
  isRetryable,
  mayHaveBeenExecuted,
  realEnvironment,
  type Repetition,
  type RetryEnvironment,
  type RetryOptions,
  toDelayMs,
} from './retry.ts';

export interface Outgoing {
  readonly method: string;
  /** After the base path, with its query: `/plants/7`. */
  readonly path: string;
  /** Of a body, also its type, if it is no JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** What sending it twice could do. Default `harmless`. */
  readonly repetition?: Repetition;
  readonly timeoutMs?: number | undefined;
  /** How long the service may wait before it responds (ms); added to the time-out. Default 0. */
  readonly waitMs?: number;
  /** Instead of the client's options. */
  readonly retry?: RetryOptions | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before a retry after a time-out. What it throws ends the call. */
  readonly onTimeout?: (() => void) | undefined;
}

interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Answer extends ReadAnswer {
  /** An earlier try of this request, whose response was lost, may have been executed. */
  readonly isRetry: boolean;
}

/** A response whose body is not read yet; the deadline covers that too. */
export interface OpenAnswer {
  readonly response: Response;
  readonly deadline: Deadline;
}

export class Transport {
  /** The address of the service, without a slash at its end. */
  readonly base: string;
  readonly #options: ClientOptions;
  readonly #environment: RetryEnvironment;

  /** @throws TypeError for an address or a token that cannot be one. */
  constructor(options: ClientOptions) {
    this.base = toBase(options.url);
    const token: unknown = options.token;
    if (token === undefined || token === null || token === '')
      throw new TypeError('The token is missing: create one with "plant-store token create"');
    // RFC 6750, section 2.1. The message does not repeat the token.
    if (typeof token !== 'string' || !/^[A-Za-z0-9\-._~+/]+=*$/.test(token))
      throw new TypeError('The token is not a valid bearer token');
    this.#options = options;
    this.#environment = options.environment ?? realEnvironment;
  }

  /**
   * Resolves to the complete response if it has one of the statuses.
   * @throws PlantStoreError for any other status; ConnectionError when no try got a response; the
   * signal's reason when the caller aborted.
   */
  async send(outgoing: Outgoing, statuses: readonly number[] = [200]): Promise<Answer> {
    const answer = await this.#repeat(outgoing, async () => readAll(await this.#open(outgoing), outgoing.signal));
    if (!statuses.includes(answer.status)) throw this.toError(answer);
    return answer;
  }

  /**
   * Resolves to a 200 before its body is read; the time-out is paused until then. It is not
   * retried afterwards.
   * @throws PlantStoreError for any other status; otherwise as `send`.
   */
  async open(outgoing: Outgoing): Promise<OpenAnswer> {
    let opened: OpenAnswer | undefined;
    const answer = await this.#repeat(outgoing, async () => {
      const open = await this.#open(outgoing);
      if (open.response.status !== 200) return readAll(open, outgoing.signal);
      open.deadline.pause();
      opened = open;
      return { status: 200, headers: open.response.headers, text: '' };
    });
    if (opened === undefined) throw this.toError(answer);
    return opened;
  }

  /**
   * As `open`, and resolves to what `read` makes of the body. A body that is cut short, or stops
   * for the time-out, is a failure like any other: the request is sent again.
   */
  async read<Value>(outgoing: Outgoing, read: (open: OpenAnswer) => Promise<Value>): Promise<Value> {
    let found: { readonly value: Value } | undefined;
    const answer = await this.#repeat(outgoing, async () => {
      const open = await this.#open(outgoing);
      const { response, deadline } = open;
      if (response.status !== 200) return readAll(open, outgoing.signal);
      try {
        found = { value: await read(open) };
        return { status: 200, headers: response.headers, text: '' };
      } catch (error) {
        throw toFailure(error, deadline, outgoing.signal, true);
      } finally {
        deadline.close();
      }
    });
    if (found === undefined) throw this.toError(answer);
    return found.value;
  }

  /** The error in an unsuccessful response. */
  toError({ status, headers, text }: ReadAnswer): PlantStoreError {
    const retryAfterMs = parseRetryAfter(headers.get('retry-after'), this.#environment.now());
    const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
    const { number, message } = parseErrorBody(text) ?? {
      number: status * 100,
      message: `The response of ${this.base} is not from a plant store: a proxy or another program sent HTTP status ${status}${
        status === 413 ? '. Its limit for request bodies is too low' : ''
      }`,
    };
    return new PlantStoreError(number, status, message, retryAfterSeconds);
  }

  async #repeat(
    { repetition = 'harmless', retry, signal }: Outgoing,
    tryOnce: () => Promise<ReadAnswer>,
  ): Promise<Answer> {
    const options = { ...this.#options, ...retry };
    const { retries = 4, onRetry } = options;
    let isRetry = false;
    for (let attempt = 1; ; attempt++) {
      const outcome = await tryOnce().catch((error: unknown) => {
        if (error instanceof ConnectionError && error.kind !== 'response') return error;
        throw error;
      });
      const isAnswer = !(outcome instanceof ConnectionError);
      if (isAnswer && !isRetryable(outcome.status)) return { ...outcome, isRetry };
      const cause = isAnswer ? this.toError(outcome) : outcome;
      const isExecuted = mayHaveBeenExecuted(cause, repetition);
      const isAllowed = attempt <= retries && (repetition === 'harmless' || !isExecuted);
      const retryAfterSeconds = cause instanceof PlantStoreError ? cause.retryAfterSeconds : undefined;
      const random = (): number => this.#environment.random();
      const delayMs = isAllowed ? toDelayMs(attempt, retryAfterSeconds, options, random) : undefined;
      if (delayMs === undefined) {
        if (isAnswer) return { ...outcome, isRetry };
        throw outcome;
      }
      isRetry ||= isExecuted;
      onRetry?.({ attempt, delayMs, cause });
      await this.#environment.sleep(delayMs, signal);
    }
  }

  /** One try, up to the headers of the response. */
  async #open({ method, path, headers, body, timeoutMs, waitMs = 0, signal }: Outgoing): Promise<OpenAnswer> {
    // Browsers require fetch to be called without a receiver.
    const { token, fetch = globalThis.fetch } = this.#options;
    signal?.throwIfAborted();
    // Checked here, not by fetch: a wrong field is the caller's mistake, no failed connection.
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const fields = Object.fromEntries(new Headers({ authorization: `Bearer ${token}`, ...type, ...headers }));
    const deadline = new Deadline((timeoutMs ?? this.#options.timeoutMs ?? 30_000) + waitMs, signal);
    try {
      const response = await fetch(this.base + path, {
        method,
        headers: fields,
        ...(body === undefined ? {} : { body }),
        signal: deadline.signal,
        // The service never redirects: whatever does must not get the token.
        redirect: 'manual',
        cache: 'no-store',
        credentials: 'omit',
      });
      if (
        response.type === 'opaqueredirect' ||
        (response.status >= 300 && response.status !== 304 && response.status < 400)
      )
        throw new ConnectionError(
          'response',
          `Cannot use the response of ${this.base}: it is a redirect; use ${toGoal(response, this.base, path)}`,
        );
      return { response, deadline };
    } catch (error) {
      deadline.cancel();
      throw toFailure(error, deadline, signal, false);
    }
  }
}

/** More characters than any response that is no stream: a page of changes has fewer. */
const textMax = 64 * 1024 * 1024;

async function readText({ body }: Response): Promise<string> {
  const decoder = openDecoder();
  let text = '';
  if (body === null) return text;
  for await (const bytes of readStream(body)) {
    text += decode(bytes, decoder, true);
    if (text.length > textMax)
      throw new ConnectionError('response', 'Cannot use the response: it is longer than any of a plant store');
  }
  return text + decode(new Uint8Array(), decoder);
}

async function readAll({ response, deadline }: OpenAnswer, signal: AbortSignal | undefined): Promise<ReadAnswer> {
  try {
    return { status: response.status, headers: response.headers, text: await readText(response) };
  } catch (error) {
    throw toFailure(error, deadline, signal, true);
  } finally {
    deadline.close();
  }
}
