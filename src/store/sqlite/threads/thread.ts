/**
 * Both ends of the wire to a worker thread, which answers requests one after another: `Thread` for
 * its callers, `serveRequests` in it. The first call starts it; no call waits for a dead thread.
 */
import { setTimeout } from 'node:timers/promises';
import { parentPort, Worker } from 'node:worker_threads';
import { ServiceError } from '../../../domain/errors.ts';
import { type StoreErrorCode, toErrorCode, toReason } from '../error-code.ts';

type ToThread<Request> = { readonly id: number; readonly request: Request } | 'close';

/** The answer to a request, its failure, or an unsolicited notice. */
export type FromThread<Answer, Notice> =
  { readonly id: number; readonly answer: Answer } | ThreadFailure | { readonly notice: Notice };

interface ThreadFailure {
  /** Undefined if the thread itself failed, not a request. */
  readonly id: number | undefined;
  /** For the log. */
  readonly failed: string;
  readonly code: StoreErrorCode;
  /** If true, the thread and the store end. */
  readonly isFatal: boolean;
}

interface Pending<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Young generation of a thread, in MB: messages are short-lived (measured: 20 MB more each). */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };
/** How long a closing thread may finish its work, in milliseconds; then it is terminated. */
const closeMsMax = 10_000;

export class Thread<Request, Answer, Notice = never> {
  readonly #start: () => Worker;
  #worker: Worker | undefined;
  readonly #pending = new Map<number, Pending<Answer>>();
  readonly #failed = Promise.withResolvers<Error>();
  readonly #exited = Promise.withResolvers<undefined>();
  #lastId = 0;
  #death: Error | undefined;
  #isClosing = false;
  readonly #onNotice: ((notice: Notice) => void) | undefined;

  /** @param name file in this folder, without extension. @param data passed to the thread. */
  constructor(name: string, data: unknown, onNotice?: (notice: Notice) => void) {
    this.#onNotice = onNotice;
    // The thread's file has this file's extension: .ts in development, .js in the package.
    const file = new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url);
    this.#start = () => {
      const worker = new Worker(file, { workerData: data, resourceLimits });
      worker.on('message', (message: FromThread<Answer, Notice>) => this.#receive(message));
      worker.on('error', (error) => this.#die(error instanceof Error ? error : new Error(String(error))));
      worker.on('exit', () => {
        this.#exited.resolve(undefined);
        this.#die(new Error(`The ${name} ended`));
      });
      return worker;
    };
  }

  /** Resolves to the reason if the thread fails permanently; otherwise never. */
  get failed(): Promise<Error> {
    return this.#failed.promise;
  }

  /**
   * Resolves to the answer.
   * @throws ServiceError with the code of the failure; `store_failed` if the thread is dead or dies
   * before it answers; `shutting_down` after `close`.
   */
  async call(request: Request): Promise<Answer> {
    if (this.#death !== undefined || this.#isClosing) throw this.#toError();
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    const answer = new Promise<Answer>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    try {
      worker.postMessage({ id, request } satisfies ToThread<Request>);
    } catch (error) {
      this.#pending.delete(id);
      throw error;
    }
    return answer;
  }

  /**
   * Resolves once the thread has ended: after earlier requests, or terminated if it failed or takes
   * longer than `closeMsMax`.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#worker === undefined) return;
    if (this.#death === undefined) {
      this.#worker.postMessage('close' satisfies ToThread<Request>);
      await Promise.race([this.#exited.promise, setTimeout(closeMsMax, undefined, { ref: false })]);
    }
    await this.#worker.terminate();
  }

  #receive(message: FromThread<Answer, Notice>): void {
    if ('notice' in message) {
      this.#onNotice?.(message.notice);
      return;
    }
    const pending = message.id === undefined ? undefined : this.#pending.get(message.id);
    if (message.id !== undefined) this.#pending.delete(message.id);
    if ('answer' in message) {
      pending?.resolve(message.answer);
      return;
    }
    const cause = new Error(message.failed);
    pending?.reject(new ServiceError(message.code, { cause }));
    if (message.isFatal) this.#die(cause);
  }

  #die(error: Error): void {
    this.#death ??= error;
    if (!this.#isClosing) this.#failed.resolve(this.#death);
    for (const { reject } of this.#pending.values()) reject(this.#toError());
    this.#pending.clear();
  }

  #toError(): ServiceError {
    return new ServiceError(this.#isClosing ? 'shutting_down' : 'store_failed', { cause: this.#death });
  }
}

/** What a thread does. */
interface RequestHandler<Request, Answer> {
  /** Answers one request. A `store_failed` error (see `toErrorCode`) ends the thread. */
  readonly answer: (request: Request) => Answer;
  /** Called after each answer is sent. Throws like `answer`. */
  readonly afterAnswer?: () => void;
  readonly close: () => void;
}

/** In the thread: serves until the caller closes the thread or an error ends it. */
export function serveRequests<Request, Answer>(handler: RequestHandler<Request, Answer>): void {
  const port = parentPort;
  if (port === null) throw new Error('This file runs as a worker thread only');
  const send = (message: FromThread<Answer, never>): void => port.postMessage(message);
  const fail = (error: unknown, id: number | undefined): void => {
    const code = toErrorCode(error);
    const isFatal = code === 'store_failed';
    send({ id, failed: toReason(error), code, isFatal });
    if (!isFatal) return;
    port.close();
    // Leave the connection open: closing could write to a disk in an unknown state.
  };
  port.on('message', (message: ToThread<Request>) => {
    if (message === 'close') {
      handler.close();
      port.close();
      return;
    }
    try {
      send({ id: message.id, answer: handler.answer(message.request) });
    } catch (error) {
      fail(error, message.id);
      return;
    }
    try {
      handler.afterAnswer?.();
    } catch (error) {
      fail(error, undefined);
    }
  });
}
