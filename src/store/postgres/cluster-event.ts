/** What an operator wants to know of the database's hosts. */

/** A change that somebody who operates the service wants to know of. */
export type ClusterEvent =
  | { readonly kind: 'migrated'; readonly schema: number }
  | { readonly kind: 'found'; readonly host: string }
  | { readonly kind: 'lost'; readonly reason: Error }
  /** Each at most once a minute: too many connections, or something that the user may not do. */
  | { readonly kind: 'refused'; readonly what: 'connection' | 'statement'; readonly reason: Error }
  /** Requests wait for a lock of somebody else; at most once a minute. */
  | { readonly kind: 'blocked'; readonly by: string }
  /** A batch whose commit was not confirmed. */
  | { readonly kind: 'in-doubt'; readonly reason: Error };

/** Least time between two events of one kind. */
const everyMs = 60_000;

/** Returns a function that passes events on, but none that follows another of its kind too soon. */
export function limitEvents(onEvent: (event: ClusterEvent) => void): (event: ClusterEvent) => void {
  const passedAt = new Map<string, number>();
  return (event) => {
    const kind = event.kind === 'refused' ? `refused ${event.what}` : event.kind;
    const now = performance.now();
    if (now - (passedAt.get(kind) ?? -Infinity) < everyMs) return;
    passedAt.set(kind, now);
    onEvent(event);
  };
}
