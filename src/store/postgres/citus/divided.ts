/** The division of Citus: buckets on several nodes. */
import type { Statement } from '../connect/connection.ts';
import { type Division, type Engine, undivided } from '../division.ts';
import { bucketOf, divide } from './divide-writes.ts';
import { searchDivided } from './divided-search.ts';

/** The buckets are stored: another number needs a new database. */
const buckets = 16;

/**
 * For a new connection that writes. A changeset commits on its own node, perhaps before its number is on
 * the disk of the coordinator, which would issue the number again after a crash. So the first
 * connection after a crash skips 2^32 numbers: the coordinator cannot issue as many without a flush.
 * Other connections wait until the skip is on disk.
 */
const skipNumbers = `DO $$ BEGIN
    INSERT INTO skipped_numbers VALUES (0) ON CONFLICT DO NOTHING;
    IF FOUND THEN
      PERFORM setval('change_batches_seq_seq', last_value + 4294967296) FROM change_batches_seq_seq;
    END IF;
  END $$`;

/**
 * A lock that lets an export see the buckets at one moment: they have no common snapshot.
 * Transactions that write share it; an export takes it alone, only until its own transaction has
 * begun in every bucket. "PlnG" in ASCII.
 */
const gate = 0x506c6e47;

/** For a transaction: left at its end. */
const enterGate: Statement = { name: 'enter-gate', text: `SELECT pg_advisory_xact_lock_shared(${gate})` };

/** For a session. */
const closeGate = `SELECT pg_advisory_lock(${gate})`;
const openGate = `SELECT pg_advisory_unlock(${gate})`;

/** Begins a transaction on every node, with one connection to each: a second has another moment. */
const beginEverywhere = [
  'SET LOCAL citus.max_adaptive_executor_pool_size = 1',
  'SELECT count(*) FROM plants WHERE id = 0',
];

const divided: Division = {
  buckets,
  bucketOf: (id) => bucketOf(id, buckets),
  divide: (writes) => divide(writes, buckets),
  servers: {
    prepareWriter: skipNumbers,
    enter: enterGate,
    toSnapshot: (begin) => [closeGate, begin, ...beginEverywhere, openGate],
    search: (run, page) => searchDivided(run, page, buckets),
  },
};

export const divisionOf: Readonly<Record<Engine, Division>> = { postgres: undivided, citus: divided };
