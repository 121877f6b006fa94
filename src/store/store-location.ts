/** Where a store is kept: in a folder, or in a database. */

export type StoreLocation = { readonly folder: string } | DatabaseLocation;

export interface DatabaseLocation {
  /** The URL of a PostgreSQL database; may have a password. */
  readonly url: string;
  /** File with the password, used instead of the one in the URL. */
  readonly passwordFile?: string | undefined;
}
