/** What an operator wants to know of the database's hosts. */

/** A change that somebody who operates the service wants to know of. */
export type ClusterEvent =
  | { readonly kind: 'migrated'; readonly schema: number }
  | { readonly kind: 'found'; readonly host: string }
  | { readonly kind: 'lost'; readonly reason: Error }
  /** Each time: too many connections, or something that the user may not do. */
  | { readonly kind: 'refused'; readonly what: 'connection' | 'statement'; readonly reason: Error }
  /** Requests wait for a lock of somebody else; each time that it is seen. */
  | { readonly kind: 'blocked'; readonly by: string }
  /** A commit that was not confirmed. */
  | { readonly kind: 'in-doubt'; readonly reason: Error };
