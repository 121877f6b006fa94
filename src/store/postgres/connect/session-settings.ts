/** The settings of a session that the service rests on, whatever the role or the database sets. */

/** Settings of a session. */
export type Parameters = Readonly<Record<keyof typeof settings, string>>;

export const settings = {
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  // With it, any notice that arrives is a warning or worse, whatever language it is in.
  client_min_messages: 'warning',
  jit: 'off',
  // Never ended by the server, but for reads: a commit that is cancelled looks like a success.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // The session of a vanished machine ends after 30 s + 3 * 10 s of silence, not after hours.
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  // Without it, "no tag" in a list of values would be the tag "NULL".
  array_nulls: 'on',
  // Rows that a policy would hide are an error.
  row_security: 'off',
  // Otherwise a search may find only some of the plants.
  gin_fuzzy_search_limit: '0',
  // Otherwise every error ends the session, also one after which the transaction is done again.
  exit_on_error: 'off',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  plan_cache_mode: 'auto',
  enable_seqscan: 'on',
  enable_sort: 'on',
};

/**
 * For a new session, what its login cannot set. The transaction timeout came with version 17;
 * an older server would refuse it. All tables are in the schema of `plant_store_schema`: one of
 * the same name in a schema before it must not be taken for ours.
 */
export const sessionSql = `SELECT set_config('transaction_timeout', '0', false)
    WHERE current_setting('transaction_timeout', true) IS NOT NULL
  UNION ALL SELECT set_config('search_path', format('%I, pg_temp', nspname), false)
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = to_regclass('plant_store_schema')`;

/** Formats settings for the option `options` of a login. */
export function toOptions(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
}
