/** What an operator wants to know of the database's hosts. */

/** A change that somebody who operates the service wants to know of. */
export type ClusterEvent =
  | { readonly kind: 'migrated'; readonly schema: number }
  | { readonly kind: 'found'; readonly host: string }
  | { readonly kind: 'lost'; readonly reason: Error }
  /** The host refused a connection, for example because it has too many; at most once a minute. */
  | { readonly kind: 'refused'; readonly reason: Error }
  /** A batch whose commit was not confirmed. */
  | { readonly kind: 'in-doubt'; readonly reason: Error };
