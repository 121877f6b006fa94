/**
 * The handle on a worker thread that takes requests one after the other and answers each: never leaves a caller waiting for a dead thread.
 * What is asked and answered is not known here.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../domain/errors.ts';

/** What a thread sends: the answer to the oldest open request, why that request failed, or a notice that nobody asked for. */
export type FromThread<Answer> = { readonly answer: Answer } | ThreadFailure | { readonly notice: 'log-held' };

export interface ThreadFailure {
  /** For the log. */
  readonly failed: string;
  /** What the caller tells the failure by. */
  readonly code?: string;
  /** True: the thread ends, and with it the store. */
  readonly isFatal: boolean;
}

/** A request that the thread could not serve. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
  readonly code: string | undefined;

  constructor({ failed, code }: ThreadFailure) {
    super(failed);
    this.code = code;
  }
}

interface Pending<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Young objects of a thread, in MB: batches live for a moment, and more room would only make the process larger (measured: 20 MB each). */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

export class Thread<Request, Answer> {
  readonly #worker: Worker;
  readonly #pending: Pending<Answer>[] = [];
  readonly #failed = Promise.withResolvers<Error>();
  #death: Error | undefined;
  #isClosing = false;
  /** Told of each notice. */
  onNotice: () => void = () => undefined;

  /** @param name file of this folder, without its ending. @param data handed to the thread. */
  constructor(name: string, data: unknown) {
    // Sources run as they are in development and compiled in the package: the thread's file ends like this one.
    const file = new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url);
    this.#worker = new Worker(file, { workerData: data, resourceLimits });
    this.#worker.on('message', (message: FromThread<Answer>) => this.#receive(message));
    this.#worker.on('error', (error) => this.#die(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => this.#die(new Error(`The ${name} ended`)));
  }

  /** Resolves, with the reason, when the thread failed for good; never before. */
  get failed(): Promise<Error> {
    return this.#failed.promise;
  }

  /** Resolves to the answer. @throws ThreadError when the thread says so; Error when it is dead, or dies meanwhile. */
  call(request: Request): Promise<Answer> {
    const answer = this.next();
    if (this.#death === undefined) this.#worker.postMessage(request);
    return answer;
  }

  /** Resolves to the next answer without asking: a thread says by itself when it is ready. */
  next(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#death === undefined) this.#pending.push({ resolve, reject });
      else reject(this.#death);
    });
  }

  /** Sends a request that is the last one, and resolves when the thread has ended. Later ones reject with `shutting_down`. */
  async close(request: Request): Promise<void> {
    if (this.#death !== undefined) return;
    this.#isClosing = true;
    this.#death = new ServiceError('shutting_down');
    const ended = once(this.#worker, 'exit');
    this.#worker.postMessage(request);
    await ended;
  }

  #receive(message: FromThread<Answer>): void {
    if ('notice' in message) {
      this.onNotice();
      return;
    }
    const pending = this.#pending.shift();
    if ('answer' in message) {
      pending?.resolve(message.answer);
      return;
    }
    const error = new ThreadError(message);
    pending?.reject(error);
    if (message.isFatal) this.#die(error);
  }

  #die(error: Error): void {
    this.#death ??= error;
    if (!this.#isClosing) this.#failed.resolve(this.#death);
    for (const { reject } of this.#pending.splice(0)) reject(this.#death);
  }
}
