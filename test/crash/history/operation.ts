/** What a client did to the plants and what it saw, as the checks read it. Knows no HTTP and no clock. */

/**
 * The content of one id as a text: `''` while no plant is stored, else its tag (or nothing), a slash and its name.
 * A name is written only once in a history, so a text says which write it comes from.
 */
export type State = string;

export const absent: State = '';

export function toState({ name, tag = '' }: { readonly name: string; readonly tag?: string | undefined }): State {
  return `${tag}/${name}`;
}

/** Places in the one order in which the harness sent requests and received responses. No two are equal. */
export interface Interval {
  readonly start: number;
  /** Where the operation was certainly over; `Infinity` when that is never known. */
  readonly end: number;
}

/** A request about one plant. */
export interface Operation extends Interval {
  /** For people: the client, the request and the response. */
  readonly what: string;
  /** Whether the response was possible in this state. */
  readonly accepts: (state: State) => boolean;
  /** What a write leaves; undefined for an operation that changes nothing. */
  readonly result?: State;
  /** The client does not know whether the write took place. */
  readonly isAmbiguous?: boolean;
}

/** A request that reads every plant at one moment, such as a list or an export. */
export interface Snapshot extends Interval {
  readonly what: string;
  /** For each id, whether what was seen of it was possible in this state. */
  readonly accepts: (id: bigint, state: State) => boolean;
}

export interface History {
  readonly operations: ReadonlyMap<bigint, readonly Operation[]>;
  readonly snapshots: readonly Snapshot[];
}
