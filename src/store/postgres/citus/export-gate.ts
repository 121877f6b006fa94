/**
 * A lock that lets an export see the buckets of a divided database at one moment: they have no
 * common snapshot. Transactions that write share it; an export takes it alone, only until its
 * own transaction has begun in every bucket.
 */
import type { Statement } from '../connect/connection.ts';

/** "PlnG" in ASCII. */
const gate = 0x506c6e47;

/** For a transaction: left at its end. */
export const enterGate: Statement = { name: 'enter-gate', text: `SELECT pg_advisory_xact_lock_shared(${gate})` };

/** For a session. */
export const closeGate = `SELECT pg_advisory_lock(${gate})`;
export const openGate = `SELECT pg_advisory_unlock(${gate})`;

/** Begins a transaction on every node, with one connection to each: a second has another moment. */
export const beginEverywhere = [
  'SET LOCAL citus.max_adaptive_executor_pool_size = 1',
  'SELECT count(*) FROM plants WHERE id = 0',
];
