/** The faults that a test can bring about in a process that runs the store. What they do is in fault-preload.ts; the product knows none of it. */

export type Fault =
  /** SIGKILL at the n-th time that a place is reached; a place that takes time is hit `delayUs` microseconds after its begin. */
  | { readonly kind: 'kill'; readonly at: KillPoint; readonly nth: number; readonly delayUs?: number }
  /** COMMIT throws this result code of SQLite, without committing, `times` times from the n-th on. */
  | { readonly kind: 'fail-commit'; readonly errcode: number; readonly nth: number; readonly times: number }
  /** The thread ends at the n-th COMMIT without a word. */
  | { readonly kind: 'end-thread'; readonly nth: number }
  /** Every COMMIT takes this much longer. */
  | { readonly kind: 'slow-commit'; readonly ms: number }
  /** The copy of the log to the database cannot be synced. */
  | { readonly kind: 'fail-sync' }
  /** The first copy of the log in the checkpoint thread throws this result code of SQLite; all later ones succeed. */
  | { readonly kind: 'fail-checkpoint'; readonly errcode: number }
  /** Nothing is ever synced, while every setting reads back as if it were. */
  | { readonly kind: 'no-sync' }
  /** COMMIT returns at once, and is done up to `ms` later. */
  | { readonly kind: 'late-commit'; readonly ms: number };

export type KillPoint = 'start' | 'before-commit' | 'after-commit' | 'checkpoint' | 'close';

export const faultVariable = 'STORE_FAULT';

/** The URL to give to `--import`. */
export const preloadUrl = import.meta.resolve('./fault-preload.ts');

/** The environment that makes a Node process, and each of its threads, fail like this. */
export function toFaultEnvironment(fault: Fault): Record<string, string> {
  return { NODE_OPTIONS: `--import=${preloadUrl}`, [faultVariable]: JSON.stringify(fault) };
}
