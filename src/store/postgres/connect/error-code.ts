/** What a failure of PostgreSQL means for the writes it met. */

/**
 * - `retry`: nothing was written; the same transaction can succeed now.
 * - `elsewhere`: nothing was written; another host may accept writes.
 * - `unavailable`: nothing was written; the database cannot be reached.
 * - `full`: nothing was written; the disk is full.
 * - `in-doubt`: it is unknown whether the transaction was committed. Never send it again.
 * - `denied`: nothing was written; the user may not do it, or a table is missing. Somebody must
 *   set it right.
 * - `bug`: nothing was written; the statement is wrong.
 */
export type Failure = 'retry' | 'elsewhere' | 'unavailable' | 'full' | 'in-doubt' | 'denied' | 'bug';

/** How far a transaction had come. */
export interface TransactionProgress {
  /** The COMMIT, or the only statement, may have reached the server. */
  readonly isCommitSent: boolean;
  /** The server reported an error and then answered on the same connection: it has rolled back. */
  readonly isRolledBack: boolean;
  /** The error is the answer to the COMMIT. */
  readonly isOfCommit?: boolean;
}

/** SQLSTATEs of rolled back statements (postgresql.org/docs/current/errcodes-appendix.html). */
const rolledBack = new Map<string, Failure>([
  // Serialization failure, deadlock, lock not available, statement cancelled.
  ['40001', 'retry'],
  ['40P01', 'retry'],
  ['55P03', 'retry'],
  ['57014', 'retry'],
  // Another instance has inserted the id since it was looked up.
  ['23505', 'retry'],
  // No such prepared statement: the first one of its name failed to parse. Nothing was executed.
  ['26000', 'retry'],
  // The transaction had failed before; the first error decides, and it is not known here.
  ['25P02', 'retry'],
  // A node of Citus ended a session that waited in a transaction.
  ['25P03', 'unavailable'],
  // Read-only transaction: the host was demoted.
  ['25006', 'elsewhere'],
  ['53100', 'full'],
  // A right was taken away, or a policy hides rows; a table is missing.
  ['42501', 'denied'],
  ['42P01', 'denied'],
  // An internal error of the server; Citus reports a node that ends with it.
  ['XX000', 'unavailable'],
]);

/** Classes of SQLSTATEs that speak of the connection, the system or its resources. */
const unavailableClasses = new Set(['08', '53', '57', '58']);

/**
 * With these a COMMIT was refused. With others, Citus may have committed on the node of the
 * rows before the coordinator failed.
 */
const refusedAtCommit = /^(23|25|40|53100)/;

/** "Statement completion unknown". */
const unknownCompletion = '40003';

export function failureOf(
  error: unknown,
  { isCommitSent, isRolledBack, isOfCommit = false }: TransactionProgress,
): Failure {
  const code = sqlStateOf(error);
  if (code === unknownCompletion || (isOfCommit && !refusedAtCommit.test(code ?? ''))) return 'in-doubt';
  if (isRolledBack) {
    if (code === undefined) return 'bug';
    return rolledBack.get(code) ?? (unavailableClasses.has(code.slice(0, 2)) ? 'unavailable' : 'bug');
  }
  // The connection is lost: only what was surely not committed can be sent again.
  return isCommitSent ? 'in-doubt' : 'unavailable';
}

/** The five characters; undefined for an error of the socket or of the driver. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
