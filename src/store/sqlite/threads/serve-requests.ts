/** The worker's side of a Thread: answers requests one after another. */
import { parentPort } from 'node:worker_threads';
import { toReason } from '../commit-batch.ts';
import { toErrorCode } from '../error-code.ts';
import type { FromThread, ToThread } from './thread.ts';

export interface RequestHandler<Request, Answer> {
  /** Answers one request. A `store_failed` error (see `toErrorCode`) ends the thread. */
  readonly answer: (request: Request) => Answer;
  /** Called after each answer is sent. Throws like `answer`. */
  readonly afterAnswer?: () => void;
  readonly close: () => void;
}

/** Serves until the caller closes the thread or an error ends it. */
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
