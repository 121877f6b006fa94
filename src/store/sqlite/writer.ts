/** The handle on the writer thread: sends a batch, resolves with its outcomes, and never leaves a caller waiting for a dead thread. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../domain/errors.ts';
import type { CommitBatch } from '../group-commit.ts';
import type { FromWriter, ToWriter } from './writer-thread.ts';

export interface Writer {
  /** One call at a time. @throws ServiceError `store_failed` when the thread is dead. */
  readonly commit: CommitBatch;
  /** Resolves when the thread has closed the database and ended. */
  readonly close: () => Promise<void>;
  /** Resolves, with the reason, when the thread failed for good; never before. */
  readonly failed: Promise<Error>;
}

interface Pending {
  readonly resolve: (message: FromWriter) => void;
  readonly reject: (error: Error) => void;
}

/** Starts the thread on the file, which may be new. Rejects when the file cannot be opened or brought up to date. */
export async function startWriter(path: string): Promise<Writer> {
  // Sources run as they are in development and compiled in the package: the thread's file ends like this one.
  const worker = new Worker(new URL(`./writer-thread${import.meta.url.slice(-3)}`, import.meta.url), {
    workerData: path,
  });
  let pending: Pending | undefined;
  let death: Error | undefined;
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
  const die = (error: Error): void => {
    death ??= error;
    fail(death);
    pending?.reject(death);
    pending = undefined;
  };
  worker.on('message', (message: FromWriter) => {
    const { resolve } = pending ?? {};
    pending = undefined;
    resolve?.(message);
  });
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => die(new Error('The writer thread ended')));
  const receive = (): Promise<FromWriter> =>
    new Promise((resolve, reject) => {
      if (death === undefined) pending = { resolve, reject };
      else reject(death);
    });

  const first = await receive();
  if ('failed' in first) throw new Error(first.reason);
  return {
    failed,
    commit: async (writes) => {
      const received = receive();
      if (death === undefined) worker.postMessage(writes satisfies ToWriter);
      const message = await received;
      if ('outcomes' in message) return message.outcomes;
      if (!('failed' in message)) throw new Error('The writer thread answered out of turn');
      const error = new ServiceError(message.failed, { cause: new Error(message.reason) });
      if (message.failed === 'store_failed') die(error);
      throw error;
    },
    close: async () => {
      if (death !== undefined) return;
      worker.removeAllListeners('exit');
      const ended = once(worker, 'exit');
      worker.postMessage('close' satisfies ToWriter);
      await ended;
    },
  };
}
