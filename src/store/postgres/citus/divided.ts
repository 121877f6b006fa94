/** The division of Citus: buckets on several nodes. */
import { type Division, type Engine, undivided } from '../division.ts';
import { bucketOf } from './buckets.ts';
import { divide } from './divide-writes.ts';
import { searchDivided } from './divided-search.ts';
import { beginEverywhere, closeGate, enterGate, openGate } from './export-gate.ts';

/** They are stored: another number needs a new database. */
const buckets = 16;

/**
 * For a new connection that writes. A batch commits on its own node, perhaps before its number is on
 * the disk of the coordinator, which would issue the number again after a crash. So the first
 * connection after a crash skips 2^32 numbers: the coordinator cannot issue as many without a flush.
 * The others wait until the skip is on disk.
 */
const skipNumbers = `DO $$ BEGIN
    INSERT INTO skipped_numbers VALUES (0) ON CONFLICT DO NOTHING;
    IF FOUND THEN
      PERFORM setval('change_batches_seq_seq', last_value + 4294967296) FROM change_batches_seq_seq;
    END IF;
  END $$`;

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
