/** Runs transactions, again where that is safe, and throws the errors of the port. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../../../domain/errors.ts';
import type { Cluster } from './cluster.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { Connection, Rows } from './connection.ts';
import { type Failure, failureOf } from './error-code.ts';
import { writeWithinMs } from './statement.ts';

/** How long a new attempt may begin, in milliseconds. */
export const attemptsWithinMs = 5_000;
const pauseMs = { min: 5, max: 50 } as const;

/** What the port throws for each failure. */
const codes: Readonly<Record<Failure, ErrorCode>> = {
  retry: 'store_busy',
  elsewhere: 'store_unavailable',
  unavailable: 'store_unavailable',
  full: 'store_full',
  'in-doubt': 'store_failed',
  denied: 'store_unavailable',
  bug: 'internal',
};

/** The state after failed work. */
class TransactionError extends Error {
  override readonly name = 'TransactionError';
  readonly failure: Failure;

  constructor(failure: Failure, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.failure = failure;
  }
}

export class Transactions {
  readonly #pool: ConnectionPool;
  readonly #cluster: Cluster;
  readonly #onInDoubt: (reason: Error) => void;

  /** @param onInDoubt called for each transaction whose commit was not confirmed. */
  constructor(pool: ConnectionPool, cluster: Cluster, onInDoubt: (reason: Error) => void) {
    this.#pool = pool;
    this.#cluster = cluster;
    this.#onInDoubt = onInDoubt;
  }

  /**
   * Runs a transaction, again while nothing was written and another try can succeed.
   * @param prepare reads and sends the writes; the COMMIT follows them at once.
   * @param deadline by `performance.now()`; afterwards it is tried once.
   * @throws ServiceError `store_busy`, `store_full` or `store_unavailable` when nothing was
   * written, `store_failed` when that is unknown.
   */
  runTransaction<Result>(prepare: Prepare<Result>, deadline?: number): Promise<Result> {
    return this.#retry((connection) => runOnce(connection, prepare), deadline);
  }

  /**
   * Like `runTransaction`, for statements without BEGIN: each is a transaction of its own.
   * @param mayBeLost whether it does no harm if what they write is lost.
   */
  runAutocommit<Result>(
    work: (connection: Connection) => Promise<Result>,
    { mayBeLost, deadline }: { readonly mayBeLost: boolean; readonly deadline?: number },
  ): Promise<Result> {
    return this.#retry(async (connection) => {
      try {
        return await work(connection);
      } catch (error) {
        throw await toTransactionError(connection, error, !mayBeLost, 'SELECT 1');
      }
    }, deadline);
  }

  /** @param work throws TransactionError, or what the port throws. */
  async #retry<Result>(
    work: (connection: Connection) => Promise<Result>,
    deadline = performance.now() + attemptsWithinMs,
  ): Promise<Result> {
    for (;;) {
      try {
        return await this.#pool.use(work, deadline);
      } catch (error) {
        if (!(error instanceof TransactionError)) throw error;
        const { failure } = error;
        if (failure === 'unavailable' || failure === 'elsewhere' || failure === 'in-doubt') this.#cluster.suspect();
        if (failure === 'in-doubt') this.#onInDoubt(error);
        if (failure === 'denied') this.#cluster.noteRefusal('statement', error);
        const canRetry = failure === 'retry' || failure === 'elsewhere' || failure === 'unavailable';
        if (!canRetry || performance.now() > deadline)
          throw new ServiceError(codes[failure], { cause: error.cause, detail: this.#cluster.waitsFor });
        await sleep(pauseMs.min + Math.random() * (pauseMs.max - pauseMs.min));
      }
    }
  }
}

/** The work of a transaction. `begun` is the answer to its BEGIN, which is sent before. */
export type Prepare<Result> = (connection: Connection, begun: Promise<Rows>) => Promise<Prepared<Result>>;

/** What is sent together with the COMMIT, and what it comes to. */
export interface Prepared<Result> {
  readonly sent: readonly Promise<Rows | number>[];
  readonly toResult: (answers: readonly (Rows | number)[]) => Result;
}

async function runOnce<Result>(connection: Connection, prepare: Prepare<Result>): Promise<Result> {
  let prepared: Prepared<Result>;
  try {
    prepared = await prepare(connection, connection.run('BEGIN', [], writeWithinMs));
  } catch (error) {
    throw await toTransactionError(connection, error, false, 'ROLLBACK');
  }
  const commit = connection.run('COMMIT', [], writeWithinMs);
  const settled = await Promise.allSettled([...prepared.sent, commit]);
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed !== undefined) {
    const isOfCommit = failed === settled.at(-1);
    throw await toTransactionError(connection, failed.reason, true, 'SELECT 1', isOfCommit);
  }
  const answers = await Promise.all(prepared.sent);
  // The server answers so, without an error, when the transaction had failed.
  if ((await commit).command !== 'COMMIT')
    throw new TransactionError('retry', new Error('the transaction was rolled back'));
  return prepared.toResult(answers);
}

async function toTransactionError(
  connection: Connection,
  error: unknown,
  isCommitSent: boolean,
  probe: 'SELECT 1' | 'ROLLBACK',
  isOfCommit = false,
): Promise<unknown> {
  // An error of severity ERROR leaves the connection open, whatever its name in that language.
  const isRolledBack =
    connection.isUsable &&
    (await connection.run(probe, [], writeWithinMs).then(
      () => true,
      () => false,
    ));
  const failure = failureOf(error, { isCommitSent, isRolledBack, isOfCommit });
  // The transaction may still be open.
  if (failure === 'in-doubt') connection.destroy(new Error('it is unknown how a transaction has ended'));
  return new TransactionError(failure, error);
}
