/** What a check of a store finds, whatever the adapter. */

/** The numbers are null if a file is too damaged to count. */
export interface CheckResult {
  readonly plants: number | null;
  readonly tags: number | null;
  readonly tokens: number | null;
  readonly schemaVersion: number;
  /** Size of the database; of a SQLite file that is in use, with its write-ahead log. */
  readonly bytes: number;
  /** A sentence for each problem; empty if the store is sound. */
  readonly problems: readonly string[];
  readonly sqliteVersion?: string;
  readonly journalMode?: string;
  readonly postgresVersion?: string;
}
