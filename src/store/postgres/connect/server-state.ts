/** What a server says about itself, and whether it can be used at all. */
import type { Parameters } from './session-settings.ts';

/** What a host says about itself when a connection is opened. */
export interface ServerState {
  /** False also where the transactions of this session are read-only. */
  readonly isWritable: boolean;
  /** Grows with each promotion of a standby; 0 on a standby. */
  readonly timeline: number;
  /** No synchronous standby confirms commits: they wait for it. */
  readonly isStalled: boolean;
  /** Differs after a restart. */
  readonly startedAt: string;
}

/** The server can never be used as it is configured. */
export class UnusableServerError extends Error {
  override readonly name = 'UnusableServerError';
}

const oldestVersion = 150_000;
/** Every session of the service has it. */
export const applicationName = 'plant-store';
/** A commit that waits longer than this for a standby shows that none answers, in milliseconds. */
const stalledAfterMs = 2_000;
/**
 * A statement that waits longer than this for a lock counts as blocked, in milliseconds. Statements
 * give up after two seconds.
 */
const blockedAfterMs = 500;

export const selectServerState = {
  name: 'read-state',
  text: `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_setting('fsync'),
    current_setting('synchronous_commit'), current_setting('default_transaction_read_only'),
    CASE WHEN pg_is_in_recovery() THEN 0 ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END,
    EXISTS (SELECT FROM pg_stat_activity WHERE usename = session_user AND wait_event = 'SyncRep'
      AND query_start < clock_timestamp() - interval '${stalledAfterMs} ms'),
    extract(epoch FROM pg_postmaster_start_time())::text, current_setting('array_nulls'),
    current_setting('client_min_messages'), current_setting('row_security'), current_setting('session_replication_role'),
    current_setting('zero_damaged_pages'), current_setting('ignore_checksum_failure')`,
};

/**
 * A session of somebody else that holds a lock for which one of ours waits, for the log. No
 * row: none waits.
 */
export const selectBlocker = {
  name: 'find-blocker',
  text: `SELECT format('the session %s of %s', other.pid, coalesce(other.usename, other.backend_type))
      FROM pg_stat_activity AS own, unnest(pg_blocking_pids(own.pid)) AS blocking JOIN pg_stat_activity AS other ON pid = blocking
      WHERE own.datname = current_database() AND own.usename = session_user AND own.application_name = '${applicationName}'
        AND own.wait_event_type = 'Lock' AND own.query_start < clock_timestamp() - interval '${blockedAfterMs} ms'
        AND (other.usename, other.application_name) IS DISTINCT FROM (own.usename, own.application_name) LIMIT 1`,
};

/**
 * @param row of `selectServerState`. @param parameters those that the session was opened with.
 * @throws UnusableServerError when the server must not be used at all.
 */
export function toServerState(row: readonly unknown[], parameters: Parameters): ServerState {
  const [version, encoding, fsync, synchronous_commit, readOnly, timeline, isStalled, startedAt, ...others] = row;
  if (Number(version) < oldestVersion) throw new UnusableServerError('PostgreSQL 15 or newer is required');
  if (encoding !== 'UTF8') throw new UnusableServerError('the database must have the encoding UTF8');
  if (fsync !== 'on') throw new UnusableServerError('fsync must be on: without it acknowledged plants can be lost');
  const [array_nulls, client_min_messages, row_security, replicationRole, zeroDamaged, ignoreChecksums] = others;
  requireSettings(parameters, { synchronous_commit, array_nulls, client_min_messages, row_security });
  requireValue('session_replication_role', replicationRole, 'origin');
  requireValue('zero_damaged_pages', zeroDamaged, 'off');
  requireValue('ignore_checksum_failure', ignoreChecksums, 'off');
  return {
    // As in libpq, a server whose transactions are read-only by default accepts no writes.
    isWritable: Number(timeline) > 0 && readOnly === 'off',
    timeline: Number(timeline),
    isStalled: isStalled === true,
    startedAt: String(startedAt),
  };
}

/**
 * Checks the settings that a session begins with: without them, a plant could be lost or
 * changed without an error.
 */
function requireSettings(parameters: Parameters, found: Partial<Record<keyof Parameters, unknown>>): void {
  for (const [name, value] of Object.entries(found))
    if (value !== parameters[name as keyof Parameters])
      throw new UnusableServerError(
        `${name} is ${String(value)} although the service has set it: connect to the server directly, not through a pooler`,
      );
}

/** Checks a setting that only a superuser may change: no session of ours can. */
function requireValue(name: string, found: unknown, wanted: string): void {
  if (found !== wanted)
    throw new UnusableServerError(
      `${name} must be ${wanted} for this user and database: with ${String(found)}, rows are lost`,
    );
}
